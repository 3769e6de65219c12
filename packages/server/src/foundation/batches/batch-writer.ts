import type { SystemContext } from "../context.ts";
import { commonDb, findDatabaseAway, withinPatience } from "../db/index.ts";

/** Rows that wait, in the order in which they are written. */
export interface RowQueue<Row> {
  add(row: Row): void;
  /** The next batch; empty when nothing waits. */
  take(): readonly Row[];
  /** Its caller waits no longer: where it was not taken yet, it is not written. */
  remove(row: Row): void;
}

export interface BatchWriterOptions<Row, Result> {
  readonly queue: RowQueue<Row>;
  /** By one statement; answers what became of each row, by a promise that fails where only some could not be stored. */
  readonly write: (
    ctx: SystemContext,
    rows: readonly Row[],
  ) => Promise<(row: Row) => Result | Promise<Result>>;
  /** While one batch is on its way to the disk, another may be on its way to the database; 1 unless given. */
  readonly atOnce?: number;
  /** Of a batch that fails each row is tried alone: one that cannot be stored must not fail the others. */
  readonly splits: boolean;
}

/**
 * Writes rows that come at the same time by one statement, for all environments together; alone, a row waits for
 * nothing. Nobody is answered before theirs is written.
 */
export class BatchWriter<Row extends object, Result> {
  readonly #options: BatchWriterOptions<Row, Result>;
  readonly #waiting = new Map<Row, PromiseWithResolvers<Result>>();
  #flushes = 0;

  constructor(options: BatchWriterOptions<Row, Result>) {
    this.#options = options;
  }

  async write(ctx: SystemContext, row: Row): Promise<Result> {
    const { queue, atOnce = 1 } = this.#options;
    queue.add(row);
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.set(row, waiting);
    if (this.#flushes < atOnce) void this.#flush({ ...ctx, db: commonDb(ctx.db) });
    try {
      return await withinPatience(waiting.promise);
    } catch (error) {
      // Who gave up may come again: what has not been tried by then is not stored twice.
      queue.remove(row);
      throw error;
    } finally {
      this.#waiting.delete(row);
    }
  }

  async #flush(ctx: SystemContext): Promise<void> {
    this.#flushes += 1;
    // What came in the same turn of the loop shares a statement.
    await new Promise(setImmediate);
    for (;;) {
      const batch = this.#options.queue.take();
      if (batch.length === 0) break;
      await this.#store(ctx, batch);
    }
    this.#flushes -= 1;
  }

  async #store(ctx: SystemContext, batch: readonly Row[]): Promise<void> {
    try {
      const resultOf = await this.#options.write(ctx, batch);
      for (const row of batch) this.#waiting.get(row)?.resolve(resultOf(row));
    } catch (error) {
      // While the database is away, each by itself would fare no better.
      const isLast = batch.length === 1 || findDatabaseAway(error) !== undefined;
      if (isLast || !this.#options.splits) {
        for (const row of batch) this.#waiting.get(row)?.reject(error);
      } else await Promise.all(batch.map(async (row) => await this.#store(ctx, [row])));
    }
  }
}

/** First come, first written. */
export class RowsInOrder<Row> implements RowQueue<Row> {
  readonly #rows = new Set<Row>();
  readonly #most: number;

  constructor(mostAtOnce: number) {
    this.#most = mostAtOnce;
  }

  add(row: Row): void {
    this.#rows.add(row);
  }

  take(): readonly Row[] {
    const batch = [...this.#rows.values().take(this.#most)];
    for (const row of batch) this.#rows.delete(row);
    return batch;
  }

  remove(row: Row): void {
    this.#rows.delete(row);
  }
}
