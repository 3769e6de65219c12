import type { ConnectionsLeaving, ConnectionsOf } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { deleteCheckpointsOf } from "../checkpoints/store.ts";
import { deleteReconciledOf } from "../reconciliation/store.ts";
import { deleteSyncs } from "../schedule/create-syncs.ts";
import { lockFreeSyncsOf } from "./store.ts";

/** Locks the schedules of connections; where a run or a deployment holds one, its connection stays until later. */
export async function lockSyncsOfConnections(
  ctx: EnvironmentContext,
  { connections, stay }: ConnectionsLeaving,
): Promise<void> {
  const uuids = connections.map(({ uuid }) => uuid);
  stay(await lockFreeSyncsOf(ctx.db, ctx.environment.id, uuids));
}

/** Connections go: their schedules and checkpoints go with them. */
export async function deleteSyncsOfConnections(
  ctx: EnvironmentContext,
  { connections }: ConnectionsOf,
): Promise<void> {
  const uuids = connections.map(({ uuid }) => uuid);
  await deleteSyncs(ctx, { connections: uuids });
  await deleteCheckpointsOf(ctx.db, ctx.environment.id, uuids);
  await deleteReconciledOf(ctx.db, ctx.environment.id, uuids);
}
