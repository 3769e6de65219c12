import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../owned-db.ts";

interface Batch<Row> {
  readonly id: string;
  readonly rows: readonly Row[];
}

type WriteBatch<Row> = (db: Db, rows: readonly Row[]) => Promise<void>;
export type WriteNotedBatch<Row> = (db: Db, id: string, rows: readonly Row[]) => Promise<boolean>;

/**
 * Rows on their way to a table in which they add up. A batch whose commit was not answered may have been written: it
 * is tried again as it was, under its id, and the database knows whether it has it.
 */
export class BatchesOnce<Row> {
  readonly #rowsAtOnce: number;
  #held: readonly Batch<Row>[] = [];

  constructor(rowsAtOnce: number) {
    this.#rowsAtOnce = rowsAtOnce;
  }

  /**
   * Writes what an earlier call could not, then what `take` gives; throws where that fails, and keeps it. `writeAtOnce`
   * notes the batch by itself, in one statement; where it gives false, the batch is written in a transaction.
   */
  async write(
    db: Db,
    take: () => readonly Row[],
    write: WriteBatch<Row>,
    writeAtOnce?: WriteNotedBatch<Row>,
  ): Promise<void> {
    await this.#writeHeld(db, write, writeAtOnce);
    const rows = take();
    const batches: Batch<Row>[] = [];
    for (let from = 0; from < rows.length; from += this.#rowsAtOnce) {
      batches.push({ id: randomUUID(), rows: rows.slice(from, from + this.#rowsAtOnce) });
    }
    this.#held = batches;
    await this.#writeHeld(db, write, writeAtOnce);
  }

  async #writeHeld(
    db: Db,
    write: WriteBatch<Row>,
    writeAtOnce: WriteNotedBatch<Row> | undefined,
  ): Promise<void> {
    for (let [next] = this.#held; next !== undefined; [next] = this.#held) {
      const { id, rows } = next;
      const isWritten = await writeAtOnce?.(db, id, rows);
      if (isWritten !== true) {
        await db.transaction().execute(async (transaction) => {
          if (await noteBatch(transaction, id)) await write(transaction, rows);
        });
      }
      this.#held = this.#held.slice(1);
    }
  }
}

/** False when the batch is in the database. */
async function noteBatch(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    insert into written_batches (id) values (${id}) on conflict do nothing returning 1`.execute(db);
  return rows.length === 1;
}

/** Forgets batches that nobody tries again; called every day. */
export async function forgetWrittenBatches(db: Db): Promise<void> {
  await sql`delete from written_batches where at < now() - interval '1 day'`.execute(db);
}
