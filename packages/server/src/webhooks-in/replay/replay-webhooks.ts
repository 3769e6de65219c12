import { AppError, addMs, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { findIntegration } from "#integrations";
import { insertDueNotes, notifyDue } from "#tasks";
import { isInboxPrepared } from "../distributed/is-prepared.ts";
import { noRequest, noWebhook } from "../inbox/get-webhook.ts";
import { INBOX } from "../inbox/inbox.ts";
import { findNamed } from "../inbox/list-inbox.ts";
import { findWebhook, type ListedWebhook } from "../listing/store.ts";
import { listReplayable, queueAgain } from "./store.ts";

const MOST_AT_ONCE = 1000;

/** Handles a received webhook again, now; throws not_found. */
export async function replayWebhook(ctx: EnvironmentContext, id: string): Promise<ListedWebhook> {
  const environmentId = ctx.environment.id;
  return await withTransaction(ctx, async (ctx) => {
    const known = await findWebhook(ctx.db, environmentId, id);
    if (known === undefined) throw noWebhook(id);
    if (!known.hasRequest) throw noRequest(id);
    await queue(ctx, [id], ctx.clock.now());
    const queued = await findWebhook(ctx.db, environmentId, id);
    if (queued === undefined) throw noWebhook(id);
    return queued;
  });
}

export interface InboxRange {
  readonly from: Date;
  readonly to: Date | undefined;
  /** False: those that were handled, too. */
  readonly onlyFailed: boolean;
  readonly integrationKey: string | undefined;
  /** Of that integration. */
  readonly connectionId?: string | undefined;
}

/** Handles those of a time again, the oldest first, at most 1,000; throws what an unknown name does. */
export async function replayWebhooks(
  ctx: EnvironmentContext,
  { integrationKey, connectionId, ...range }: InboxRange,
): Promise<{ replayed: number; nextFrom: Date | undefined }> {
  const now = ctx.clock.now();
  const integration =
    integrationKey === undefined ? undefined : await findIntegration(ctx, integrationKey);
  if (integrationKey !== undefined && integration === undefined) {
    throw new AppError("unknown_provider_config", `There is no integration ${integrationKey}.`);
  }
  const connection = await findNamed(ctx, { integrationKey, connectionId });
  return await withTransaction(ctx, async (ctx) => {
    const found = await listReplayable(ctx.db, ctx.environment.id, {
      ...range,
      to: range.to ?? addMs(now, 1),
      integrationId: integration?.id,
      connection,
      limit: MOST_AT_ONCE + 1,
    });
    // One instant is never cut: the next call begins with it.
    const next = found[MOST_AT_ONCE];
    const whole = next && found.filter(({ receivedAt }) => receivedAt < next.receivedAt);
    const chosen = whole === undefined || whole.length === 0 ? found : whole;
    const ids = chosen.map(({ id }) => id);
    await queue(ctx, ids, now);
    return { replayed: ids.length, nextFrom: next?.receivedAt };
  });
}

async function queue(ctx: EnvironmentContext, ids: readonly string[], now: Date): Promise<void> {
  const environmentId = ctx.environment.id;
  const integrations = await queueAgain(ctx.db, environmentId, { ids, now });
  if (await isInboxPrepared(ctx)) {
    const notes = integrations.map((queue) => ({ environmentId, queue, dueAt: now }));
    await insertDueNotes(ctx.db, INBOX, notes);
  }
  await notifyDue(ctx, INBOX);
}
