import { sql } from "kysely";
import type { Db } from "#foundation/db";
import { type Backlog, COUNTED_AT_MOST } from "#foundation/telemetry";

/** Webhooks of providers that were stored and wait to be handled. */
export async function readInboxBacklog(db: Db, now: Date): Promise<readonly Backlog[]> {
  const { rows } = await sql<Backlog>`
    select 'inbox' as kind, count(*)::int as depth,
           coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0)::float8 as oldest_seconds
      from (select coalesce(next_attempt_at, received_at) as due_at from inbound_webhooks
             where state = 'waiting' and (next_attempt_at is null or next_attempt_at <= ${now})
             limit ${COUNTED_AT_MOST}) waiting`.execute(db);
  return rows;
}
