import type { VaultContext } from "./data-key.ts";
import { deleteDataKeys } from "./store.ts";

/**
 * Makes everything sealed for an environment unreadable for good, in backups made later too; for its
 * deletion. Other processes may still read for a minute what they have read before.
 */
export async function forgetDataKeys(ctx: VaultContext, environmentId: string): Promise<void> {
  await deleteDataKeys(ctx.db, environmentId);
  ctx.keys.dataKeys.clear();
}
