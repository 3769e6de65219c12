import { hotStatement, runHot } from "../database.ts";
import type { Db } from "../owned-db.ts";

// What is committed is on the disk by then, unless commits do not wait for that.
const askPosition = hotStatement(
  "primary_position",
  `select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
           else pg_current_wal_flush_lsn() end)::text as position`,
);

/** How far the primary has written; one question at a time, which all share who came before it was asked. */
export class PrimaryPosition {
  readonly #primary: Db;
  #asking: Promise<unknown> = Promise.resolve();
  #next: Promise<string> | undefined;

  constructor(primary: Db) {
    this.#primary = primary;
  }

  /** Of a moment after the call. */
  async ask(): Promise<string> {
    this.#next ??= this.#askAfter(this.#asking);
    return await this.#next;
  }

  async #askAfter(before: Promise<unknown>): Promise<string> {
    await before;
    this.#next = undefined;
    const asked = runHot<{ position: string }>(this.#primary, askPosition([]));
    this.#asking = asked.catch(() => undefined);
    const [row] = await asked;
    return row?.position ?? "FFFFFFFF/FFFFFFFF";
  }
}
