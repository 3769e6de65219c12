import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Changes of a model on one day. */
export interface ReconciledCount {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
  /** Without the variant. */
  readonly model: string;
  /** `YYYY-MM-DD`, of UTC. */
  readonly day: string;
  readonly brought: number;
  readonly missed: number;
  readonly runs: number;
}

/** Adds to what the days have; nothing for connections that are gone. */
export async function addReconciled(db: Db, counts: readonly ReconciledCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into sync_reconciliations as known
      (environment_id, connection_uuid, model, day, brought, missed, runs)
    select u."environmentId", u.connection, u.model, u.day, u.brought, u.missed, u.runs
      from json_to_recordset(${JSON.stringify(counts)}::json)
           as u ("environmentId" uuid, connection uuid, model text, day date, brought bigint, missed bigint, runs bigint)
      join environments e on e.id = u."environmentId" and e.deleted_at is null
      join connections c on c.uuid = u.connection and c.environment_id = e.id and c.deleted_at is null
     order by 1, 2, 3, 4
    on conflict (environment_id, connection_uuid, model, day) do update
       set brought = known.brought + excluded.brought, missed = known.missed + excluded.missed,
           runs = known.runs + excluded.runs`.execute(db);
}

interface ReconciliationFilter {
  readonly connection: ConnectionUuid | undefined;
  readonly integrationId: number | undefined;
  readonly model: string | undefined;
  readonly isMissedOnly: boolean;
  /** Of the last row of the page before. */
  readonly after: { readonly day: string; readonly id: number } | undefined;
  readonly limit: number;
}

export interface ReconciliationRow {
  readonly id: number;
  readonly connectionId: string;
  readonly integrationKey: string;
  readonly model: string;
  readonly day: string;
  readonly brought: number;
  readonly missed: number;
  readonly runs: number;
}

/** The newest day first. */
export async function listReconciled(
  db: Db,
  environmentId: EnvironmentId,
  { connection, integrationId, model, isMissedOnly, after, limit }: ReconciliationFilter,
): Promise<ReconciliationRow[]> {
  const { rows } = await sql<ReconciliationRow>`
    select r.id::float8 as id, c.connection_id as "connectionId", i.unique_key as "integrationKey", r.model,
           to_char(r.day, 'YYYY-MM-DD') as day, r.brought::float8 as brought, r.missed::float8 as missed,
           r.runs::float8 as runs
      from sync_reconciliations r
      join connections c on c.uuid = r.connection_uuid and c.environment_id = r.environment_id
       and c.deleted_at is null
      join integrations i on i.id = c.integration_id
     where r.environment_id = ${environmentId}
       and ${connection === undefined ? sql`true` : sql`r.connection_uuid = ${connection}`}
       and ${integrationId === undefined ? sql`true` : sql`c.integration_id = ${integrationId}`}
       and ${model === undefined ? sql`true` : sql`r.model = ${model}`}
       and ${isMissedOnly ? sql`r.missed > 0` : sql`true`}
       and ${after === undefined ? sql`true` : sql`(r.day, r.id) < (${after.day}::date, ${after.id}::bigint)`}
     order by r.day desc, r.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function deleteReconciledOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  // Locked in the order in which they are added to, so that the two never wait for each other.
  await sql`
    with gone as materialized (
      select connection_uuid, model, day from sync_reconciliations
       where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
       order by connection_uuid, model, day for update)
    delete from sync_reconciliations r using gone
     where r.environment_id = ${environmentId} and r.connection_uuid = gone.connection_uuid
       and r.model = gone.model and r.day = gone.day`.execute(db);
}

export async function deleteReconciledBefore(db: Db, day: string): Promise<void> {
  await sql`delete from sync_reconciliations where day < ${day}::date`.execute(db);
}
