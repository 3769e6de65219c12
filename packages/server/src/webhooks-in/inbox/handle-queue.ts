import { getEnvironment } from "#environments";
import {
  AppError,
  type EnvironmentContext,
  reasonOf,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { findDatabaseAway, withTransaction } from "#foundation/db";
import { findIntegrationById } from "#integrations";
import { recordOperation } from "#logs";
import { noteConnections, type PassedOn } from "../connections/store.ts";
import { completeInstallation } from "../receive/complete-installation.ts";
import {
  claimCompleting,
  type DueQuery,
  giveBackCompleting,
  type InboxQueue,
  listDue,
  lockQueue,
  storeCompleted,
  storeFailure,
  storeOutcomes,
  type WebhookOutcome,
} from "../store.ts";
import { type Handled, handleWebhook } from "./handle-webhook.ts";
import { Shared } from "./handling.ts";
import { type InboundWebhook, nextAttemptAfter } from "./inbox.ts";

const WEBHOOKS_PER_BATCH = 100;
// Each is decrypted, read and sealed again; a full batch of the largest would not fit in memory.
const BYTES_PER_BATCH = 8 * 1024 * 1024;
// This many deliveries and runs are enough for one transaction.
const CONNECTIONS_PER_BATCH = 2000;
const COMPLETION_RETRIES = 4;

/** Handles the first batch of a queue; resolves to how many webhooks made progress. */
export async function handleQueue(system: SystemContext, queue: InboxQueue): Promise<number> {
  const environment = await getEnvironment(system, queue.environmentId);
  const ctx = withEnvironment(system, environment, { kind: "system" });
  try {
    return await handleBatch(ctx, queue, WEBHOOKS_PER_BATCH);
  } catch (error) {
    requireDatabase(error);
    ctx.log.warn("inbox.batch_failed", { ...queue, reason: reasonOf(error) });
    // One by one, so that what cannot be handled holds up nothing else.
    return await handleOneByOne(ctx, queue);
  }
}

async function handleOneByOne(ctx: EnvironmentContext, queue: InboxQueue): Promise<number> {
  let count = 0;
  for (; count < WEBHOOKS_PER_BATCH; count += 1) {
    if (!(await handleNext(ctx, queue))) break;
  }
  return count;
}

/** False when nothing is due; a webhook that fails waits for its next attempt. */
async function handleNext(ctx: EnvironmentContext, queue: InboxQueue): Promise<boolean> {
  const [next] = await listDue(ctx.db, queue, dueNow(ctx, 1));
  if (next === undefined) return false;
  try {
    return (await handleBatch(ctx, queue, 1)) === 1;
  } catch (error) {
    requireDatabase(error);
    await noteFailure(ctx, queue, next, error);
    return true;
  }
}

/** Throws the error where a server of the database is away: that is no failed attempt of a webhook. */
function requireDatabase(error: unknown): void {
  if (findDatabaseAway(error) !== undefined) throw error;
}

async function noteFailure(
  ctx: EnvironmentContext,
  queue: InboxQueue,
  webhook: InboundWebhook,
  error: unknown,
): Promise<void> {
  const attempts = webhook.attempts + 1;
  const nextAttemptAt = nextAttemptAfter(attempts, ctx.clock.now());
  const reason = error instanceof AppError ? error.message : "Something failed on our side.";
  ctx.log.error("inbox.failed", { webhook: webhook.id, attempts, reason: reasonOf(error) });
  await storeFailure(ctx.db, queue, { id: webhook.id, error: reason, nextAttemptAt });
}

/** Handles the first of a queue in one transaction; nothing has happened when it throws. */
async function handleBatch(
  ctx: EnvironmentContext,
  queue: InboxQueue,
  limit: number,
): Promise<number> {
  await completeFirst(ctx, queue, limit);
  const handled = await withTransaction(ctx, async (ctx) => {
    if (!(await lockQueue(ctx.db, queue))) return undefined;
    const webhooks = await listDue(ctx.db, queue, dueNow(ctx, limit));
    if (webhooks.length === 0) return undefined;
    const integration = await findIntegrationById(ctx, queue.integrationId);
    const shared = new Shared();
    const results: Handled[] = [];
    const outcomes: WebhookOutcome[] = [];
    let connections = 0;
    for (const webhook of webhooks) {
      if (connections >= CONNECTIONS_PER_BATCH) break;
      // One that came in since waits for the next batch, which begins with its installation.
      if (webhook.completes && integration !== undefined) break;
      if (integration === undefined) {
        outcomes.push(withoutIntegration(webhook));
        continue;
      }
      const result = await handleWebhook(ctx, { integration, webhook, shared });
      const { state, operationId } = result;
      connections += result.connections;
      results.push(result);
      outcomes.push({ id: webhook.id, state, operationId, error: null });
    }
    await storeOutcomes(ctx.db, queue, outcomes, ctx.clock.now());
    await noteConnections(ctx.db, queue.environmentId, results.map(toPassedOn));
    await ctx.failpoints.hit("inbox.handled");
    return { results, count: outcomes.length };
  });
  for (const result of handled?.results ?? []) {
    logWebhook(ctx, result);
    result.arrived.note(ctx);
  }
  return handled?.count ?? 0;
}

function toPassedOn({ webhook, named }: Handled): PassedOn {
  const { id, receivedAt } = webhook;
  return { id, receivedAt, connections: named.map(({ uuid }) => uuid) };
}

function dueNow({ clock }: EnvironmentContext, limit: number): DueQuery {
  return { now: clock.now(), limit, maxBytes: BYTES_PER_BATCH };
}

function withoutIntegration({ id }: InboundWebhook): WebhookOutcome {
  return { id, state: "handled", operationId: null, error: "The integration was deleted." };
}

/**
 * Installations are completed by calls to the provider, which no transaction waits for. They run one at a time
 * across all processes: a provider takes a code once, and would refuse it the second time, which reads as a failure.
 */
async function completeFirst(
  ctx: EnvironmentContext,
  queue: InboxQueue,
  limit: number,
): Promise<void> {
  for (let count = 0; count < limit; count += 1) {
    const webhook = await claimCompleting(ctx.db, queue, ctx.clock.now());
    if (webhook === undefined) return;
    const integration = await findIntegrationById(ctx, queue.integrationId);
    const isLast = webhook.attempts >= COMPLETION_RETRIES;
    try {
      if (integration !== undefined) {
        await completeInstallation(ctx, { integration, webhook, isLast });
      }
      await storeCompleted(ctx.db, queue, webhook.id);
    } catch (error) {
      if (ctx.signal.aborted) return await giveBackCompleting(ctx.db, queue, webhook.id);
      // It alone waits for its next attempt; what came in next to it continues.
      await noteFailure(ctx, queue, webhook, error);
    }
  }
}

/** The webhook as an operation; attempts to forward it are its messages. */
function logWebhook(ctx: EnvironmentContext, handled: Handled): void {
  const { integration, webhook, connections, only, duplicates, runs, operationId, state } = handled;
  const { id, uniqueKey: name, provider } = integration;
  const types = webhook.types.join(", ");
  recordOperation(ctx, {
    id: operationId,
    type: "webhook",
    action: "incoming",
    message: `Webhook of ${name}${types === "" ? "" : `: ${types}`}`,
    integration: { id, name, provider },
    ...(only !== undefined ? { connection: { id: only.id, name: only.connectionId } } : {}),
    state: "success",
    startedAt: webhook.receivedAt,
    meta: {
      webhook: webhook.id,
      outcome: state,
      verified: webhook.isVerified,
      connections,
      runs,
      ...(duplicates > 0 && { duplicates }),
    },
  });
}
