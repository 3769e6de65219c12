import type { ConnectionDeleted } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { enqueueTask } from "#tasks";
import { recordTasks } from "../tasks.ts";

/** A connection goes: its records go soon after, for they may be many. */
export async function deleteRecordsOfConnection(
  ctx: EnvironmentContext,
  { connection }: ConnectionDeleted,
): Promise<void> {
  const environmentId = ctx.environment.id;
  const payload = { environmentId, connection: connection.uuid };
  await enqueueTask(ctx, recordTasks.removeConnection, payload, { environmentId });
}
