import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { addSample, type FieldProfile, type FieldSample, newProfile } from "./profile.ts";

export interface DriftSample {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
  /** As it is stored. */
  readonly model: string;
  readonly fields: FieldSample;
  readonly atMs: number;
}

interface StoredProfile {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly profile: FieldProfile;
}

/** Adds samples to the profiles of their models, in a transaction; what was deleted meanwhile gets none. */
export async function addSamples(db: Db, samples: readonly DriftSample[]): Promise<void> {
  const keys = {
    environments: samples.map(({ environmentId }) => environmentId),
    connections: samples.map(({ connection }) => connection),
    models: samples.map(({ model }) => model),
  };
  const given = sql`
    unnest(${keys.environments}::uuid[], ${keys.connections}::uuid[], ${keys.models}::text[])
    as k (environment_id, connection_uuid, model)`;
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into record_drift (environment_id, connection_uuid, model, profile, first_at, last_at)
    select k.environment_id, k.connection_uuid, k.model, ${JSON.stringify(newProfile())}::jsonb, now(), now()
      from ${given}
      join environments e on e.id = k.environment_id and e.deleted_at is null
      join connections c on c.uuid = k.connection_uuid and c.environment_id = e.id and c.deleted_at is null
     order by 1, 2, 3
    on conflict do nothing`.execute(db);
  const { rows } = await sql<StoredProfile>`
    select d.environment_id as "environmentId", d.connection_uuid as connection, d.model, d.profile
      from record_drift d join ${given} using (environment_id, connection_uuid, model)
     order by d.environment_id, d.connection_uuid, d.model for update of d`.execute(
    db.withoutPlugins(),
  );
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  for (const sample of samples) {
    const row = byKey.get(keyOf(sample));
    if (row !== undefined) addSample(row.profile, sample.fields, sample.atMs);
  }
  const times = new Map(samples.map((sample) => [keyOf(sample), sample.atMs]));
  const changed = [...byKey].map(([key, row]) => ({ ...row, atMs: times.get(key) }));
  await sql`
    update record_drift d
       set profile = u.profile,
           first_at = least(d.first_at, to_timestamp(u."atMs" / 1000.0)),
           last_at = greatest(d.last_at, to_timestamp(u."atMs" / 1000.0))
      from json_to_recordset(${JSON.stringify(changed)}::json)
           as u ("environmentId" uuid, connection uuid, model text, profile jsonb, "atMs" bigint)
     where d.environment_id = u."environmentId" and d.connection_uuid = u.connection and d.model = u.model`.execute(
    db,
  );
}

export function keyOf({
  environmentId,
  connection,
  model,
}: Pick<DriftSample, "environmentId" | "connection" | "model">): string {
  return `${environmentId} ${connection} ${model}`;
}

interface DriftFilter {
  readonly connection: ConnectionUuid | undefined;
  /** As it is stored. */
  readonly model: string | undefined;
  /** Number of the last row of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

export interface DriftRow {
  readonly id: number;
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly profile: FieldProfile;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly connectionId: string;
  readonly integrationId: number;
  readonly integrationKey: string;
}

/** Profiles of models, newest first. */
export async function listProfiles(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model, before, limit }: DriftFilter,
): Promise<DriftRow[]> {
  const { rows } = await sql<DriftRow>`
    select d.id::float8 as id, d.connection_uuid as connection, d.model, d.profile, d.first_at as "firstAt", d.last_at as "lastAt",
           c.connection_id as "connectionId", i.id::int as "integrationId", i.unique_key as "integrationKey"
      from record_drift d
      join connections c on c.uuid = d.connection_uuid and c.environment_id = d.environment_id
       and c.deleted_at is null
      join integrations i on i.id = c.integration_id
     where d.environment_id = ${environmentId}
       and ${connection === undefined ? sql`true` : sql`d.connection_uuid = ${connection}`}
       and ${model === undefined ? sql`true` : sql`d.model = ${model}`}
       and ${before === undefined ? sql`true` : sql`d.id < ${before}`}
     order by d.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function deleteDriftOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    delete from record_drift
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])`.execute(
    db,
  );
}

export async function deleteDriftOfModel(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model }: Pick<DriftSample, "connection" | "model">,
): Promise<void> {
  await sql`
    delete from record_drift
     where environment_id = ${environmentId} and connection_uuid = ${connection} and model = ${model}`.execute(
    db,
  );
}

/** Of models that no run has saved since a time; of all environments. */
export async function deleteDriftBefore(db: Db, before: Date): Promise<void> {
  await sql`delete from record_drift where last_at < ${before}`.execute(db);
}
