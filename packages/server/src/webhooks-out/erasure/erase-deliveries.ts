import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { deleteDeliveriesOf, deleteSequences, deleteUnusedPayloads } from "./store.ts";

const AT_ONCE = 1000;

/** Deletes the deliveries about connections, also those that wait to be sent; resolves to how many. */
export async function eraseDeliveries(
  ctx: EnvironmentContext,
  connections: { readonly uuids: readonly ConnectionUuid[]; readonly names: readonly string[] },
): Promise<number> {
  const environmentId = ctx.environment.id;
  let [total, deleted] = [0, AT_ONCE];
  while (deleted === AT_ONCE) {
    ctx.signal.throwIfAborted();
    deleted = await deleteDeliveriesOf(ctx.db, environmentId, { ...connections, limit: AT_ONCE });
    total += deleted;
  }
  await deleteUnusedPayloads(ctx.db, environmentId);
  await deleteSequences(ctx.db, environmentId, connections.uuids);
  return total;
}
