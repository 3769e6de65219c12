import type { ConnectionDeleted } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { deleteCheckpoints } from "../checkpoints/store.ts";
import { deleteReconciledOf } from "../reconciliation/store.ts";
import { deleteSyncs } from "../schedule/create-syncs.ts";

/** A connection goes: its schedules and checkpoints go with it. */
export async function deleteSyncsOfConnection(
  ctx: EnvironmentContext,
  { connection }: ConnectionDeleted,
): Promise<void> {
  await deleteSyncs(ctx, { connections: [connection.uuid] });
  await deleteCheckpoints(ctx.db, ctx.environment.id, { connection: connection.uuid });
  await deleteReconciledOf(ctx.db, ctx.environment.id, connection.uuid);
}
