import { type ConnectionCreated, findConnectionByUuid } from "#connections";
import { findEnvironment } from "#environments";
import { type EnvironmentContext, withEnvironment } from "#foundation";
import { findIntegrationById } from "#integrations";
import { enqueueTask, type TaskHandlers } from "#tasks";
import { findUpstream, hasUpstream, refreshTools } from "./refresh-tools.ts";
import { upstreamTasks } from "./tasks.ts";

/** Queues the reading of the tools of a new connection's server, in the transaction that makes it. */
export async function queueUpstreamRefresh(
  ctx: EnvironmentContext,
  { connection: { uuid: connection }, integration }: ConnectionCreated,
): Promise<void> {
  if (!hasUpstream(integration)) return;
  const environmentId = ctx.environment.id;
  const payload = { environmentId, connection };
  const key = `agents.refresh-upstream ${connection}`;
  await enqueueTask(ctx, upstreamTasks.refresh, payload, { key, environmentId });
}

export const upstreamTaskHandlers: TaskHandlers<typeof upstreamTasks> = {
  refresh: async (system, { environmentId, connection: uuid }) => {
    const environment = await findEnvironment(system, environmentId);
    if (environment === undefined) return;
    const ctx = withEnvironment(system, environment);
    const connection = await findConnectionByUuid(ctx, uuid);
    if (connection === undefined) return;
    const integration = await findIntegrationById(ctx, connection.integrationId);
    const server = integration && findUpstream({ integration, connection });
    if (server !== undefined) await refreshTools(ctx, server);
  },
};
