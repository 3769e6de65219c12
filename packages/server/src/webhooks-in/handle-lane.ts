import { getEnvironment } from "#environments";
import { getIntegrationById } from "#integrations";
import {
  AppError,
  type EnvironmentContext,
  type InstallationContext,
  reasonOf,
  withEnvironment,
} from "#platform";
import { withTransaction } from "#platform/db";
import { completeInstallation } from "./complete-installation.ts";
import { type Handled, handleWebhook, Shared } from "./handle-webhook.ts";
import { type InboundWebhook, nextAttemptAfter } from "./inbox.ts";
import { logWebhook } from "./log-webhook.ts";
import {
  claimCompleting,
  type DueQuery,
  giveBackCompleting,
  type Lane,
  listDue,
  storeCompleted,
  storeFailure,
  storeOutcomes,
  takeLane,
  type WebhookOutcome,
} from "./store.ts";

const WEBHOOKS_PER_LANE = 100;
// Each is opened, read and sealed anew; a whole lane of the largest would not fit.
const BYTES_PER_LANE = 8 * 1024 * 1024;
// So many deliveries and runs are enough for one transaction.
const CONNECTIONS_PER_BATCH = 2000;
const COMPLETION_RETRIES = 4;

/** Handles the first of a lane; resolves to how many webhooks have got further. */
export async function handleLane(installation: InstallationContext, lane: Lane): Promise<number> {
  const environment = await getEnvironment(installation, lane.environmentId);
  const ctx = withEnvironment(installation, environment, { kind: "system" });
  try {
    return await handleBatch(ctx, lane, WEBHOOKS_PER_LANE);
  } catch (error) {
    ctx.log.warn("inbox.batch_failed", { ...lane, reason: reasonOf(error) });
    // One by one, so that what cannot be handled holds up nothing else.
    return await handleOneByOne(ctx, lane);
  }
}

async function handleOneByOne(ctx: EnvironmentContext, lane: Lane): Promise<number> {
  let count = 0;
  for (; count < WEBHOOKS_PER_LANE; count += 1) {
    if (!(await handleNext(ctx, lane))) break;
  }
  return count;
}

/** False when nothing is due; a webhook that fails waits for its next attempt. */
async function handleNext(ctx: EnvironmentContext, lane: Lane): Promise<boolean> {
  const [next] = await listDue(ctx.db, lane, dueNow(ctx, 1));
  if (next === undefined) return false;
  try {
    return (await handleBatch(ctx, lane, 1)) === 1;
  } catch (error) {
    await noteFailure(ctx, lane, next, error);
    return true;
  }
}

async function noteFailure(
  ctx: EnvironmentContext,
  lane: Lane,
  webhook: InboundWebhook,
  error: unknown,
): Promise<void> {
  const attempts = webhook.attempts + 1;
  const nextAttemptAt = nextAttemptAfter(attempts, ctx.clock.now());
  const reason = error instanceof AppError ? error.message : "Something failed on our side.";
  ctx.log.error("inbox.failed", { webhook: webhook.id, attempts, reason: reasonOf(error) });
  await storeFailure(ctx.db, lane, { id: webhook.id, error: reason, nextAttemptAt });
}

/** Handles the first of a lane in one transaction; none of it has happened when it throws. */
async function handleBatch(ctx: EnvironmentContext, lane: Lane, limit: number): Promise<number> {
  await completeFirst(ctx, lane, limit);
  const handled = await withTransaction(ctx, async (ctx) => {
    if (!(await takeLane(ctx.db, lane))) return undefined;
    const webhooks = await listDue(ctx.db, lane, dueNow(ctx, limit));
    if (webhooks.length === 0) return undefined;
    const integration = await findIntegration(ctx, lane);
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
      connections += result.connections.length;
      results.push(result);
      outcomes.push({ id: webhook.id, state, operationId, error: null });
    }
    await storeOutcomes(ctx.db, lane, outcomes, ctx.clock.now());
    await ctx.failpoints.hit("inbox.handled");
    return { results, count: outcomes.length };
  });
  for (const result of handled?.results ?? []) logWebhook(ctx, result);
  return handled?.count ?? 0;
}

function dueNow({ clock }: EnvironmentContext, limit: number): DueQuery {
  return { now: clock.now(), limit, maxBytes: BYTES_PER_LANE };
}

function withoutIntegration({ id }: InboundWebhook): WebhookOutcome {
  return { id, state: "handled", operationId: null, error: "The integration was deleted." };
}

async function findIntegration(ctx: EnvironmentContext, { integrationId }: Lane) {
  try {
    return await getIntegrationById(ctx, integrationId);
  } catch (error) {
    if (error instanceof AppError && error.code === "unknown_provider_config") return undefined;
    throw error;
  }
}

/**
 * Installations are completed by calls to the provider, which no transaction waits for; one at a time, whichever
 * process has it, since a provider takes a code once and what it says to the second would be told as a failure.
 */
async function completeFirst(ctx: EnvironmentContext, lane: Lane, limit: number): Promise<void> {
  for (let count = 0; count < limit; count += 1) {
    const webhook = await claimCompleting(ctx.db, lane, ctx.clock.now());
    if (webhook === undefined) return;
    const integration = await findIntegration(ctx, lane);
    const isLast = webhook.attempts >= COMPLETION_RETRIES;
    try {
      if (integration !== undefined) {
        await completeInstallation(ctx, { integration, webhook, isLast });
      }
      await storeCompleted(ctx.db, lane, webhook.id);
    } catch (error) {
      if (ctx.signal.aborted) return await giveBackCompleting(ctx.db, lane, webhook.id);
      // It alone waits for its next attempt; what came in beside it goes on.
      await noteFailure(ctx, lane, webhook, error);
    }
  }
}
