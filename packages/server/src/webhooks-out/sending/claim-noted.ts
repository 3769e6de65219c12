import { addMs, DAY, type EnvironmentId, SECOND, type SystemContext } from "#foundation";
import {
  askEach,
  type Db,
  passedOverUntil,
  WorkerAway,
  WorkerSilent,
  withTransaction,
} from "#foundation/db";
import { type DueClaim, listNotedQueues, type NotedQueue, replaceDueNotes } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import { findOpenRangeOf } from "../store.ts";
import { type ClaimedDelivery, type ClaimQuery, claimDeliveries, findNextDue } from "./store.ts";

const AWAY_MS = SECOND;
const NOTES_LEFT = 10;
/** What a process has queued whose clock is ahead: its note goes with the others, and comes back. */
const AHEAD_MS = 365 * DAY;

export interface NotedClaim extends Pick<DueClaim, "nextDueAt"> {
  readonly claimed: readonly ClaimedDelivery[];
}

type NotedQuery = Omit<ClaimQuery, "environmentId" | "open">;

/**
 * Leases what is due where deliveries are distributed: of each environment by itself, as the notes say, those first that
 * have the least under way. What is leased of one is started before others are asked. An environment of which nothing could
 * be leased is noted for when it is due next. Those whose server did not answer are passed over for a while.
 */
export async function claimNoted(
  ctx: SystemContext,
  query: NotedQuery,
  start: (claimed: ClaimedDelivery) => void,
): Promise<DueClaim> {
  const { now, shares } = query;
  const noted = (await listNotedQueues(ctx.db, DELIVERIES)).map((queue) => ({
    ...queue,
    dueAt: passedOverUntil(ctx, queue.environmentId) ?? queue.dueAt,
  }));
  const due = noted.filter(({ dueAt }) => dueAt <= now);
  const heldBy = (id: EnvironmentId) => shares.held[id]?.count ?? 0;
  const inOrder = due.toSorted((a, b) => heldBy(a.environmentId) - heldBy(b.environmentId));
  const later = noted.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt);
  const room = new Room(query, due.length);
  const queues = inOrder.map((queue) => [queue.environmentId, queue] as const);
  const asked = await askEach(ctx, queues, async (ctx, queue) => {
    const own = room.take();
    if (own.limit === 0 || own.maxBytes <= 0) return now;
    const taken = await claimOf(ctx, queue, { ...query, ...own });
    room.give(own, taken.claimed);
    for (const delivery of taken.claimed) start(delivery);
    return taken.nextDueAt;
  });
  for (const { environmentId, outcome } of asked) {
    const nextDueAt =
      outcome.status === "fulfilled"
        ? outcome.value
        : retryAfter(ctx, environmentId, { error: outcome.reason, hasClaimed: room.claimed > 0 });
    if (nextDueAt !== undefined) later.push(nextDueAt);
  }
  const next = Math.min(...later.map((time) => time.getTime()));
  const nextDueAt = Number.isFinite(next) && room.claimed === 0 ? new Date(next) : undefined;
  return { claimed: room.claimed, nextDueAt };
}

/** The server of this environment's deliveries: others do not wait for it. What was leased is sent in any case. */
function retryAfter(
  ctx: SystemContext,
  environmentId: EnvironmentId,
  { error, hasClaimed }: { error: unknown; hasClaimed: boolean },
): Date {
  const now = ctx.clock.now();
  const until = passedOverUntil(ctx, environmentId);
  if (error instanceof WorkerSilent && until !== undefined) {
    ctx.log.warn("webhooks.claim_timed_out", { environment: environmentId });
    return until;
  }
  if (!(error instanceof WorkerAway) && !hasClaimed) throw error;
  return addMs(now, AWAY_MS);
}

/** What may be leased, shared between environments that are asked at the same time. */
class Room {
  #limit: number;
  #bytes: number;
  #waiting: number;
  claimed = 0;

  constructor({ limit, maxBytes }: Pick<NotedQuery, "limit" | "maxBytes">, waiting: number) {
    this.#limit = limit;
    this.#bytes = maxBytes;
    this.#waiting = waiting;
  }

  /** Each may have its part of what the others before it have left. */
  take(): Pick<NotedQuery, "limit" | "maxBytes"> {
    const limit = Math.ceil(this.#limit / this.#waiting);
    const maxBytes = Math.ceil(this.#bytes / this.#waiting);
    this.#waiting -= 1;
    this.#limit -= limit;
    this.#bytes -= maxBytes;
    return { limit, maxBytes };
  }

  give(own: Pick<NotedQuery, "limit" | "maxBytes">, claimed: readonly ClaimedDelivery[]): void {
    this.claimed += claimed.length;
    this.#limit += own.limit - claimed.length;
    this.#bytes += own.maxBytes - claimed.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

async function claimOf(
  ctx: SystemContext,
  queue: NotedQueue,
  query: NotedQuery,
): Promise<NotedClaim> {
  return await withTransaction(ctx, async ({ db }) => await claimInTime(db, queue, query));
}

async function claimInTime(db: Db, queue: NotedQueue, query: NotedQuery): Promise<NotedClaim> {
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
