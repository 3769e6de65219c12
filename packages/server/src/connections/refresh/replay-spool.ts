import { findEnvironment } from "#environments";
import {
  DAY,
  type EnvironmentContext,
  reasonOf,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { recordOperation } from "#logs";
import type { Connection } from "../connection.ts";
import { commitEntry } from "./attempt-renewal.ts";
import { refreshOperation } from "./refresh-outcome.ts";
import {
  listEntries,
  readEntry,
  removeEntry,
  type SpoolEntry,
  type SpoolKey,
  sweepSpool,
} from "./spool.ts";
import { type Attempt, findRefresh } from "./store.ts";

/**
 * Stores the answer to an earlier attempt with the same credentials, whose process died before it
 * could; undefined when there is none. Then nothing has to be asked for again.
 */
export async function recoverAnswer(
  ctx: EnvironmentContext,
  attempt: Attempt,
): Promise<Connection | undefined> {
  const key = { ...attempt, environmentId: ctx.environment.id };
  try {
    const entry = await readEntry(ctx, key);
    if (entry === undefined) return undefined;
    // Under the lease of this attempt, which is therefore the one that may write.
    return await settleEntry(ctx, { ...entry, fence: attempt.fence });
  } catch (error) {
    const reason = reasonOf(error);
    ctx.log.error("connection.spool_unreadable", { connection: attempt.uuid, reason });
    return undefined;
  }
}

/** Stores what earlier processes left in the spool; answers how many entries are still there. */
export async function replaySpool(
  ctx: SystemContext,
  options: { readonly minAgeMs: number },
): Promise<number> {
  let left = 0;
  for (const key of await listEntries(ctx, options)) {
    const isSettled = await replayOne(ctx, key).catch((error: unknown) => {
      const reason = reasonOf(error);
      ctx.log.error("connection.replay_failed", { connection: key.uuid, reason });
      return false;
    });
    if (!isSettled) left += 1;
  }
  return left;
}

async function replayOne(ctx: SystemContext, key: SpoolKey): Promise<boolean> {
  const environment = await findEnvironment(ctx, key.environmentId);
  if (environment === undefined) {
    await removeEntry(ctx, key);
    return true;
  }
  const entry = await readEntry(ctx, key);
  if (entry === undefined) return true;
  const inside = withEnvironment(ctx, environment);
  if ((await settleEntry(inside, entry)) !== undefined) return true;
  return (await readEntry(ctx, key)) === undefined;
}

/** Stores the entry if it still applies, and removes it unless that may yet come. */
async function settleEntry(
  ctx: EnvironmentContext,
  entry: SpoolEntry,
): Promise<Connection | undefined> {
  const stored = await commitEntry(ctx, entry);
  if (stored === undefined) {
    const current = await findRefresh(ctx.db, ctx.environment.id, entry.uuid);
    const mayComeYet = current?.connection.credentialVersion === entry.version;
    if (!mayComeYet) await removeEntry(ctx, entry);
    return undefined;
  }
  await removeEntry(ctx, entry);
  ctx.log.info("connection.answer_replayed", { connection: entry.uuid });
  recordOperation(ctx, {
    ...refreshOperation,
    id: entry.operationId,
    state: "success",
    startedAt: entry.issuedAt,
    connection: { id: stored.id, name: stored.connectionId },
  });
  return stored;
}

const LEFTOVERS_KEPT_MS = 30 * DAY;

/** Deletes what could not be replayed for a month. */
export async function sweepRefreshSpool(ctx: SystemContext): Promise<void> {
  const deleted = await sweepSpool(ctx, { minAgeMs: LEFTOVERS_KEPT_MS });
  if (deleted > 0) ctx.log.warn("connection.spool_swept", { deleted });
}

const REPLAY_EVERY_MS = 5 * SECOND;

/** Replays what others that died next to this process have left, now and again until disposed. */
export async function startSpoolReplay(ctx: SystemContext): Promise<AsyncDisposable> {
  await replaySpool(ctx, { minAgeMs: 0 });
  let running: Promise<unknown> = Promise.resolve();
  const replay = () => replaySpool(ctx, { minAgeMs: REPLAY_EVERY_MS }).catch(() => undefined);
  const timer = setInterval(() => {
    running = running.then(replay);
  }, REPLAY_EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}
