import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../logger/index.ts";
import { within } from "../../waiting/index.ts";
import type { Db } from "../owned-db.ts";
import { commonDb } from "../owned-db.ts";
import { BatchesOnce, type WriteNotedBatch } from "./batches-once.ts";

/** Counts are for people who look at a day; a process writes them at most this often. */
const USUAL_FLUSH_AFTER_MS = 5000;
/** As many wait while the database is away. */
const MOST_WAITING = 20_000;
const FLUSH_PATIENCE_MS = 3000;

interface CountBufferOptions<Count> {
  readonly log: Logger;
  /** Counts with the same key are one row. */
  keyOf(count: Count): string;
  /** Adds to what waits, in place or as a new count. */
  add(known: Count, count: Count): Count;
  write(db: Db, counts: readonly Count[]): Promise<void>;
  /** In one statement that notes the batch too, which costs far less; false where the schema takes a transaction. */
  readonly writeAtOnce?: WriteNotedBatch<Count>;
  /** The count in whose row those are summed up for which there is no room; without it they are not counted. */
  restOf?(count: Count): Count;
  /** Rows of one group, such as an environment, of which only so many wait. */
  readonly group?: { of(count: Count): string; readonly mostWaiting: number };
  /** Called for a count that has no room. */
  onLost?(): void;
  /** Event of the log when they could not be written. */
  readonly delayed: string;
  readonly flushAfterMs?: number;
  /** Most rows of one statement. */
  readonly rowsAtOnce?: number;
}

/** Counts on their way to a table: summed up in memory, written together, lost at most by a kill. */
export class CountBuffer<Count> {
  readonly #options: CountBufferOptions<Count>;
  readonly #batches: BatchesOnce<Count>;
  readonly #flushAfterMs: number;
  #waiting = new Map<string, Count>();
  readonly #waitingOf = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #db: Db | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CountBufferOptions<Count>) {
    this.#options = options;
    this.#batches = new BatchesOnce(options.rowsAtOnce ?? MOST_WAITING);
    this.#flushAfterMs = options.flushAfterMs ?? USUAL_FLUSH_AFTER_MS;
  }

  /** Nothing is written yet. */
  add(db: Db, count: Count): void {
    this.#expect(db);
    const { keyOf, restOf, onLost } = this.#options;
    const key = keyOf(count);
    const known = this.#waiting.get(key);
    if (known !== undefined) this.#replace(key, known, this.#options.add(known, count));
    else if (this.#hasRoomFor(count)) this.#begin(key, count);
    else if (restOf !== undefined) this.#addRest(restOf(count));
    else onLost?.();
  }

  /**
   * What waits under the key, or what `begin` makes, for the caller to add to at once and in place: the hottest paths
   * make no count only to have it added. Undefined where there is no room; a rest is not counted.
   */
  at(db: Db, key: string, begin: () => Count): Count | undefined {
    this.#expect(db);
    const known = this.#waiting.get(key);
    if (known !== undefined) return known;
    const count = begin();
    if (!this.#hasRoomFor(count)) {
      this.#options.onLost?.();
      return undefined;
    }
    this.#begin(key, count);
    return count;
  }

  #expect(db: Db): void {
    // A transaction ends before the counts are written.
    if (!db.isTransaction) this.#db ??= commonDb(db);
    this.#timer ??= setTimeout(() => void this.#writeNext(), this.#flushAfterMs).unref();
  }

  /** On the hottest paths counts are added to in place. */
  #replace(key: string, known: Count, sum: Count): void {
    if (sum !== known) this.#waiting.set(key, sum);
  }

  #hasRoomFor(count: Count): boolean {
    const { group } = this.#options;
    if (this.#waiting.size >= MOST_WAITING) return false;
    return group === undefined || (this.#waitingOf.get(group.of(count)) ?? 0) < group.mostWaiting;
  }

  #begin(key: string, count: Count): void {
    this.#waiting.set(key, count);
    const name = this.#options.group?.of(count);
    if (name !== undefined) this.#waitingOf.set(name, (this.#waitingOf.get(name) ?? 0) + 1);
  }

  #addRest(rest: Count): void {
    const key = this.#options.keyOf(rest);
    const known = this.#waiting.get(key);
    this.#waiting.set(key, known === undefined ? rest : this.#options.add(known, rest));
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
      this.#waitingOf.clear();
      return counts;
    };
    try {
      const { write, writeAtOnce } = this.#options;
      await this.#batches.write(db, take, write, writeAtOnce);
    } catch (error) {
      this.#options.log.warn(this.#options.delayed, { reason: reasonOf(error) });
      this.#timer ??= setTimeout(() => void this.#writeNext(), this.#flushAfterMs).unref();
    }
  }
}
