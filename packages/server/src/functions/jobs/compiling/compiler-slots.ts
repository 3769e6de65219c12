import { AppError, SECOND } from "#foundation";
import { FairSlots } from "#foundation/fair-slots";

export interface CompilerSlotsOptions {
  readonly atOnce: number;
  /** Callers of requests that may wait, in all and of one owner; further ones get a Retry-After. */
  readonly maxWaiting: number;
  readonly maxWaitingOfOwner: number;
}

export interface CompileRequest {
  /** Who is served once at a time. */
  readonly owner: string;
  /** The caller has gone: it no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** Queued work waits as long as it takes; there is only so much of it at once. */
  readonly isQueued: boolean;
  /** It waits no longer. */
  readonly onStart?: (() => void) | undefined;
}

/** A slot at a compiler, given back when disposed. */
export interface CompilerSlot extends Disposable {
  /** The owner had another slot a moment ago. */
  readonly isRepeated: boolean;
}

/** So long an owner that has compiled gives way to others. */
const MOMENT_MS = 10 * SECOND;

/** Hands out the slots of the compilers: no owner has two at once, so that one with slow texts delays only itself. */
export class CompilerSlots {
  readonly #options: CompilerSlotsOptions;
  readonly #slots: FairSlots;
  /** Owners of requests that wait, one item for each. */
  readonly #waiting: string[] = [];
  /** When owners gave a slot back, the last of each, oldest first. */
  readonly #ended = new Map<string, number>();

  constructor(options: CompilerSlotsOptions) {
    this.#options = options;
    this.#slots = new FairSlots({ name: "compilers", slots: options.atOnce, ceiling: 1 });
  }

  /** Waits for a slot; throws `overloaded`, or the signal's reason. */
  async take(request: CompileRequest): Promise<CompilerSlot> {
    const slot = await this.#take(request);
    const { owner } = request;
    return {
      isRepeated: this.#hadSlot(owner),
      [Symbol.dispose]: () => {
        this.#ended.delete(owner);
        this.#ended.set(owner, performance.now());
        slot[Symbol.dispose]();
      },
    };
  }

  #hadSlot(owner: string): boolean {
    const since = performance.now() - MOMENT_MS;
    for (const [known, endedAt] of this.#ended) {
      if (endedAt >= since) break;
      this.#ended.delete(known);
    }
    return this.#ended.has(owner);
  }

  async #take({ owner, signal, isQueued }: CompileRequest): Promise<Disposable> {
    signal?.throwIfAborted();
    const free = this.#slots.tryTake(owner);
    if (free !== undefined) return free;
    if (isQueued) return await this.#slots.take(owner, { signal });
    this.#requireRoom(owner);
    this.#waiting.push(owner);
    try {
      return await this.#slots.take(owner, { signal });
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(owner), 1);
    }
  }

  /** Who has nothing waiting is let in past the limit of all, or a few owners would keep out the others. */
  #requireRoom(owner: string): void {
    const { maxWaiting, maxWaitingOfOwner } = this.#options;
    const own = this.#waiting.filter((other) => other === owner).length;
    const isFull = this.#waiting.length >= maxWaiting && own > 0;
    if (!isFull && own < maxWaitingOfOwner) return;
    const message = "Too many sources wait to be compiled; try again shortly.";
    throw new AppError("overloaded", message, { headers: { "Retry-After": "5" } });
  }
}
