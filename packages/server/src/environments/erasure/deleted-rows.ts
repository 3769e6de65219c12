import {
  addMs,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { getEnvironmentSettings } from "../settings/get-environment-settings.ts";
import { listAllEnvironments } from "../store.ts";

/** Counts of operations and reports of revocations name what was deleted for so long. */
const KEPT_MS = 400 * DAY;
/** In one transaction, short enough to let others in between. */
const ROWS_AT_ONCE = 1000;

interface DeletedRows {
  readonly before: Date;
  readonly limit: number;
}

/**
 * Removes rows of what was deleted so long ago that no log, event of the audit log or webhook speaks of it any more: until
 * then an erasure of an end user finds these by the row. `removeSome` answers how many rows it has removed.
 */
export async function removeDeleted(
  ctx: SystemContext,
  removeSome: (ctx: EnvironmentContext, rows: DeletedRows) => Promise<number>,
): Promise<void> {
  const { logRetentionMs, auditRetentionMs } = ctx.settings;
  const now = ctx.clock.now();
  for (const environment of await listAllEnvironments(ctx.db)) {
    ctx.signal.throwIfAborted();
    const inside = withEnvironment(ctx, environment);
    const { retention } = await getEnvironmentSettings(inside);
    const webhooksMs = retention.webhooks_days * DAY;
    const keptMs = Math.max(KEPT_MS, logRetentionMs, auditRetentionMs, webhooksMs);
    const rows = { before: addMs(now, -keptMs), limit: ROWS_AT_ONCE };
    while ((await removeSome(inside, rows)) === ROWS_AT_ONCE) ctx.signal.throwIfAborted();
  }
}
