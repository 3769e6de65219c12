import { SECOND } from "#foundation";
import type { Rooms } from "./store.ts";

const FIRST_WINDOW = 8;
const MAX_WINDOW = 64;
const MIN_WINDOW = 4;
const FAST_MS = SECOND;
const MAX_REMEMBERED = 1000;

interface Pace {
  inFlight: number;
  window: number;
}

/**
 * How many deliveries a receiver gets at once: more while it answers fast, fewer while it is slow or silent, so
 * that a receiver that hangs holds few of the slots that all share.
 */
export class ReceiverPaces {
  readonly #paces = new Map<string, Pace>();

  rooms(): Rooms {
    const busy = [...this.#paces].map(([id, { inFlight, window }]) => [
      id,
      Math.max(0, window - inFlight),
    ]);
    return { standard: FIRST_WINDOW, byReceiver: Object.fromEntries(busy) };
  }

  start(receiver: string): void {
    const pace = this.#paces.get(receiver) ?? { inFlight: 0, window: FIRST_WINDOW };
    pace.inFlight += 1;
    this.#paces.set(receiver, pace);
  }

  /** `durationMs` until it answered; undefined when it did not. */
  end(receiver: string, durationMs: number | undefined): void {
    const pace = this.#paces.get(receiver);
    if (pace === undefined) return;
    pace.inFlight -= 1;
    const isFast = durationMs !== undefined && durationMs < FAST_MS;
    pace.window = isFast
      ? Math.min(MAX_WINDOW, pace.window + 1)
      : Math.max(MIN_WINDOW, Math.floor(pace.window / 2));
    if (pace.inFlight === 0) this.#forget(receiver, pace);
  }

  /** Idle and no slower than an unknown one: nothing to remember. Of slow ones the oldest go. */
  #forget(receiver: string, pace: Pace): void {
    this.#paces.delete(receiver);
    if (pace.window >= FIRST_WINDOW) return;
    this.#paces.set(receiver, pace);
    if (this.#paces.size <= MAX_REMEMBERED) return;
    const idle = [...this.#paces].find(([, { inFlight }]) => inFlight === 0);
    if (idle !== undefined) this.#paces.delete(idle[0]);
  }
}
