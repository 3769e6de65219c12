import { AppError, serverState } from "#foundation";

/** Each takes 19 MiB and a thread of the pool that files and host names need, too. */
const AT_ONCE = 2;
const MOST_WAITING = 20;

class PasswordSlots {
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs `work` when a slot is free; throws overloaded when too many wait. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#take();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #take(): Promise<void> {
    if (this.#busy < AT_ONCE) {
      this.#busy += 1;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) {
      throw new AppError("overloaded", "Many people are signing in; try again in a moment.", {
        headers: { "Retry-After": "1" },
      });
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  /** The slot goes to the one who waits longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy -= 1;
    else next();
  }
}

export const passwordSlots = serverState(() => new PasswordSlots());
