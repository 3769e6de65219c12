import { addMs, DAY, type EnvironmentId, SECOND, type SystemContext } from "#platform";
import { type Db, isStatementTimeout, WorkerAway, withTransaction } from "#platform/db";
import { type DueClaim, listNotedQueues, type NotedQueue, replaceDueNotes } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import { boundStatements } from "../distributed/store.ts";
import { findOpenRangeOf } from "../store.ts";
import { type ClaimedDelivery, type ClaimQuery, claimDeliveries, findNextDue } from "./store.ts";

const AWAY_MS = SECOND;
/** Of each statement of a claim: a server that does not answer holds up no other environment for longer. */
const ANSWERED_WITHIN_MS = SECOND;
/** Before an environment whose server did not answer is claimed again. */
const SILENT_MS = 15 * SECOND;
const NOTES_LEFT = 10;
/** What a process has queued whose clock is ahead: its note goes with the others, and comes back. */
const AHEAD_MS = 365 * DAY;

export interface NotedClaim extends Pick<DueClaim, "nextDueAt"> {
  readonly claimed: readonly ClaimedDelivery[];
}

/**
 * Leases what is due where deliveries are distributed: of one environment after the other, as the notes say, those first
 * that have the least under way. An environment of which nothing could be leased is noted for when it is due next.
 * `silent` keeps until when those whose server did not answer are passed over.
 */
export async function claimNoted(
  ctx: SystemContext,
  query: Omit<ClaimQuery, "environmentId" | "open">,
  silent: Map<EnvironmentId, Date>,
): Promise<NotedClaim> {
  const { now, limit, maxBytes, shares } = query;
  for (const [id, until] of silent) if (until <= now) silent.delete(id);
  const noted = (await listNotedQueues(ctx.db, DELIVERIES)).map((queue) => ({
    ...queue,
    dueAt: silent.get(queue.environmentId) ?? queue.dueAt,
  }));
  const due = noted.filter(({ dueAt }) => dueAt <= now);
  const heldBy = (id: EnvironmentId) => shares.held[id]?.count ?? 0;
  const inTurn = due.toSorted((a, b) => heldBy(a.environmentId) - heldBy(b.environmentId));
  const claimed: ClaimedDelivery[] = [];
  const later = noted.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt);
  let bytes = 0;
  for (const [n, queue] of inTurn.entries()) {
    const [room, byteRoom] = [limit - claimed.length, maxBytes - bytes];
    if (room === 0 || byteRoom <= 0) break;
    const own = { limit: Math.ceil(room / (inTurn.length - n)), maxBytes: byteRoom };
    const taken = await claimOf(ctx, queue, { ...query, ...own }).catch((error: unknown) => {
      if (isStatementTimeout(error)) {
        const { environmentId } = queue;
        const until = addMs(now, SILENT_MS);
        silent.set(environmentId, until);
        ctx.log.warn("webhooks.claim_timed_out", { environment: environmentId });
        return { claimed: [], nextDueAt: until };
      }
      // The server of this environment's deliveries: others do not wait for it. What was leased is sent in any case.
      if (!(error instanceof WorkerAway) && claimed.length === 0) throw error;
      return { claimed: [], nextDueAt: addMs(now, AWAY_MS) };
    });
    claimed.push(...taken.claimed);
    bytes += taken.claimed.reduce((sum, each) => sum + each.bytes, 0);
    if (taken.nextDueAt !== undefined) later.push(taken.nextDueAt);
  }
  const next = Math.min(...later.map((time) => time.getTime()));
  return { claimed, nextDueAt: Number.isFinite(next) ? new Date(next) : undefined };
}

async function claimOf(
  ctx: SystemContext,
  queue: NotedQueue,
  query: Omit<ClaimQuery, "environmentId" | "open">,
): Promise<NotedClaim> {
  return await withTransaction(ctx, async ({ db }) => {
    await boundStatements(db, ANSWERED_WITHIN_MS);
    return await claimInTime(db, queue, query);
  });
}

async function claimInTime(
  db: Db,
  queue: NotedQueue,
  query: Omit<ClaimQuery, "environmentId" | "open">,
): Promise<NotedClaim> {
  const { environmentId } = queue;
  const { now, rooms, shares } = query;
  const open = await findOpenRangeOf(db, environmentId, now);
  const claimed = await claimDeliveries(db, { ...query, environmentId, open });
  if (claimed.length > 0) {
    // While there is always something to send, its notes do not pile up.
    if (queue.notes.length > NOTES_LEFT)
      await replaceDueNotes(db, DELIVERIES, { ...queue, dueAt: now });
    return { claimed, nextDueAt: undefined };
  }
  const asked = { environmentId, now, open };
  const nextDueAt = await findNextDue(db, { ...asked, rooms, shares });
  // Also what waits only for room in this process: it is looked for again when something has been sent.
  const ahead = { ...open, until: addMs(open.until, AHEAD_MS) };
  const dueAt = await findNextDue(db, { ...asked, ...WITHOUT_BOUNDS, open: ahead });
  await replaceDueNotes(db, DELIVERIES, { ...queue, dueAt });
  return { claimed, nextDueAt };
}

const WITHOUT_BOUNDS = {
  rooms: { standard: 1, byReceiver: {} },
  shares: { held: {}, ceiling: { count: 1, bytes: 1 } },
};
