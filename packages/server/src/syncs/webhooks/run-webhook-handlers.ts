import { randomUUID } from "node:crypto";
import { listFunctions } from "#functions";
import { type ConnectionUuid, type EnvironmentContext, newTimeId, type RunId } from "#platform";
import { withTransaction } from "#platform/db";
import { enqueueKeyed } from "#tasks";
import { listSyncs } from "../store.ts";
import { syncTasks } from "../tasks.ts";
import { sealPayload } from "./payload.ts";
import { insertInput, insertWebhookRun } from "./store.ts";

export interface WebhookForSyncs {
  readonly integration: { readonly id: number };
  /** Those that the webhook is about. */
  readonly connections: readonly ConnectionUuid[];
  /** A sync that subscribes to one of them, or to `*`, takes the webhook once. */
  readonly types: readonly string[];
  /** What `onWebhook` is given, as JSON text. */
  readonly payload: Uint8Array;
}

/**
 * Queues `onWebhook` of each enabled sync that subscribes to the webhook and has been set up for the connection, in
 * the caller's transaction; answers how many runs follow. They run first in first out per connection and sync.
 */
export async function runWebhookHandlers(
  ctx: EnvironmentContext,
  { integration, connections, types, payload }: WebhookForSyncs,
): Promise<number> {
  if (connections.length === 0) return 0;
  const deployed = await listFunctions(ctx, { integration, type: "sync" });
  const takers = deployed.filter(
    ({ enabled, definition: { webhookSubscriptions: wanted } }) =>
      enabled && wanted.some((type) => type === "*" || types.includes(type)),
  );
  if (takers.length === 0) return 0;
  const functionIds = takers.map(({ id }) => id);
  const syncs = await listSyncs(ctx.db, ctx.environment.id, { functionIds, connections });
  // In one order everywhere, so that two webhooks never wait for each other's queue keys.
  const bases = syncs
    .filter(({ variant }) => variant === "base")
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (bases.length === 0) return 0;
  const environmentId = ctx.environment.id;
  const inputId = randomUUID();
  await withTransaction(ctx, async (ctx) => {
    const input = await sealPayload(ctx, inputId, payload);
    await insertInput(ctx.db, environmentId, { id: inputId, input });
    for (const { id: queueKey, functionId, connectionUuid } of bases) {
      const now = ctx.clock.now();
      const runId = newTimeId<RunId>(now);
      const run = { id: runId, functionId, connectionUuid, inputId, createdAt: now };
      await insertWebhookRun(ctx.db, environmentId, run);
      const work = { id: runId, environmentId, queueKey, payload: { environmentId, runId } };
      await enqueueKeyed(ctx, syncTasks.webhook, work);
    }
  });
  return bases.length;
}
