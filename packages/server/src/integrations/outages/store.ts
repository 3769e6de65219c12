import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface Outage {
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  readonly host: string;
  /** Why calls fail; null of an answer. */
  readonly reason: string | null;
  /** ISO 8601, as the other times; null of an answer. */
  readonly heldUntil: string | null;
  readonly failedAt: string | null;
  readonly reachedAt: string | null;
  readonly calls: number;
}

/** Adds to what is known; a failure after an answer, or long after the last one, begins an outage. */
export async function addOutages(db: Db, outages: readonly Outage[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other. An end that nobody knows of is nothing.
  await sql`
    with given as (
      select o.* from json_to_recordset(${JSON.stringify(outages)}::json) as o
        ("environmentId" uuid, "integrationId" bigint, host text, reason text, "heldUntil" timestamptz,
         "failedAt" timestamptz, "reachedAt" timestamptz, calls bigint)
        join environments e on e.id = o."environmentId"
    ), ended as (
      update provider_outages known
         set reached_at = greatest(known.reached_at, given."reachedAt")
        from given
       where known.environment_id = given."environmentId" and known.integration_id = given."integrationId"
         and known.host = given.host and given."failedAt" is null
    )
    insert into provider_outages as known
      (environment_id, integration_id, host, since, last_at, calls, reason, held_until, reached_at)
    select "environmentId", "integrationId", host, "failedAt", "failedAt", calls, reason, "heldUntil", "reachedAt"
      from given where "failedAt" is not null
     order by "environmentId", "integrationId", host
    on conflict (environment_id, integration_id, host) do update
       set since = case when ${isNew} then excluded.since else known.since end,
           calls = case when ${isNew} then excluded.calls else known.calls + excluded.calls end,
           last_at = greatest(known.last_at, excluded.last_at), reason = excluded.reason,
           held_until = excluded.held_until, reached_at = coalesce(excluded.reached_at, known.reached_at)`.execute(
    db,
  );
}

const isNew = sql.raw(
  "(known.reached_at >= known.last_at or known.last_at < excluded.last_at - interval '15 minutes')",
);

export async function deleteOutages(db: Db, before: Date): Promise<void> {
  await sql`delete from provider_outages where last_at < ${before}`.execute(db);
}
