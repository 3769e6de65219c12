import { createHash } from "node:crypto";
import type { Bundle } from "../store.ts";

/** Over everything that is stored, so that a bundle once stored stays true for ever. */
export function hashBundle({ code, source, sourceMap }: Bundle): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([code, source, sourceMap ?? null]))
    .digest();
}
