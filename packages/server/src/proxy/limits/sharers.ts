import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type EnvironmentContext, SECOND, type SystemContext } from "#foundation";
import { notifyDue } from "#tasks";
import { readSignedNotice, signNotice } from "./signed-notice.ts";
import { ranks, type WaitingState } from "./waiting-calls.ts";

/** Under this name processes announce that calls of theirs wait for a quota. */
const WAITING = "quota-wait";
const ANNOUNCE_EVERY_MS = SECOND;
const FORGOTTEN_AFTER_MS = 3 * ANNOUNCE_EVERY_MS;
const MAX_QUOTAS = 10_000;
const MAX_PROCESSES = 1_000;

interface Heard {
  readonly at: number;
  readonly waiting: WaitingState;
}

/** Calls and the age of the oldest, in milliseconds, for each rank. */
function writeWaiting(waiting: WaitingState, nowMs: number): string {
  return ranks
    .flatMap((rank) => {
      const { calls, since } = waiting[rank];
      return [calls, since === undefined ? 0 : Math.max(0, nowMs - since)];
    })
    .join(" ");
}

/** A release before says nothing of them. */
function readWaiting(said: readonly string[], nowMs: number): WaitingState {
  const numbers = said.map((text) => (/^\d{1,12}$/.test(text) ? Number(text) : 0));
  const of = (index: number) => {
    const calls = numbers[2 * index] ?? 0;
    return { calls, since: calls === 0 ? undefined : nowMs - (numbers[2 * index + 1] ?? 0) };
  };
  return { person: of(0), action: of(1), sync: of(2) };
}

/** Which other processes have calls that wait for the same quotas: each sends its part of what a window takes. */
export class Sharers implements Disposable {
  readonly #own = randomUUID();
  /** What each process last said, by the quota's name. */
  readonly #others = new LRUCache<string, Map<string, Heard>>({ max: MAX_QUOTAS });
  readonly #announcedAt = new LRUCache<string, number>({ max: MAX_QUOTAS });
  readonly #now: () => number;
  readonly #subscription: Disposable;

  constructor({ notices, keys }: Pick<SystemContext, "notices" | "keys">, now: () => number) {
    this.#now = now;
    this.#subscription = notices.subscribe(WAITING, (detail = "") => {
      const text = readSignedNotice({ keys }, detail) ?? "";
      const [name = "", process = "", ...said] = text.split(" ");
      if (process === this.#own || !/^[ci]:\S{1,64}$/.test(name) || process.length !== 36) return;
      const known = this.#others.get(name) ?? new Map<string, Heard>();
      if (known.size >= MAX_PROCESSES) return;
      this.#others.set(name, known.set(process, { at: now(), waiting: readWaiting(said, now()) }));
    });
  }

  /** Processes with calls that use the quota, this one included. */
  count(name: string): number {
    return this.#live(name).length + 1;
  }

  /** Quotas that calls of other processes wait for. */
  get names(): string[] {
    return [...this.#others.keys()].filter((name) => this.#live(name).length > 0);
  }

  /** What waits in each other process. */
  listWaiting(name: string): WaitingState[] {
    return this.#live(name).map(({ waiting }) => waiting);
  }

  #live(name: string): Heard[] {
    const known = this.#others.get(name);
    if (known === undefined) return [];
    const oldest = this.#now() - FORGOTTEN_AFTER_MS;
    for (const [process, { at }] of known) if (at < oldest) known.delete(process);
    return [...known.values()];
  }

  /** At most once a second for each quota; a notice that is lost costs refused calls, and no more. */
  announce(
    ctx: Pick<EnvironmentContext, "db" | "keys">,
    name: string,
    describe: () => WaitingState | undefined,
  ): void {
    const nowMs = this.#now();
    if ((this.#announcedAt.get(name) ?? 0) > nowMs - ANNOUNCE_EVERY_MS) return;
    this.#announcedAt.set(name, nowMs);
    // Not for each call that waits: to count a thousand takes as long as to serve one.
    const waiting = describe();
    const said = waiting === undefined ? "" : ` ${writeWaiting(waiting, nowMs)}`;
    notifyDue(ctx, `${WAITING} ${signNotice(ctx, `${name} ${this.#own}${said}`)}`).catch(
      () => undefined,
    );
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
