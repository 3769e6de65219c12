import { within } from "#foundation";

/** The due work of one kind that this process does at the moment. */
export class InFlight<Item> {
  readonly #items = new Map<Promise<void>, Item>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many more may start. */
  get room(): number {
    return this.#most - this.#items.size;
  }

  /** Runs the item, reports a failure, and calls `wake` at the end. */
  start(item: Item, run: InFlightRun): void {
    const running = run
      .work()
      .catch(run.onFailure)
      .finally(() => {
        this.#items.delete(running);
        run.wake();
      });
    this.#items.set(running, item);
  }

  /** Keys with `limit` or more items under way. */
  listFull<Key>(keyOf: (item: Item) => Key, limit: number): Key[] {
    return [...Map.groupBy(this.#items.values(), keyOf)]
      .filter(([, items]) => items.length >= limit)
      .map(([key]) => key);
  }

  count(isCounted: (item: Item) => boolean): number {
    return this.#items.values().filter(isCounted).toArray().length;
  }

  /** Waits until all have ended, at most that long. */
  async drain(graceMs: number): Promise<void> {
    await within(graceMs, Promise.all(this.#items.keys()));
  }
}

/** `onFailure` must not throw. */
export interface InFlightRun {
  readonly work: () => Promise<void>;
  readonly onFailure: (error: unknown) => void | Promise<void>;
  readonly wake: () => void;
}
