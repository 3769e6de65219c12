import { AppError } from "#platform";

export interface CompileTurnsOptions {
  readonly atOnce: number;
  /** Callers of requests that may wait, in all and of one owner; further ones are told to come back. */
  readonly maxWaiting: number;
  readonly maxWaitingOfOwner: number;
}

export interface TurnRequest {
  /** Who is served once at a time. */
  readonly owner: string;
  /** The caller has gone: it no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** Queued work waits as long as it takes; there is only so much of it at once. */
  readonly isQueued: boolean;
}

interface Waiting {
  readonly owner: string;
  readonly isQueued: boolean;
  start(): void;
}

/** Hands out the places of the compilers: no owner has two at once, so that one with slow texts delays only itself. */
export class CompileTurns {
  readonly #options: CompileTurnsOptions;
  readonly #running = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(options: CompileTurnsOptions) {
    this.#options = options;
  }

  /** Waits for a place, and gives it back when disposed; throws `overloaded`, or the signal's reason. */
  async take({ owner, signal, isQueued }: TurnRequest): Promise<Disposable> {
    signal?.throwIfAborted();
    if (!this.#hasPlace(owner)) await this.#wait({ owner, signal, isQueued });
    else this.#running.add(owner);
    return {
      [Symbol.dispose]: () => {
        this.#running.delete(owner);
        this.#startNext();
      },
    };
  }

  #hasPlace(owner: string): boolean {
    return this.#running.size < this.#options.atOnce && !this.#running.has(owner);
  }

  #isFull(owner: string): boolean {
    const { maxWaiting, maxWaitingOfOwner } = this.#options;
    const requests = this.#waiting.filter(({ isQueued }) => !isQueued);
    const own = requests.filter((request) => request.owner === owner);
    return requests.length >= maxWaiting || own.length >= maxWaitingOfOwner;
  }

  async #wait({ owner, signal, isQueued }: TurnRequest): Promise<void> {
    if (!isQueued && this.#isFull(owner)) {
      const message = "Too many sources wait to be compiled; try again shortly.";
      throw new AppError("overloaded", message, { headers: { "Retry-After": "5" } });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { owner, isQueued, start: resolve };
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(signal?.reason);
    };
    this.#waiting.push(waiting);
    signal?.addEventListener("abort", leave, { once: true });
    await promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  #startNext(): void {
    const next = this.#waiting.find(({ owner }) => this.#hasPlace(owner));
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    this.#running.add(next.owner);
    next.start();
    this.#startNext();
  }
}
