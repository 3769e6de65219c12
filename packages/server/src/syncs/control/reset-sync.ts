import type { EnvironmentContext } from "#foundation";
import { deleteCheckpoints } from "../checkpoints/store.ts";
import { updateSync } from "../store.ts";
import { checkpointKey, type Sync } from "../sync.ts";

/** Forgets how far the sync has come; its row is locked by the caller and no run holds it. */
export async function resetSync(ctx: EnvironmentContext, sync: Sync): Promise<Sync> {
  const { id: environmentId } = ctx.environment;
  const place = { connection: sync.connectionUuid, key: checkpointKey(sync) };
  await deleteCheckpoints(ctx.db, environmentId, place);
  await updateSync(ctx.db, environmentId, sync.id, { lastSyncDate: null }, ctx.clock.now());
  return { ...sync, lastSyncDate: null };
}
