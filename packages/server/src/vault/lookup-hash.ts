import { createHmac } from "node:crypto";
import type { SystemContext } from "#foundation";
import { getDataKey } from "./data-key.ts";

/**
 * Keyed hash by which a key, token or state is found again; the text itself is not stored.
 * The key is random per installation, so hashes of one cannot be tried on another.
 */
export async function lookupHash(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  purpose: string,
  text: string,
): Promise<Buffer> {
  const { key } = await getDataKey(ctx, null, "lookup");
  return createHmac("sha256", key.reveal()).update(`${purpose}\0`).update(text).digest();
}
