import { type InstallationContext, messageOf } from "#platform";
import { unwrap } from "./data-key.ts";
import { findOldestDataKey } from "./store.ts";

/** Why the ring does not fit this database; undefined when it does, or when nothing is encrypted yet. */
export async function verifyMasterKey(
  ctx: Pick<InstallationContext, "db" | "keys">,
): Promise<string | undefined> {
  const row = await findOldestDataKey(ctx.db);
  if (row === undefined) return undefined;
  try {
    unwrap(ctx.keys, row);
    return undefined;
  } catch (error) {
    return `the encryption key does not open this database (${messageOf(error)})`;
  }
}
