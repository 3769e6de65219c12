import { sql } from "kysely";
import type { Db } from "#foundation/db";

interface Recount {
  readonly everyMs: number;
  /** The more are silent, the longer until they are counted again. */
  readonly perSecond: number;
  readonly atOnce: number;
}

/**
 * Counts silent connections again, in a transaction, without those that are not expected to receive webhooks. What
 * changes in between is added and subtracted by triggers.
 */
export async function recountSilences(
  db: Db,
  now: Date,
  { everyMs, perSecond, atOnce }: Recount,
): Promise<void> {
  // Locked before it is counted: a trigger adds to the row only after the count has seen what it adds, or has not.
  const { rows } = await sql<{ environmentId: string; integrationId: string }>`
    select environment_id as "environmentId", integration_id as "integrationId" from webhook_silences
     where recount_at <= ${now}
     order by recount_at limit ${atOnce} for update skip locked`.execute(db.withoutPlugins());
  for (const { environmentId, integrationId } of rows) {
    await sql`
      with counted as (
        select count(*) as silent, min(a.silent_since) as since, max(a.silent_since) as last_at,
               max(a.last_at) as received_at,
               to_jsonb((array_agg(c.connection_id order by a.silent_since desc))[1:5]) as sample
          from webhook_arrivals a
          -- By its key: without statistics all connections would be read.
         cross join lateral (
            select * from connections where uuid = a.connection_uuid and environment_id = a.environment_id offset 0) c
         where a.environment_id = ${environmentId} and a.silent_since is not null
           and c.integration_id = ${integrationId} and c.deleted_at is null and c.frozen_at is null
           and c.needs_reauthorization_at is null)
      update webhook_silences s
         set silent = counted.silent, since = coalesce(counted.since, s.since),
             last_at = coalesce(counted.last_at, s.last_at),
             received_at = coalesce(counted.received_at, s.received_at),
             sample = coalesce(counted.sample, '[]'),
             recount_at = ${now}::timestamptz
               + greatest(${everyMs} * interval '1 ms', counted.silent * interval '1 second' / ${perSecond}::int)
        from counted
       where s.environment_id = ${environmentId} and s.integration_id = ${integrationId}`.execute(
      db,
    );
    await sql`
      delete from webhook_silences
       where environment_id = ${environmentId} and integration_id = ${integrationId} and silent <= 0`.execute(
      db,
    );
  }
}
