import type { RawBuilder } from "kysely";
import { type Logger, reasonOf } from "#foundation";
import type { Db } from "../owned-db.ts";
import { WorkerAway } from "../sessions/database-away.ts";
import { type DayTable, dayOf } from "./day-table.ts";
import { giveWay } from "./give-way.ts";
import { dropPartition, hasMoreThan, listDays } from "./store.ts";

export interface OldDays {
  /** Days that have ended by then are dropped. */
  readonly before: Date;
  /**
   * SQL, which names the row `t`: what is kept all the same; where it takes time to find, a function that is called once
   * a day has to go. Default: nothing.
   */
  readonly needed?: RawBuilder<boolean> | (() => Promise<RawBuilder<boolean>>);
}

/** So many rows are moved within a second or two, during which everybody else waits. */
const MOST_MOVED = 20_000;
/** Of one day; then it waits for the next time. */
const ATTEMPTS = 5;

/**
 * Drops the old days of a table. A day of which very many rows are needed stays until they are fewer; one that is
 * being read for long stays until the next time.
 */
export async function dropOldDays(
  ctx: { readonly db: Db; readonly log: Logger },
  table: DayTable,
  { before, needed: wanted }: OldDays,
): Promise<void> {
  const last = dayOf(before);
  let needed = typeof wanted === "function" ? undefined : wanted;
  for (const partition of await listDays(ctx.db, table)) {
    if (partition.until > last) break;
    const of = { table: table.name, partition: partition.name };
    try {
      if (typeof wanted === "function") needed ??= await wanted();
      if (needed && (await hasMoreThan(ctx.db, partition, { count: MOST_MOVED, needed }))) {
        ctx.log.info("database.day_kept", {
          ...of,
          reason: `more than ${MOST_MOVED} rows of it are needed`,
        });
        continue;
      }
      const moved = await giveWay(
        ctx.db,
        ATTEMPTS,
        async (db) => await dropPartition(db, table, { partition, needed }),
      );
      ctx.log.info("database.day_dropped", { ...of, moved });
    } catch (error) {
      const left = await listDays(ctx.db, table);
      // Another process has dropped it meanwhile.
      if (!left.some(({ name }) => name === partition.name)) continue;
      // Somebody reads the day; it goes tomorrow.
      ctx.log.warn("database.day_kept", { ...of, reason: reasonOf(error) });
      // A day lies on all servers of a cluster: one that does not answer has a part of the next one too.
      if (error instanceof WorkerAway) break;
    }
  }
}
