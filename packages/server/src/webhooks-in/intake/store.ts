import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Intake, RejectionReason } from "./intake.ts";

/** Adds what came to what is known; nothing for integrations that are gone. */
export async function addIntakes(db: Db, intakes: readonly Intake[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into webhook_intake as known
      (environment_id, integration_id, received_at, verified_at, rejected_at, rejected_reason,
       unverified_since, unverified_at, unverified_reason)
    select i.environment_id, i.id, n."receivedAt", n."verifiedAt", n."rejectedAt", n."rejectedReason",
           n."unverifiedSince", n."unverifiedAt", n."unverifiedReason"
      from json_to_recordset(${JSON.stringify(intakes)}::json)
           as n ("environmentId" uuid, "integrationId" bigint, "receivedAt" timestamptz, "verifiedAt" timestamptz,
                 "rejectedAt" timestamptz, "rejectedReason" text, "unverifiedSince" timestamptz,
                 "unverifiedAt" timestamptz, "unverifiedReason" text)
      join integrations i on i.id = n."integrationId" and i.environment_id = n."environmentId"
     order by i.id
    on conflict (integration_id, environment_id) do update
       set received_at = greatest(known.received_at, excluded.received_at),
           verified_at = greatest(known.verified_at, excluded.verified_at),
           rejected_at = greatest(known.rejected_at, excluded.rejected_at),
           rejected_reason = coalesce(excluded.rejected_reason, known.rejected_reason),
           unverified_since = case when excluded.verified_at is not null then null
                                   else coalesce(known.unverified_since, excluded.unverified_since) end,
           unverified_at = greatest(known.unverified_at, excluded.unverified_at),
           unverified_reason = coalesce(excluded.unverified_reason, known.unverified_reason)`.execute(
    db,
  );
  const rejections = intakes.flatMap(({ integrationId, environmentId, rejections: all }) =>
    all.map((rejection) => ({ integrationId, environmentId, ...rejection })),
  );
  if (rejections.length === 0) return;
  await sql`
    insert into webhook_rejections as known (environment_id, integration_id, hour, reason, count)
    select i.environment_id, i.id, n.hour, n.reason, n.count
      from json_to_recordset(${JSON.stringify(rejections)}::json)
           as n ("environmentId" uuid, "integrationId" bigint, hour timestamptz, reason text, count bigint)
      join integrations i on i.id = n."integrationId" and i.environment_id = n."environmentId"
     order by i.id, n.hour, n.reason
    on conflict (integration_id, environment_id, hour, reason) do update
       set count = known.count + excluded.count`.execute(db);
}

export interface IntakeRow {
  readonly id: number;
  readonly integrationKey: string;
  readonly receivedAt: Date | null;
  readonly verifiedAt: Date | null;
  readonly rejectedAt: Date | null;
  readonly rejectedReason: RejectionReason | null;
}

/** Integrations of the environment, the newest first. */
export async function listIntakeRows(
  db: Db,
  environmentId: EnvironmentId,
  filter: {
    readonly integrationId: number | undefined;
    /** Number of the last row of the page before. */
    readonly before: number | undefined;
    readonly limit: number;
  },
): Promise<IntakeRow[]> {
  const { integrationId, before, limit } = filter;
  const { rows } = await sql<IntakeRow>`
    select i.id::float8 as id, i.unique_key as "integrationKey", w.received_at as "receivedAt",
           w.verified_at as "verifiedAt", w.rejected_at as "rejectedAt", w.rejected_reason as "rejectedReason"
      from integrations i
      left join webhook_intake w on w.integration_id = i.id and w.environment_id = i.environment_id
     where i.environment_id = ${environmentId} and i.deleted_at is null
       and ${integrationId === undefined ? sql`true` : sql`i.id = ${integrationId}`}
       and ${before === undefined ? sql`true` : sql`i.id < ${before}`}
     order by i.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export interface RejectionSum {
  readonly integrationId: number;
  readonly reason: RejectionReason;
  readonly count: number;
}

/** Rejections since a time, by integration; the most frequent reason first. */
export async function sumRejections(
  db: Db,
  environmentId: EnvironmentId,
  { integrationIds, since }: { readonly integrationIds: readonly number[]; readonly since: Date },
): Promise<RejectionSum[]> {
  const { rows } = await sql<RejectionSum>`
    select integration_id::float8 as "integrationId", reason, sum(count)::float8 as count
      from webhook_rejections
     where integration_id = any(${integrationIds}::bigint[]) and environment_id = ${environmentId}
       and hour > ${since}
     group by integration_id, reason order by sum(count) desc, reason`.execute(db.withoutPlugins());
  return rows;
}

/** Notes of an integration when its last webhook came, where nothing is noted yet. */
export async function keepReceived(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, receivedAt }: { readonly integrationId: number; readonly receivedAt: Date },
): Promise<void> {
  await sql`
    insert into webhook_intake as known (environment_id, integration_id, received_at)
    values (${environmentId}, ${integrationId}, ${receivedAt})
    on conflict (integration_id, environment_id) do update
       set received_at = greatest(known.received_at, excluded.received_at)`.execute(db);
}

/** Integrations of which nothing is noted, such as those of the release before. */
export async function listUnnoted(db: Db, environmentId: EnvironmentId): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select i.id::float8 as id from integrations i
     where i.environment_id = ${environmentId} and i.deleted_at is null
       and not exists (select from webhook_intake w
                        where w.integration_id = i.id and w.environment_id = i.environment_id
                          and w.received_at is not null)`.execute(db.withoutPlugins());
  return rows.map(({ id }) => id);
}

export async function deleteRejectionsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from webhook_rejections where hour < ${time}`.execute(db);
}
