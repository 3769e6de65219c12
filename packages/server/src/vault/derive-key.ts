import { hkdfSync } from "node:crypto";
import type { SystemContext } from "#foundation";
import { getDataKey } from "./data-key.ts";

/** A 32-byte key for one purpose of one environment (MACs of cursors, hashes of records); HKDF, RFC 5869. */
export async function deriveKey(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  wanted: { environmentId: string; purpose: string },
): Promise<Buffer> {
  const { key } = await getDataKey(ctx, wanted.environmentId, "lookup");
  return Buffer.from(hkdfSync("sha256", key.reveal(), "", wanted.purpose, 32));
}
