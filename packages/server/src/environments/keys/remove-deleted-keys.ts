import type { SystemContext } from "#foundation";
import { removeDeleted } from "../erasure/deleted-rows.ts";
import { removeDeletedKeyRows } from "./store.ts";

/** Removes keys that were deleted long ago; runs daily. */
export async function removeDeletedKeys(ctx: SystemContext): Promise<void> {
  await removeDeleted(ctx, async ({ db, environment }, rows) => {
    return await removeDeletedKeyRows(db, environment.id, rows);
  });
}
