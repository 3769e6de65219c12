import type { ConnectionsOf } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { enqueueTask } from "#tasks";
import { recordTasks } from "../tasks.ts";

/** Connections go: their records go soon after, for they may be many. */
export async function deleteRecordsOfConnections(
  ctx: EnvironmentContext,
  { connections }: ConnectionsOf,
): Promise<void> {
  const environmentId = ctx.environment.id;
  const payload = { environmentId, connections: connections.map(({ uuid }) => uuid) };
  await enqueueTask(ctx, recordTasks.removeConnections, payload, { environmentId });
}
