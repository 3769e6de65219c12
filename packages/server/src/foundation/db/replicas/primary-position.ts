import { sql } from "kysely";
import { hotStatement, runHot } from "../database.ts";
import type { Db } from "../owned-db.ts";
import type { Position } from "./replica.ts";

/**
 * What is committed is on the disk by then, unless commits do not wait for that. The timeline is the first part of the name of
 * the file that the primary writes; the mark is null until there is one of this timeline.
 */
const askPosition = hotStatement(
  "primary_position",
  `select at.lsn::text as lsn, at.timeline, m.mark
     from (select case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
                  else pg_current_wal_flush_lsn() end as lsn,
                  ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::bigint as timeline) at
     left join primary_timelines m on m.timeline = at.timeline`,
);

interface Asked {
  readonly lsn: string;
  readonly timeline: number;
  readonly mark: string | null;
}

/** How far the primary has written; one question at a time, which all share who came before it was asked. */
export class PrimaryPosition {
  readonly #primary: Db;
  #asking: Promise<unknown> = Promise.resolve();
  #next: Promise<Position> | undefined;

  constructor(primary: Db) {
    this.#primary = primary;
  }

  /** Of a moment after the call. */
  async ask(): Promise<Position> {
    this.#next ??= this.#askAfter(this.#asking);
    return await this.#next;
  }

  async #askAfter(before: Promise<unknown>): Promise<Position> {
    await before;
    this.#next = undefined;
    const asked = askOnce(this.#primary);
    this.#asking = asked.catch(() => undefined);
    return await asked;
  }
}

/** The first time, and after each failover, the primary gets a mark. */
async function askOnce(db: Db): Promise<Position> {
  for (;;) {
    const [row] = await runHot<Asked>(db, askPosition([]));
    if (row === undefined) throw new Error("the primary has not said how far it has written");
    if (row.mark !== null) return { lsn: row.lsn, mark: row.mark };
    await markTimeline(db, row.timeline);
  }
}

async function markTimeline(db: Db, timeline: number): Promise<void> {
  await sql`
    insert into primary_timelines (timeline, mark) values (${timeline}, gen_random_uuid())
    on conflict (only_one) do update set timeline = excluded.timeline, mark = excluded.mark
     where primary_timelines.timeline <> excluded.timeline`.execute(db);
}
