import { addMs, DAY, MINUTE, type SystemContext } from "#foundation";
import { askEach, type Db, WorkerAway, withTransaction } from "#foundation/db";
import { type DueWork, tryHandOut } from "#tasks";
import { isInboxPrepared } from "../distributed/is-prepared.ts";
import { flushArrivals } from "./note-arrivals.ts";
import { awayMs, findQuietMs } from "./rhythm.ts";
import { recountSilences } from "./silences/store.ts";
import {
  type DueSilence,
  listBehind,
  listDueSilences,
  listWatchGaps,
  noteWatch,
  storeSilences,
} from "./store.ts";

const LOOK_EVERY_MS = MINUTE;
/** Later than that by as much, and the server was down, its database was away, or it was busy beyond measure. */
const GAP_MS = 5 * MINUTE;
const GAPS_KEPT_MS = 60 * DAY;
const AT_ONCE = 1000;
/** A connection that is frozen is no longer silent within five minutes; of many, so many are counted a second. */
const RECOUNT = { everyMs: 5 * MINUTE, perSecond: 100, atOnce: 20 };
/** While webhooks of the integration wait to be handled, nobody knows whose they are. */
const BEHIND_MS = 5 * MINUTE;

/** Finds connections whose webhooks have stopped; in one process at a time. */
export const silenceWatch: DueWork = {
  name: "inbox.silence",
  async claim(ctx) {
    await flushArrivals(ctx);
    const found = await findSilence(ctx);
    const now = ctx.clock.now();
    return { claimed: 0, nextDueAt: found === AT_ONCE ? now : addMs(now, LOOK_EVERY_MS) };
  },
};

/** Looks at so many connections that are due; resolves to how many there were. */
export async function findSilence(ctx: SystemContext): Promise<number> {
  return await withTransaction(ctx, async ({ db }) => {
    if (!(await tryHandOut({ db }, silenceWatch.name))) return 0;
    const now = ctx.clock.now();
    const keptSince = addMs(now, -GAPS_KEPT_MS);
    await noteWatch(db, now, { gapMs: GAP_MS, keptSince });
    await recountSilences(db, now, RECOUNT);
    const due = await listDueSilences(db, now, AT_ONCE);
    if (due.length === 0) return 0;
    const gaps = await listWatchGaps(db);
    const behind = await findBehind(ctx, db, due);
    const nowMs = now.getTime();
    const judged = due.map((silence) => {
      const isBehind = silence.integrationId !== null && behind.has(silence.integrationId);
      return { ...silence, ...judge({ ...silence, isBehind }, gaps, nowMs) };
    });
    await storeSilences(db, judged);
    return due.length;
  });
}

/**
 * Environment by environment, since their webhooks may lie on servers of their own, and apart from the transaction, which a
 * server that does not answer would undo: nothing is known of what lies there, as of webhooks that wait.
 */
async function findBehind(
  ctx: SystemContext,
  db: Db,
  due: readonly DueSilence[],
): Promise<ReadonlySet<number>> {
  const groups = [...Map.groupBy(due, (each) => each.environmentId)].map(([id, silences]) => {
    const ids = new Set(silences.flatMap(({ integrationId }) => integrationId ?? []));
    return [id, [...ids]] as const;
  });
  if (!(await isInboxPrepared(ctx))) {
    const behind: number[] = [];
    for (const [id, ids] of groups) behind.push(...(await listBehind(db, id, ids)));
    return new Set(behind);
  }
  const asked = await askEach(
    ctx,
    groups,
    async ({ db }, ids, environmentId) => await listBehind(db, environmentId, ids),
  );
  const known = asked.map(({ item, outcome }) => {
    if (outcome.status === "fulfilled") return outcome.value;
    if (outcome.reason instanceof WorkerAway) return item;
    throw outcome.reason;
  });
  return new Set(known.flat());
}

/** The time in which the server was down does not count: webhooks could not come. */
function judge(
  {
    rhythm,
    firstMs,
    lastMs,
    isLive,
    isBehind,
  }: DueSilence & {
    /** Whether webhooks of its integration wait to be handled for the first time. */
    readonly isBehind: boolean;
  },
  gaps: Parameters<typeof awayMs>[0],
  nowMs: number,
): { dueMs: number | null; silentSinceMs: number | null } {
  const quietMs = findQuietMs(rhythm, { firstMs, lastMs });
  if (!isLive || quietMs === undefined) return { dueMs: null, silentSinceMs: null };
  if (isBehind) return { dueMs: nowMs + BEHIND_MS, silentSinceMs: null };
  const silentMs = nowMs - lastMs - awayMs(gaps, lastMs, nowMs);
  if (silentMs < quietMs) return { dueMs: nowMs + quietMs - silentMs, silentSinceMs: null };
  return { dueMs: null, silentSinceMs: nowMs };
}
