import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type EnvironmentContext, SECOND, type SystemContext } from "#platform";
import { notifyDue } from "#tasks";

/** Under this name processes announce that calls of theirs wait for a quota. */
const WAITING = "quota-wait";
const ANNOUNCE_EVERY_MS = SECOND;
const FORGOTTEN_AFTER_MS = 3 * ANNOUNCE_EVERY_MS;
const MAX_QUOTAS = 10_000;
const MAX_PROCESSES = 1_000;

/** Which other processes have calls that wait for the same quotas: each sends its part of what a window takes. */
export class Sharers implements Disposable {
  readonly #own = randomUUID();
  /** When each process was last heard of, by the quota's name. */
  readonly #others = new LRUCache<string, Map<string, number>>({ max: MAX_QUOTAS });
  readonly #announcedAt = new LRUCache<string, number>({ max: MAX_QUOTAS });
  readonly #now: () => number;
  readonly #subscription: Disposable;

  constructor(notices: SystemContext["notices"], now: () => number) {
    this.#now = now;
    this.#subscription = notices.subscribe(WAITING, (detail = "") => {
      const [name = "", process = ""] = detail.split(" ");
      if (process === this.#own || !/^[ci]:\S{1,64}$/.test(name) || process.length !== 36) return;
      const known = this.#others.get(name) ?? new Map<string, number>();
      if (known.size < MAX_PROCESSES) this.#others.set(name, known.set(process, now()));
    });
  }

  /** Processes with calls that use the quota, this one included. */
  count(name: string): number {
    const known = this.#others.get(name);
    if (known === undefined) return 1;
    const oldest = this.#now() - FORGOTTEN_AFTER_MS;
    for (const [process, seenAt] of known) if (seenAt < oldest) known.delete(process);
    return known.size + 1;
  }

  /** At most once a second for each quota; a notice that is lost costs refused calls, and no more. */
  announce(ctx: Pick<EnvironmentContext, "db">, name: string): void {
    const nowMs = this.#now();
    if ((this.#announcedAt.get(name) ?? 0) > nowMs - ANNOUNCE_EVERY_MS) return;
    this.#announcedAt.set(name, nowMs);
    notifyDue(ctx, `${WAITING} ${name} ${this.#own}`).catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
