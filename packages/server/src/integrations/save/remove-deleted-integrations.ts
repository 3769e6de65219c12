import { removeDeleted } from "#environments";
import type { SystemContext } from "#foundation";
import { removeDeletedIntegrationRows } from "../store.ts";

/** Removes integrations that were deleted long ago, once nothing is left of them; runs daily. */
export async function removeDeletedIntegrations(ctx: SystemContext): Promise<void> {
  await removeDeleted(ctx, async ({ db, environment }, rows) => {
    return await removeDeletedIntegrationRows(db, environment.id, rows);
  });
}
