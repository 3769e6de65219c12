import { readFileSync } from "node:fs";
import { openCompiledLogos } from "./compiled-logos.ts";

const file = new URL("../../generated/logos.jsonl", import.meta.url);

// Process-wide: a file of the release, read once.
let find: ReturnType<typeof openCompiledLogos> | undefined;

/**
 * SVG of a built-in provider's logo, with a monogram where no free icon exists: of the product, or of a given name.
 * Undefined for other ids.
 */
export function findLogo(providerId: string, name?: string): string | undefined {
  find ??= openCompiledLogos(readFileSync(file, "utf8"));
  return find(providerId, name);
}
