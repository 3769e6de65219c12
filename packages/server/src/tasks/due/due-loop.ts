import { setTimeout as sleep } from "node:timers/promises";
import {
  backoffMs,
  Doorbell,
  type Notices,
  reasonOf,
  SECOND,
  type SystemContext,
  whileWanted,
  within,
} from "#foundation";

export interface DueClaim {
  readonly claimed: number;
  /** By `ctx.clock`; undefined when nothing waits. */
  readonly nextDueAt: Date | undefined;
}

/** A table whose rows become due: what is due now is claimed, what is due later is slept for. */
export interface DueWork {
  /** What `notifyDue` calls it. */
  readonly name: string;
  /** Claims begin at least so long one after the other: what falls due, or is announced, meanwhile is claimed together. */
  readonly restMs?: number;
  claim(ctx: SystemContext, wake: () => void): Promise<DueClaim>;
  /** Resolves when what was claimed and started is over; at a stop `ctx.signal` is aborted before. */
  drain?(): Promise<void>;
}

export interface DueLoopOptions {
  readonly work: DueWork;
  readonly channel: Notices;
  readonly makeContext: (signal: AbortSignal) => SystemContext;
  /** Also without a notification the table is looked at this often. */
  readonly fallbackMs?: number;
  /** The first look waits for it, where it is given. */
  readonly after?: Promise<unknown> | undefined;
}

const FALLBACK_MS = 30 * SECOND;
// Rows that are due but that another process holds must not make the loop spin.
const MIN_SLEEP_MS = 250;
// After an outage of the database work continues within this time also where nothing is announced.
const BACKOFF = { firstMs: SECOND, longestMs: 10 * SECOND };

/** Nobody waits longer for a first look. */
const FIRST_LOOK_MS = SECOND;

export interface DueLoop extends AsyncDisposable {
  /** Fulfils once the first look has ended, after a second at the latest. */
  readonly looked: Promise<unknown>;
  /** Looks at the table now. */
  wake(): void;
}

/** Claims whenever something is due, until disposed. */
export function startDueLoop(options: DueLoopOptions): DueLoop {
  return new ClaimLoop(options);
}

class ClaimLoop implements DueLoop {
  readonly #options: DueLoopOptions;
  readonly #stopping = new AbortController();
  readonly #subscription: Disposable;
  readonly #done: Promise<void>;
  readonly #bell = new Doorbell();
  readonly looked: Promise<unknown>;

  constructor(options: DueLoopOptions) {
    this.#options = options;
    const first = Promise.withResolvers<void>();
    this.looked = within(FIRST_LOOK_MS, first.promise);
    this.#subscription = options.channel.subscribe(options.work.name, () => this.wake());
    this.#done = this.#run(first.resolve);
  }

  wake(): void {
    this.#bell.ring();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    this.#stopping.abort();
    this.wake();
    await this.#done;
    await this.#options.work.drain?.();
  }

  async #run(endLook: () => void): Promise<void> {
    const { work, makeContext, after } = this.#options;
    const { signal } = this.#stopping;
    const ctx = makeContext(signal);
    const wake = () => this.wake();
    let failures = 0;
    if (after !== undefined) await whileWanted(signal, after).catch(() => undefined);
    let lastClaimAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      await this.#rest(lastClaimAt);
      lastClaimAt = performance.now();
      this.#bell.silence();
      try {
        const { claimed, nextDueAt } = await work.claim(ctx, wake).finally(endLook);
        failures = 0;
        if (claimed === 0) await this.#sleep(this.#untilDue(ctx, nextDueAt));
      } catch (error) {
        failures += 1;
        ctx.log.error("tasks.claim_failed", { loop: work.name, reason: reasonOf(error) });
        this.#bell.silence();
        await this.#sleep(backoffMs(BACKOFF, failures));
      }
    }
    endLook();
  }

  async #rest(lastClaimAt: number): Promise<void> {
    const ms = lastClaimAt + (this.#options.work.restMs ?? 0) - performance.now();
    if (ms <= 0) return;
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #untilDue(ctx: SystemContext, nextDueAt: Date | undefined): number {
    const longest = this.#options.fallbackMs ?? FALLBACK_MS;
    if (nextDueAt === undefined) return longest;
    const ms = nextDueAt.getTime() - ctx.clock.now().getTime();
    return Math.min(Math.max(ms, MIN_SLEEP_MS), longest);
  }

  /** A call for the table that came while it was claimed ends the sleep before it begins. */
  async #sleep(ms: number): Promise<void> {
    if (!this.#stopping.signal.aborted) await this.#bell.wait(ms);
  }
}
