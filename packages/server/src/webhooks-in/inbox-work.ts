import { setTimeout as sleep } from "node:timers/promises";
import { type InstallationContext, messageOf } from "#platform";
import type { DueClaim, DueWork } from "#tasks";
import { handleLane } from "./handle-lane.ts";
import { INBOX } from "./inbox.ts";
import { type Lane, listLanes } from "./store.ts";

const LANES_AT_ONCE = 8;
// Before a lane that another process has is looked at again.
const REST_MS = 250;

/** Handles what has come in, each integration in its order and by one process at a time. */
export function createInboxWork(): DueWork {
  return new InboxWork();
}

/** Lanes run beside each other: one that waits for its provider, or has a long queue, holds up no other. */
class InboxWork implements DueWork {
  readonly name = INBOX;
  readonly #running = new Map<number, Promise<void>>();
  /** By lane, when it was taken up last: those that have waited longest for their turn go first. */
  readonly #turns = new Map<number, number>();
  #turn = 0;

  async claim(ctx: InstallationContext, wake: () => void): Promise<DueClaim> {
    const room = LANES_AT_ONCE - this.#running.size;
    if (room === 0) return { claimed: 0, nextDueAt: undefined };
    const now = ctx.clock.now();
    const waiting = await listLanes(ctx.db);
    this.#forgetTurns(waiting);
    const free = waiting.filter(({ integrationId }) => !this.#running.has(integrationId));
    const due = free.filter(({ nextDueAt }) => nextDueAt <= now);
    const first = due.toSorted((a, b) => this.#turnOf(a) - this.#turnOf(b)).slice(0, room);
    for (const lane of first) this.#start(ctx, lane, wake);
    const [next] = free.map(({ nextDueAt }) => nextDueAt).toSorted((a, b) => +a - +b);
    return { claimed: first.length, nextDueAt: first.length > 0 ? undefined : next };
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #start(ctx: InstallationContext, lane: Lane, wake: () => void): void {
    const { integrationId } = lane;
    this.#turn += 1;
    this.#turns.set(integrationId, this.#turn);
    const running = this.#handle(ctx, lane).finally(() => {
      this.#running.delete(integrationId);
      wake();
    });
    this.#running.set(integrationId, running);
  }

  async #handle(ctx: InstallationContext, lane: Lane): Promise<void> {
    let count = 0;
    try {
      count = await handleLane(ctx, lane);
    } catch (error) {
      ctx.log.error("inbox.lane_failed", { ...lane, reason: messageOf(error) });
    }
    if (count > 0) return;
    await sleep(REST_MS, undefined, { signal: ctx.signal }).catch(() => undefined);
  }

  #turnOf({ integrationId }: Lane): number {
    return this.#turns.get(integrationId) ?? 0;
  }

  #forgetTurns(waiting: readonly Lane[]): void {
    const ids = new Set(waiting.map(({ integrationId }) => integrationId));
    for (const id of this.#turns.keys()) if (!ids.has(id)) this.#turns.delete(id);
  }
}
