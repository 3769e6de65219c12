import { within } from "../waiting/index.ts";
export interface Times {
  /** What was read is not read again for so long. */
  readonly everyMs: number;
  /** So old may be what is shown while it is being read, or cannot be. */
  readonly keptMs: number;
}

/** Who asks is answered within this time. */
const PATIENCE_MS = 700;

/** What was read last; one reading at a time. */
export class Remembered<Value> {
  readonly #options: Times & { onFailure(error: unknown): void };
  readonly #read: () => Promise<Value>;
  #value: Value | undefined;
  #valueAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: Times & { onFailure(error: unknown): void }, read: () => Promise<Value>) {
    this.#options = options;
    this.#read = read;
  }

  /** Undefined where there is nothing that is new enough. */
  async get(): Promise<Value | undefined> {
    const { everyMs, keptMs } = this.#options;
    // A failure counts, too: what is away is not asked by each who asks here.
    const isDue = performance.now() - this.#triedAt >= everyMs;
    if (isDue) this.#reading ??= this.#refresh();
    if (this.#reading !== undefined) await within(PATIENCE_MS, this.#reading);
    const ageMs = performance.now() - this.#valueAt;
    const isNew = this.#reading === undefined && this.#valueAt >= this.#triedAt;
    return isNew || ageMs < keptMs ? this.#value : undefined;
  }

  async #refresh(): Promise<void> {
    try {
      this.#value = await this.#read();
      this.#valueAt = performance.now();
      this.#triedAt = this.#valueAt;
    } catch (error) {
      this.#triedAt = performance.now();
      this.#options.onFailure(error);
    } finally {
      this.#reading = undefined;
    }
  }
}
