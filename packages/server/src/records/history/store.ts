import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { ModelId } from "../store.ts";

/** Of a model in an environment, whichever connections have it. */
export interface RecordHistory {
  readonly environmentId: EnvironmentId;
  readonly model: string;
  readonly days: number;
  /** Moments before it cannot be read. */
  readonly since: Date;
  /** Its versions are about to be removed. */
  readonly endedAt: Date | null;
}

const columns = sql.raw(
  `environment_id as "environmentId", model, days, since, ended_at as "endedAt"`,
);

/** By model. */
export async function listHistoryRows(
  db: Db,
  environmentId: EnvironmentId,
): Promise<RecordHistory[]> {
  const { rows } = await sql<RecordHistory>`
    select ${columns} from record_histories where environment_id = ${environmentId}
     order by model`.execute(db.withoutPlugins());
  return rows;
}

/** Of all environments: who removes old versions looks at each. */
export async function listAllHistories(db: Db): Promise<RecordHistory[]> {
  const { rows } = await sql<RecordHistory>`
    select ${columns} from record_histories order by environment_id, model`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

export async function saveHistoryRow(
  db: Db,
  { environmentId, model, days, since }: Omit<RecordHistory, "endedAt">,
): Promise<void> {
  await sql`
    insert into record_histories (environment_id, model, days, since)
    values (${environmentId}, ${model}, ${days}, ${since})
    on conflict (environment_id, model) do update
       set days = excluded.days, since = excluded.since, ended_at = null`.execute(db);
}

/** False when none is kept. */
export async function endHistoryRow(
  db: Db,
  environmentId: EnvironmentId,
  { model, now }: { readonly model: string; readonly now: Date },
): Promise<boolean> {
  const result = await sql`
    update record_histories set ended_at = ${now}
     where environment_id = ${environmentId} and model = ${model} and ended_at is null`.execute(db);
  return result.numAffectedRows === 1n;
}

/** Unless it was begun again. */
export async function removeEndedHistory(
  db: Db,
  { environmentId, model }: Pick<RecordHistory, "environmentId" | "model">,
): Promise<void> {
  await sql`
    delete from record_histories
     where environment_id = ${environmentId} and model = ${model} and ended_at is not null`.execute(
    db,
  );
}

/** Serializes changes of an environment's histories. */
export async function lockHistories(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`select from environments where id = ${environmentId} for no key update`.execute(db);
}

/** From then on versions are kept; who writes records of the environment waits, and is waited for some seconds. */
export async function addVersionTriggers(db: Db, number: number): Promise<void> {
  await sql`set local lock_timeout = '5s'`.execute(db);
  await sql`select add_record_history(${number}::integer)`.execute(db);
}

export async function dropVersionTriggers(db: Db, number: number): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db);
  await sql`select drop_record_history(${number}::integer)`.execute(db);
}

/** The models of all connections and variants of that name, from an id on. */
export async function listModelsNamed(
  db: Db,
  { environmentId, model }: Pick<RecordHistory, "environmentId" | "model">,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ModelId[]> {
  const { rows } = await sql<{ id: ModelId }>`
    select id from record_directory
     where environment_id = ${environmentId} and split_part(model, '::', 1) = ${model} and id > ${after}
     order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Removes about so many versions, of those that were replaced before a time or of all; resolves to how many: fewer when
 * none is left. A boundary in time, and no keys: a lookup of each could be planned with another index.
 */
export async function removeVersions(
  db: Db,
  model: ModelId,
  { before, limit }: { readonly before: Date | undefined; readonly limit: number },
): Promise<number> {
  const isOld = sql`model_id = ${model} and replaced_at < ${before ?? "infinity"}::timestamptz`;
  const result = await sql`
    delete from record_versions
     where ${isOld} and replaced_at <= coalesce(
       (select replaced_at from record_versions where ${isOld} order by replaced_at offset ${limit - 1} limit 1), 'infinity')`.execute(
    db,
  );
  return Number(result.numAffectedRows);
}

/** When the oldest version was replaced that belongs to the newest so many; undefined when there are fewer. */
export async function findOldestOf(
  db: Db,
  model: ModelId,
  count: number,
): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select replaced_at as at from record_versions where model_id = ${model}
     order by replaced_at desc offset ${count - 1} limit 1`.execute(db);
  return rows[0]?.at;
}

export async function moveSince(
  db: Db,
  { environmentId, model }: Pick<RecordHistory, "environmentId" | "model">,
  since: Date,
): Promise<void> {
  await sql`
    update record_histories set since = greatest(since, ${since})
     where environment_id = ${environmentId} and model = ${model}`.execute(db);
}
