import type { ConnectionUuid, Counted, EnvironmentContext } from "#foundation";
import { deleteCheckpointsOf } from "../checkpoints/store.ts";
import { deleteEndedRuns, emptySyncs, hasOpenRuns } from "./store.ts";

const AT_ONCE = 1000;

/** Deletes runs and checkpoints of deleted connections; false while one has not ended. */
export async function eraseRuns(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
  counted: Counted,
): Promise<boolean> {
  const environmentId = ctx.environment.id;
  if (await hasOpenRuns(ctx.db, environmentId, connections)) return false;
  let deleted = AT_ONCE;
  while (deleted === AT_ONCE) {
    ctx.signal.throwIfAborted();
    deleted = await counted(
      ctx,
      async ({ db }) => await deleteEndedRuns(db, environmentId, { connections, limit: AT_ONCE }),
    );
  }
  await emptySyncs(ctx.db, environmentId, connections);
  await deleteCheckpointsOf(ctx.db, environmentId, connections);
  return true;
}
