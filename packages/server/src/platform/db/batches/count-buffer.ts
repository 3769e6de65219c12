import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import { within } from "../../within.ts";
import type { Db } from "../owned-db.ts";
import { commonDb } from "../owned-db.ts";
import { BatchesOnce } from "./batches-once.ts";

// Counts are for people who look at a day; a process writes them at most this often.
const FLUSH_AFTER_MS = 5000;
/** As many wait while the database is away. */
const MOST_WAITING = 20_000;
const FLUSH_PATIENCE_MS = 3000;

interface CountBufferOptions<Count> {
  readonly log: Logger;
  /** Counts with the same key are one row. */
  keyOf(count: Count): string;
  add(known: Count, count: Count): Count;
  write(db: Db, counts: readonly Count[]): Promise<void>;
  /** The count in whose row those are summed up for which there is no room; without it they are not counted. */
  restOf?(count: Count): Count;
  /** Event of the log when they could not be written. */
  readonly delayed: string;
}

/** Counts on their way to a table: summed up in memory, written together, lost at most by a kill. */
export class CountBuffer<Count> {
  readonly #options: CountBufferOptions<Count>;
  readonly #batches = new BatchesOnce<Count>(MOST_WAITING);
  #waiting = new Map<string, Count>();
  #timer: NodeJS.Timeout | undefined;
  #db: Db | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CountBufferOptions<Count>) {
    this.#options = options;
  }

  /** Nothing is written yet. */
  add(db: Db, count: Count): void {
    // A transaction may be undone, and ends before the counts are written.
    this.#db ??= commonDb(db);
    const { keyOf, restOf } = this.#options;
    const key = keyOf(count);
    if (this.#waiting.size < MOST_WAITING || this.#waiting.has(key)) this.#sum(key, count);
    else if (restOf !== undefined) this.#sum(keyOf(restOf(count)), restOf(count));
    else return;
    this.#timer ??= setTimeout(() => void this.#writeNext(), FLUSH_AFTER_MS).unref();
  }

  #sum(key: string, count: Count): void {
    const known = this.#waiting.get(key);
    this.#waiting.set(key, known === undefined ? count : this.#options.add(known, count));
  }

  /** Writes what waits, after what is being written. Ends in 3 s also while the database is away, which keeps the counts. */
  async flush(): Promise<void> {
    await within(FLUSH_PATIENCE_MS, this.#writeNext());
  }

  async #writeNext(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => await this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const db = this.#db;
    if (db === undefined) return;
    const take = () => {
      const counts = [...this.#waiting.values()];
      this.#waiting = new Map();
      return counts;
    };
    try {
      await this.#batches.write(db, take, this.#options.write);
    } catch (error) {
      this.#options.log.warn(this.#options.delayed, { reason: reasonOf(error) });
      this.#timer ??= setTimeout(() => void this.#writeNext(), FLUSH_AFTER_MS).unref();
    }
  }
}
