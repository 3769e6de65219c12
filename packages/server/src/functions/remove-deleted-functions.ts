import { removeDeleted } from "#environments";
import type { SystemContext } from "#foundation";
import { removeDeletedFunctionRows } from "./store.ts";

/** Removes functions that were deleted long ago; runs daily. */
export async function removeDeletedFunctions(ctx: SystemContext): Promise<void> {
  await removeDeleted(ctx, async ({ db, environment }, rows) => {
    return await removeDeletedFunctionRows(db, environment.id, rows);
  });
}
