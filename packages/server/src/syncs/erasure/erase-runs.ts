import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { deleteCheckpoints } from "../checkpoints/store.ts";
import { deleteEndedRuns, emptySyncs, hasOpenRuns } from "./store.ts";

const AT_ONCE = 1000;

/** Deletes runs and checkpoints of deleted connections; resolves to how many runs, undefined while one has not ended. */
export async function eraseRuns(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<number | undefined> {
  const environmentId = ctx.environment.id;
  if (await hasOpenRuns(ctx.db, environmentId, connections)) return undefined;
  let [total, deleted] = [0, AT_ONCE];
  while (deleted === AT_ONCE) {
    ctx.signal.throwIfAborted();
    deleted = await deleteEndedRuns(ctx.db, environmentId, { connections, limit: AT_ONCE });
    total += deleted;
  }
  await emptySyncs(ctx.db, environmentId, connections);
  for (const connection of connections) {
    await deleteCheckpoints(ctx.db, environmentId, { connection });
  }
  return total;
}
