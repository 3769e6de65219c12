import { CompiledQuery, sql } from "kysely";
import { AppError, type ConnectionUuid, type EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";

declare const modelBrand: unique symbol;

/** Number of one model of one connection; only the queries by environment give one out. */
export type ModelId = number & { readonly [modelBrand]: true };

export interface ModelKey {
  readonly connection: ConnectionUuid;
  readonly model: string;
}

/** Planned at each call: a plan kept from when a partition was small would read all of it when it has grown. */
export function plannedStatement(text: string): (values: readonly unknown[]) => CompiledQuery {
  return (values) => CompiledQuery.raw(text, [...values]);
}

/** A moment after a model's last change; in UTC, for Citus takes no sum that depends on the session's time zone. */
export function momentAfter(time: string): string {
  return `((${time} at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')`;
}

/** Bytes of the content of record `r` as it is stored. */
export const bytesOfContent =
  "coalesce(octet_length(r.payload), octet_length(r.document::text), 0)";

/**
 * The record `r` of a model and of an id, both given in SQL, by its key: joined by conditions alone, records of a
 * partition without statistics would be found by reading the whole model.
 */
export function recordById(model: string, id: string): string {
  return `lateral (select * from records where model_id = ${model} and record_id = ${id} offset 0) r`;
}

/** A model while its row is locked. */
export interface LockedModel {
  readonly id: ModelId;
  readonly sequence: number;
  readonly liveCount: number;
  readonly isTracking: boolean;
  /** How many deletions the guard lets pass. */
  readonly allowedDeletes: number;
  /** Records that did not match the schema. */
  readonly quarantined: number;
}

const lockRow = hotStatement(
  "record_model_lock",
  `select id, sequence, live_count as "liveCount", is_tracking as "isTracking",
          allowed_deletes as "allowedDeletes", quarantined
     from record_models where id = $1 for update`,
);

/** Undefined when the model has gone. */
export async function lockModelRow(db: Db, id: ModelId): Promise<LockedModel | undefined> {
  const [row] = await runHot<LockedModel>(db, lockRow([id]));
  return row;
}

// By itself: Citus takes no lock of a model in a statement that also reads a table of the first server.
const findEnvironment = hotStatement(
  "record_environment",
  "select from environments where id = $1 and deleted_at is null",
);

export async function hasEnvironment(db: Db, environmentId: EnvironmentId): Promise<boolean> {
  return (await runHot(db, findEnvironment([environmentId]))).length > 0;
}

const findId = hotStatement(
  "record_model_id",
  "select id from record_directory where environment_id = $1 and connection_uuid = $2 and model = $3",
);

export async function findModelId(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model }: ModelKey,
): Promise<ModelId | undefined> {
  const [row] = await runHot<{ id: ModelId }>(db, findId([environmentId, connection, model]));
  return row?.id;
}

const addId = hotStatement(
  "record_model_id_add",
  `insert into record_directory (environment_id, connection_uuid, model, id)
   select $1::uuid, $2::uuid, $3, number * 4294967296 + nextval('record_model_numbers')
     from record_environments join environments on id = environment_id and deleted_at is null
    where environment_id = $1
   on conflict (environment_id, connection_uuid, model) do update set model = excluded.model
   returning id`,
);

// In the directory first: it alone says that there is one model of a name.
const addRow = hotStatement(
  "record_model_add",
  `insert into record_models
     (id, environment_id, connection_uuid, model, last_modified_at, bytes, bytes_sequence)
   values ($1, $2, $3, $4, $5::timestamptz - interval '1 microsecond', 0, 0)
   on conflict do nothing`,
);

/** Adds a model of which nothing was saved; its number is that of another caller's where that was faster. */
export async function addModel(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model }: ModelKey,
  now: Date,
): Promise<ModelId> {
  const key = [environmentId, connection, model];
  let [added] = await runHot<{ id: ModelId }>(db, addId(key));
  if (added === undefined) {
    await addPartition(db, environmentId);
    [added] = await runHot<{ id: ModelId }>(db, addId(key));
  }
  if (added === undefined) {
    throw new AppError(
      "unknown_environment",
      "The environment was deleted, its records with it; nothing was written.",
    );
  }
  await runHot(db, addRow([added.id, ...key, now]));
  return added.id;
}

/** Makes writers and pruning of the model wait until the transaction ends; false when it has gone. */
export async function lockModelById(db: Db, model: ModelId): Promise<boolean> {
  const { rows } = await sql`select from record_models where id = ${model} for update`.execute(db);
  return rows.length > 0;
}

/** Makes the environment's partition unless it is there or the environment is deleted; another caller's is waited for. */
async function addPartition(db: Db, environmentId: EnvironmentId): Promise<void> {
  const { rows } = await sql<{ number: number }>`
    insert into record_environments (environment_id)
    select id from environments where id = ${environmentId} and deleted_at is null
    on conflict do nothing returning number`.execute(db);
  if (rows[0] === undefined) return;
  await sql`select add_record_partitions(${rows[0].number}::integer)`.execute(db);
}

/** The number of the environment's partition, which is made unless it is there; undefined when the environment is deleted. */
export async function ensurePartition(
  db: Db,
  environmentId: EnvironmentId,
): Promise<number | undefined> {
  await addPartition(db, environmentId);
  return await findPartition(db, environmentId);
}

/** Some of the models of an environment. */
export async function listModelsOf(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<ModelId[]> {
  const { rows } = await sql<{ id: ModelId }>`
    select id from record_directory where environment_id = ${environmentId} limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Forgets models; their records stay. Their own rows go first, for which writers wait. */
export async function removeModels(db: Db, models: readonly ModelId[]): Promise<void> {
  await sql`delete from record_models where id = any(${models}::bigint[])`.execute(db);
  await sql`delete from record_trackings where model_id = any(${models}::bigint[])`.execute(db);
  await sql`delete from record_sightings where model_id = any(${models}::bigint[])`.execute(db);
  await removeQuarantines(db, models);
  await sql`delete from record_versions where model_id = any(${models}::bigint[])`.execute(db);
  await sql`delete from record_directory where id = any(${models}::bigint[])`.execute(db);
}

/** What was quarantined of models. */
export async function removeQuarantines(db: Db, models: readonly ModelId[]): Promise<void> {
  await sql`delete from quarantined_records where model_id = any(${models}::bigint[])`.execute(db);
  await sql`delete from record_quarantine_reasons where model_id = any(${models}::bigint[])`.execute(
    db,
  );
  await sql`delete from record_quarantine_samples where model_id = any(${models}::bigint[])`.execute(
    db,
  );
}

export async function findPartition(
  db: Db,
  environmentId: EnvironmentId,
): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select number from record_environments where environment_id = ${environmentId}`.execute(db);
  return rows[0]?.number;
}

/** False where the environment's records lie in one table with all others. */
export async function hasPartition(db: Db, number: number): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where relname = ${`records_${number}`}
       and relnamespace = current_schema()::regnamespace`.execute(db);
  return rows.length > 0;
}

/** False on a cluster, where records of all environments lie in one table. */
export async function areRecordsPartitioned(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where oid = 'records'::regclass and relkind = 'p'`.execute(db);
  return rows.length > 0;
}

/** Drops an environment's records; gives up when it has to wait, since later callers would wait as well. */
export async function dropPartition(db: Db, number: number): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db);
  await sql.raw(`drop table if exists records_${number}`).execute(db);
}

export async function forgetPartition(db: Db, number: number): Promise<void> {
  await sql`delete from record_environments where number = ${number}`.execute(db);
}

/** A model as readers see it. */
export interface KnownModel {
  readonly id: ModelId;
  /** Of the last change so far. */
  readonly sequence: number;
  readonly maxBytes: number;
}

const findRow = hotStatement(
  "record_model_find",
  `select id, sequence, max_bytes as "maxBytes" from record_models where id = $1`,
);

/** Undefined when the model has gone. */
export async function findModelRow(db: Db, id: ModelId): Promise<KnownModel | undefined> {
  const [row] = await runHot<KnownModel>(db, findRow([id]));
  return row;
}

const counts = hotStatement(
  "record_counts",
  `select id, connection_uuid as connection, model, live_count as count from record_models
    where environment_id = $1 and connection_uuid = any($2::uuid[]) order by model`,
);

export interface ModelCount {
  readonly id: ModelId;
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly count: number;
}

export async function listCounts(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<ModelCount[]> {
  return await runHot<ModelCount>(db, counts([environmentId, connections]));
}

const refusals = hotStatement(
  "record_refused_deletes",
  `select connection_uuid as connection, model, refused_deletes::int as deletes from record_models
    where environment_id = $1 and connection_uuid = any($2::uuid[]) and refused_deletes > 0`,
);

export interface RefusedDeletes {
  readonly connection: ConnectionUuid;
  /** As the model is stored. */
  readonly model: string;
  readonly deletes: number;
}

export async function listRefusals(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<RefusedDeletes[]> {
  return await runHot<RefusedDeletes>(db, refusals([environmentId, connections]));
}

const resetCount = plannedStatement(
  `update record_models
      set live_count = counted.live, bytes = counted.bytes, bytes_sequence = sequence
     from (select count(*) filter (where r.deleted_at is null) as live,
                  coalesce(sum(${bytesOfContent}), 0) as bytes
             from records r where r.model_id = $1) counted
    where id = $1`,
);

/** Counts a model again; its order continues, so that older cursors stay behind what comes. */
export async function recountModel(db: Db, model: ModelId): Promise<void> {
  await runHot(db, resetCount([model]));
}

const addSightings = hotStatement(
  "record_sighting",
  "insert into record_sightings (model_id, ids) values ($1, $2)",
);

/** Notes that a run has saved these ids since its tracking began, whether they had changed or not. */
export async function noteSightings(db: Db, model: ModelId, ids: readonly string[]): Promise<void> {
  await runHot(db, addSightings([model, ids]));
}
