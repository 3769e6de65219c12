import { sql } from "kysely";
import type { Db } from "#foundation/db";
import { type Backlog, COUNTED_AT_MOST } from "#foundation/telemetry";

/** Syncs whose time has come and that do not run yet; from environment to environment, as they are claimed. */
export async function readScheduleBacklog(db: Db, now: Date): Promise<readonly Backlog[]> {
  const { rows } = await sql<Backlog>`
    select 'schedule' as kind, count(*)::int as depth,
           coalesce(extract(epoch from ${now}::timestamptz - min(next_run_at)), 0)::float8 as oldest_seconds
      from (select due.next_run_at from environments e cross join lateral (
              select next_run_at from sync_turns
               where environment_id = e.id and next_run_at <= ${now}
               order by next_run_at limit ${COUNTED_AT_MOST}) due
             limit ${COUNTED_AT_MOST}) waiting`.execute(db);
  return rows;
}
