import { randomUUID } from "node:crypto";
import { type ConnectionCreated, findConnectionByUuid } from "#connections";
import { findEnvironment } from "#environments";
import { type EnvironmentContext, type SystemContext, withEnvironment } from "#foundation";
import { findIntegrationById } from "#integrations";
import { completeKeyed, enqueueKeyed, type PayloadOf, type TaskHandlers } from "#tasks";
import { listOnEvents, runOnEvent } from "./run-on-event.ts";
import { onEventTasks } from "./tasks.ts";

/** Queues the functions that follow a new connection, in the transaction that makes it. */
export async function queuePostCreation(
  ctx: EnvironmentContext,
  { connection, integration, operation }: ConnectionCreated,
): Promise<void> {
  if (operation !== "creation") return;
  const functions = await listOnEvents(ctx, integration, "post-connection-creation");
  const environmentId = ctx.environment.id;
  for (const { id: functionId } of functions) {
    const id = randomUUID();
    const queuedAt = ctx.clock.now().getTime();
    const payload = { environmentId, connection: connection.uuid, functionId, turn: id, queuedAt };
    const work = { id, environmentId, queueKey: id, payload };
    await enqueueKeyed(ctx, onEventTasks.postCreation, work);
  }
}

export const onEventTaskHandlers: TaskHandlers<typeof onEventTasks> = {
  postCreation: async (ctx, payload, { isLast }) => {
    const { turn: id } = payload;
    const leave = async () => id !== undefined && (await completeKeyed(ctx, id));
    try {
      await runPostCreation(ctx, payload);
    } catch (error) {
      if (isLast) await leave();
      throw error;
    }
    await leave();
  },
};

/** Does nothing when the environment, the connection or its integration was deleted meanwhile. */
async function runPostCreation(
  system: SystemContext,
  {
    environmentId,
    connection: uuid,
    functionId,
    queuedAt,
  }: PayloadOf<typeof onEventTasks.postCreation>,
): Promise<void> {
  const environment = await findEnvironment(system, environmentId);
  if (environment === undefined) return;
  const ctx = withEnvironment(system, environment);
  const connection = await findConnectionByUuid(ctx, uuid);
  if (connection === undefined) return;
  const integration = await findIntegrationById(ctx, connection.integrationId);
  if (integration === undefined) return;
  const functions = await listOnEvents(ctx, integration, "post-connection-creation");
  const fn = functions.find(({ id }) => id === functionId);
  // Its operation records how it ended; nobody waits for it.
  if (fn === undefined) return;
  const now = ctx.clock.now().getTime();
  const queueMs = Math.max(0, now - (queuedAt ?? now));
  await runOnEvent(ctx, fn, { integration, connection }, { queueMs });
}
