import { sql } from "kysely";
import type { Db } from "#foundation/db";
import { type Backlog, COUNTED_AT_MOST } from "#foundation/telemetry";

/** Deliveries that are due; what is held for receivers that are given up does not wait for us. */
export async function readDeliveryBacklog(db: Db, now: Date): Promise<readonly Backlog[]> {
  const { rows } = await sql<Backlog>`
    select 'delivery' as kind, count(*)::int as depth,
           coalesce(extract(epoch from ${now}::timestamptz - min(next_attempt_at)), 0)::float8 as oldest_seconds
      from (select due.next_attempt_at from webhook_receivers r cross join lateral (
              select t.next_attempt_at from delivery_turns t
               where t.environment_id = r.environment_id and t.receiver_id = r.id and t.next_attempt_at > '-infinity' and t.next_attempt_at <= ${now}
               order by t.next_attempt_at limit ${COUNTED_AT_MOST}) due
             where r.disabled_at is null
             limit ${COUNTED_AT_MOST}) waiting`.execute(db);
  return rows;
}
