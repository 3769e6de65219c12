import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";

/** Under which an item is stored: half of a keyed hash of what its holder has, in the form of a UUID. */
export async function itemIdOf(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  model: string,
  held: string,
): Promise<string> {
  const hash = await lookupHash(ctx, `agent-oauth-${model}`, held);
  const hex = hash.toString("hex").slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
