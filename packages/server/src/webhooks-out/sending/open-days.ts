import { SECOND, type SystemContext } from "#platform";
import { findOpenRange, type OpenRange } from "../store.ts";

const READ_EVERY_MS = SECOND;

/**
 * Remembers for a second which days have deliveries to be sent. One of an earlier day that comes to wait meanwhile,
 * as by a replay, is seen after that: `wake` is called then.
 */
export class OpenDays {
  #range: OpenRange | undefined;
  #readAt = 0;
  #timer: NodeJS.Timeout | undefined;

  async read({ db, clock }: SystemContext, wake: () => void): Promise<OpenRange> {
    const now = clock.now();
    const age = performance.now() - this.#readAt;
    if (this.#range !== undefined && age < READ_EVERY_MS && now < this.#range.until) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        wake();
      }, READ_EVERY_MS - age).unref();
      return this.#range;
    }
    this.#readAt = performance.now();
    this.#range = await findOpenRange(db, now);
    return this.#range;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
