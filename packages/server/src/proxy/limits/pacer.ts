import type { Budget } from "./budget.ts";
import { type Rank, WaitingCalls } from "./waiting-calls.ts";

interface Line {
  readonly calls: WaitingCalls;
  timer: NodeJS.Timeout | undefined;
}

interface Wish {
  readonly rank: Rank;
  readonly share: string;
  readonly signal: AbortSignal;
  /** Milliseconds after which the call no longer waits. */
  readonly longestMs: number;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Holds calls back while the quotas that they use have no room, and sends them in their order. */
export class Pacer implements Disposable {
  readonly #lines = new Map<string, Line>();
  readonly #now: () => number;
  readonly #processesOf: (name: string) => number;

  /** `processesOf` counts the processes that use a quota at present, this one included. */
  constructor(now: () => number, processesOf: (name: string) => number) {
    this.#now = now;
    this.#processesOf = processesOf;
  }

  /** Calls of the quota that wait here. */
  countWaiting(name: string): number {
    return this.#lines.get(name)?.calls.size ?? 0;
  }

  /** The calls of the quota that wait here; undefined while none does. */
  findWaiting(name: string): WaitingCalls | undefined {
    return this.#lines.get(name)?.calls;
  }

  /** Names of quotas that calls wait for. */
  get waitedFor(): Iterable<string> {
    return this.#lines.keys();
  }

  /** Milliseconds that a new call of the rank is likely to wait. */
  estimateWaitMs(name: string, budget: Budget, rank: Rank): number {
    const nowMs = this.#now();
    const startsInMs = Math.max(0, budget.blockedUntil - nowMs);
    const ahead = this.#lines.get(name)?.calls.countAhead(rank) ?? 0;
    const { limit, windowMs } = budget;
    if (limit === undefined || windowMs === 0) return startsInMs;
    const perWindow = Math.max(1, Math.floor(limit / this.#processesOf(name)));
    return startsInMs + Math.floor(ahead / perWindow) * windowMs;
  }

  /** Takes a call of the quota as soon as there is one; false when the wish's time passes before. Rejects when it is aborted. */
  async enter(name: string, budget: Budget, wish: Wish): Promise<boolean> {
    wish.signal.throwIfAborted();
    if (this.countWaiting(name) === 0 && this.#room(name, budget) >= 1) {
      budget.sent(this.#now());
      return true;
    }
    return await this.#wait(name, budget, wish);
  }

  async #wait(name: string, budget: Budget, wish: Wish): Promise<boolean> {
    const { rank, share, signal, longestMs } = wish;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const call = { rank, share, since: this.#now(), go: () => resolve(true) };
    const line = this.#lines.get(name) ?? { calls: new WaitingCalls(), timer: undefined };
    this.#lines.set(name, line);
    line.calls.add(call);
    const onAbort = () => {
      line.calls.remove(call);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const giveUp = () => {
      line.calls.remove(call);
      resolve(false);
    };
    const tooLate = setTimeout(giveUp, Math.min(longestMs, LONGEST_TIMER_MS));
    this.pump(name, budget);
    try {
      return await promise;
    } finally {
      clearTimeout(tooLate);
      signal.removeEventListener("abort", onAbort);
      this.#tidy(name, line);
    }
  }

  /** Sends what waits, as far as there is room: after an answer, and when a window begins. */
  pump(name: string, budget: Budget): void {
    const line = this.#lines.get(name);
    if (line === undefined) return;
    while (line.calls.size > 0 && this.#room(name, budget) >= 1) {
      const call = line.calls.take();
      if (call === undefined) break;
      budget.sent(this.#now());
      call.go();
    }
    clearTimeout(line.timer);
    line.timer = undefined;
    if (line.calls.size === 0) {
      this.#tidy(name, line);
      return;
    }
    const nowMs = this.#now();
    const nextAt = budget.nextAt(nowMs);
    if (nextAt === undefined) return;
    const waitMs = Math.min(Math.max(1, Math.ceil(nextAt - nowMs)), LONGEST_TIMER_MS);
    line.timer = setTimeout(() => this.pump(name, budget), waitMs);
  }

  #room(name: string, budget: Budget): number {
    return budget.room(this.#now(), this.#processesOf(name));
  }

  #tidy(name: string, line: Line): void {
    if (line.calls.size > 0) return;
    clearTimeout(line.timer);
    if (this.#lines.get(name) === line) this.#lines.delete(name);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#lines.values()) clearTimeout(timer);
    this.#lines.clear();
  }
}
