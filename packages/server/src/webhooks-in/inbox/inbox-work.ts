import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf, SECOND, type SystemContext } from "#foundation";
import { passedOverUntil, silence, withinAnswer } from "#foundation/db";
import type { DueClaim, DueWork } from "#tasks";
import { type FoundQueue, listWaiting, noteRest } from "../distributed/list-waiting.ts";
import { findNextDue } from "../distributed/store.ts";
import type { InboxQueue } from "../store.ts";
import { handleQueue } from "./handle-queue.ts";
import { INBOX } from "./inbox.ts";

const QUEUES_AT_ONCE = 8;
// No environment has all of them, however many integrations of its own have a queue.
const QUEUES_OF_ENVIRONMENT = 6;
// Of environments that did not answer when they were last asked: they leave the others most of the slots.
const QUEUES_SUSPECTED = 2;
// Before a queue that another process has locked is tried again.
const REST_MS = 250;
// Of a statement about a whole batch, where tables are distributed: longer than any takes on a busy server.
const HANDLED_WITHIN_MS = 10 * SECOND;

interface WaitingQueue extends FoundQueue {
  readonly isSuspected: boolean;
}

interface Running {
  readonly environmentId: string;
  readonly isSuspected: boolean;
  readonly done: Promise<void>;
}

/** Handles what has come in, each integration in its order and by one process at a time. */
export function createInboxWork(): DueWork {
  return new InboxWork();
}

/** Queues run in parallel: one that waits for its provider, or has a long queue, holds up no other. */
class InboxWork implements DueWork {
  readonly name = INBOX;
  readonly #running = new Map<number, Running>();
  /** By queue and by environment, when it was last served: the longest wait goes first. */
  readonly #takenAt = new Map<number | string, number>();
  #rounds = 0;

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    const room = QUEUES_AT_ONCE - this.#running.size;
    if (room === 0) return { claimed: 0, nextDueAt: undefined };
    const now = ctx.clock.now();
    const silent = silence.of(ctx);
    const waiting = (await listWaiting(ctx)).map((queue) => ({
      ...queue,
      nextDueAt: passedOverUntil(ctx, queue.environmentId) ?? queue.nextDueAt,
      isSuspected: silent.isSuspected(queue.environmentId),
    }));
    this.#forgetIdle(waiting);
    const free = waiting.filter(({ integrationId }) => !this.#running.has(integrationId));
    const due = free.filter(({ nextDueAt }) => nextDueAt <= now);
    const first = this.#choose(due, room);
    for (const queue of first) this.#start(ctx, queue, wake);
    const [next] = free.map(({ nextDueAt }) => nextDueAt).toSorted((a, b) => +a - +b);
    return { claimed: first.length, nextDueAt: first.length > 0 ? undefined : next };
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#running.values()].map(async ({ done }) => await done));
  }

  /** The environment that has waited longest gets the next slot, for its queue that has waited longest. */
  #choose(due: readonly WaitingQueue[], room: number): WaitingQueue[] {
    let suspected = [...this.#running.values()].filter(({ isSuspected }) => isSuspected).length;
    const slots = new Map<string, number>();
    for (const { environmentId } of this.#running.values()) {
      slots.set(environmentId, (slots.get(environmentId) ?? 0) + 1);
    }
    const queues = Map.groupBy(
      due.toSorted(
        (a, b) => this.#takenLastAt(a.integrationId) - this.#takenLastAt(b.integrationId),
      ),
      ({ environmentId }) => environmentId,
    );
    const chosen: WaitingQueue[] = [];
    const environments = [...queues.keys()].toSorted(
      (a, b) => this.#takenLastAt(a) - this.#takenLastAt(b),
    );
    // In each round one queue of each environment.
    for (let round = 0; chosen.length < room && round < QUEUES_OF_ENVIRONMENT; round += 1) {
      for (const id of environments) {
        const queue = queues.get(id)?.[round];
        const taken = slots.get(id) ?? 0;
        if (queue === undefined || taken >= QUEUES_OF_ENVIRONMENT || chosen.length === room)
          continue;
        if (queue.isSuspected && suspected >= QUEUES_SUSPECTED) continue;
        if (queue.isSuspected) suspected += 1;
        slots.set(id, taken + 1);
        chosen.push(queue);
      }
    }
    return chosen;
  }

  #start(ctx: SystemContext, queue: WaitingQueue, wake: () => void): void {
    const { integrationId, environmentId, isSuspected } = queue;
    this.#rounds += 1;
    this.#takenAt.set(integrationId, this.#rounds).set(environmentId, this.#rounds);
    const done = this.#handle(ctx, queue).finally(() => {
      this.#running.delete(integrationId);
      wake();
    });
    this.#running.set(integrationId, { environmentId, isSuspected, done });
  }

  async #handle(ctx: SystemContext, found: FoundQueue): Promise<void> {
    const { environmentId, integrationId, isPrepared = false } = found;
    const queue: InboxQueue = { environmentId, integrationId, isPrepared };
    let count = 0;
    try {
      count = isPrepared ? await handleWithin(ctx, found) : await handleQueue(ctx, queue);
    } catch (error) {
      ctx.log.error("inbox.queue_failed", { ...queue, reason: reasonOf(error) });
    }
    if (count > 0) return;
    await sleep(REST_MS, undefined, { signal: ctx.signal }).catch(() => undefined);
  }

  #takenLastAt(id: number | string): number {
    return this.#takenAt.get(id) ?? 0;
  }

  #forgetIdle(waiting: readonly InboxQueue[]): void {
    const ids = new Set<number | string>(
      waiting.flatMap(({ integrationId, environmentId }) => [integrationId, environmentId]),
    );
    for (const id of this.#takenAt.keys()) if (!ids.has(id)) this.#takenAt.delete(id);
  }
}

/** Handles a batch where tables are distributed. A server that does not answer is noticed before the batch begins. */
async function handleWithin(ctx: SystemContext, queue: FoundQueue): Promise<number> {
  const { environmentId } = queue;
  await withinAnswer(ctx, environmentId, async ({ db }) => await findNextDue(db, queue));
  const handle = async (ctx: SystemContext): Promise<number> => {
    const count = await handleQueue(ctx, queue);
    await noteRest(ctx, queue);
    return count;
  };
  return await withinAnswer(ctx, environmentId, handle, { withinMs: HANDLED_WITHIN_MS });
}
