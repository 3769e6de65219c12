import { addMs, type Clock, DAY, type Logger } from "#foundation";
import type { Db } from "../owned-db.ts";
import { type Day, type DayTable, dayOf } from "./day-table.ts";
import { giveWay } from "./give-way.ts";
import { addDay, listDays } from "./store.ts";

const DAYS_AHEAD = 3;
/** Of one day, until then. */
const ATTEMPTS = 40;

interface Tools {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Makes the partitions of today and the next three days; called at start and every day. */
export async function ensureDays(ctx: Tools, tables: readonly DayTable[]): Promise<void> {
  const today = ctx.clock.now();
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) =>
    dayOf(addMs(today, ahead * DAY)),
  );
  for (const table of tables) {
    const created = await createDays(ctx.db, table, days);
    if (created.length > 0) {
      ctx.log.debug("database.days_created", { table: table.name, days: created });
    }
  }
}

/**
 * Makes what is missing of these days; answers which. A transaction for each, which waits for one table alone while
 * it holds none that writers use: it is part of no deadlock.
 */
export async function createDays(
  db: Db,
  table: DayTable,
  days: readonly Day[],
): Promise<readonly Day[]> {
  const known = await listDays(db, table);
  const missing = days.filter(
    (day) =>
      !known.some((part) => part.day === day || (part.day === undefined && day < part.until)),
  );
  const created: Day[] = [];
  for (const day of missing) {
    if (await giveWay(db, ATTEMPTS, async (db) => await addDay(db, table, day))) created.push(day);
  }
  return created;
}
