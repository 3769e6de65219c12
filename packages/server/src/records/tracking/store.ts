import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, inIndexOrder, runHot, runNamed } from "#foundation/db";
import { type ModelId, momentAfter, plannedStatement } from "../store.ts";

/** starts over: nothing is seen yet. The model is locked, as for the others that change a tracking. */
export async function beginTracking(
  db: Db,
  model: ModelId,
  { tracker, now }: { tracker: string; now: Date },
): Promise<void> {
  await sql`
    insert into record_trackings (model_id, tracker, after_batch, begun_at)
    select ${model}, ${tracker}, coalesce(max(batch), 0), ${now}::timestamptz
      from record_sightings where model_id = ${model}
    on conflict (model_id, tracker) do update
       set after_batch = excluded.after_batch, begun_at = excluded.begun_at, is_swept = false`.execute(
    db,
  );
  await dropSightings(db, model);
}

/** Continues with what was seen so far; false when the tracker has not begun. */
export async function resumeTracking(db: Db, model: ModelId, tracker: string): Promise<boolean> {
  const { rows } = await sql`
    update record_trackings set is_swept = false
     where model_id = ${model} and tracker = ${tracker} returning 1`.execute(db);
  return rows.length > 0;
}

export async function findTracking(
  db: Db,
  model: ModelId,
  tracker: string,
): Promise<{ afterBatch: number | null } | undefined> {
  const { rows } = await sql<{ afterBatch: number | null }>`
    select after_batch from record_trackings
     where model_id = ${model} and tracker = ${tracker}`.execute(db);
  return rows[0];
}

export async function markSwept(db: Db, model: ModelId, tracker: string): Promise<void> {
  await sql`
    update record_trackings set is_swept = true
     where model_id = ${model} and tracker = ${tracker}`.execute(db);
}

/** Of these models, those of which the tracker has swept what it had not seen. */
export async function listSweptModels(
  db: Db,
  models: readonly ModelId[],
  tracker: string,
): Promise<ModelId[]> {
  const query = sql<{ id: ModelId }>`
    select model_id as id from record_trackings
     where model_id = any(${[...models]}::bigint[]) and tracker = ${tracker} and is_swept`;
  const rows = await runNamed(db, "record_swept_models", query);
  return rows.map(({ id }) => id);
}

/** Ends what the tracker has swept. */
export async function deleteSwept(db: Db, model: ModelId, tracker: string): Promise<void> {
  await sql`
    delete from record_trackings
     where model_id = ${model} and tracker = ${tracker} and is_swept`.execute(db);
  await dropSightings(db, model);
}

/** Models with trackings that began before a time and still note what is saved; of all environments. */
export async function listOldTrackings(db: Db, before: Date): Promise<ModelId[]> {
  const { rows } = await sql<{ id: ModelId }>`
    select distinct model_id as id from record_trackings
     where begun_at < ${before} and after_batch is not null`.execute(db);
  return rows.map(({ id }) => id);
}

export async function expireTrackings(db: Db, model: ModelId, before: Date): Promise<void> {
  await sql`
    update record_trackings set after_batch = null
     where model_id = ${model} and begun_at < ${before}`.execute(db);
  await dropSightings(db, model);
}

/** Keeps only what a tracker still counts as seen, and notes no more than is asked for. */
async function dropSightings(db: Db, model: ModelId): Promise<void> {
  await sql`
    delete from record_sightings s
     where model_id = ${model} and not exists (
       select 1 from record_trackings t where t.model_id = s.model_id and t.after_batch < s.batch)`.execute(
    db,
  );
  await sql`
    update record_models set is_tracking = exists (
        select 1 from record_trackings where model_id = ${model} and after_batch is not null)
     where id = ${model}`.execute(db);
}

export interface Sweep {
  /** Live records that were not seen. */
  readonly unseen: number;
  /** Order number before the first deletion; null when none was made. */
  readonly base: number | null;
  /** Ids of some that were to be deleted; null when they were. */
  readonly sample: readonly string[] | null;
}

// Postgres keeps the lists in temporary files when they are long; none of it passes through this process.
const sweep = plannedStatement(
  `with seen as materialized (
     select distinct seen_id from record_sightings s, unnest(s.ids) as seen_id
      where s.model_id = $1 and s.batch > $4),
   gone as materialized (
     select r.record_id, row_number() over (order by r.record_id) as n
       from records r
      where r.model_id = $1 and r.deleted_at is null
        and not exists (select from seen where seen.seen_id = r.record_id)),
   total as (select count(*)::bigint as count from gone),
   turn as (
     update record_models
        set sequence = sequence + total.count, live_count = live_count - total.count,
            bytes_sequence = bytes_sequence + total.count,
            last_modified_at = greatest($2::timestamptz, ${momentAfter("last_modified_at")})
       from total
      where id = $1 and total.count > 0 and ($3::bigint is null or total.count <= $3)
     returning sequence - total.count as base, last_modified_at as at),
   marked as (
     update records r
        set sequence = turn.base + gone.n, last_modified_at = turn.at, deleted_at = turn.at
       from gone, turn
      where r.model_id = $1 and r.record_id = gone.record_id)
   select total.count as unseen, turn.base,
          case when turn.base is null
               then (select jsonb_agg(record_id order by n) from gone where n <= 20) end as sample
     from total left join turn on true`,
);

/** Marks every live record as deleted that no batch after the given one has named, unless they are more than `most`. */
export async function deleteUnseen(
  db: Db,
  model: ModelId,
  { now, most, afterBatch }: { now: Date; most: number | undefined; afterBatch: number },
): Promise<Sweep> {
  const [row] = await runHot<Sweep>(db, sweep([model, now, most ?? null, afterBatch]));
  if (row === undefined) throw new Error("the sweep of unseen records answered nothing");
  return row;
}

/** Remembers what the guard refused, for a person to look at; nothing is allowed any more. */
export async function noteRefusedDeletes(
  db: Db,
  model: ModelId,
  refused: { deletes: number; sample: readonly string[]; now: Date } | undefined,
): Promise<void> {
  const sample = refused === undefined ? null : JSON.stringify(refused.sample);
  await sql`
    update record_models
       set refused_deletes = ${refused?.deletes ?? null}, allowed_deletes = 0,
           refused_at = ${refused?.now ?? null}, refused_sample = ${sample}::jsonb
     where id = ${model}`.execute(db);
}

/** Allows what was refused, once; answers what that is. */
export async function allowRefusedDeletes(
  db: Db,
  environmentId: EnvironmentId,
  { connection, models }: { connection: ConnectionUuid; models: readonly string[] },
): Promise<{ model: string; deletes: number }[]> {
  const { rows } = await sql<{ model: string; deletes: number }>`
    update record_models
       set allowed_deletes = refused_deletes, refused_deletes = null, refused_at = null, refused_sample = null
     where environment_id = ${environmentId} and connection_uuid = ${connection}
       and model = any(${[...models]}::text[]) and refused_deletes is not null
    returning model, allowed_deletes as deletes`.execute(db);
  return rows;
}

const deletedIds = plannedStatement(
  `select record_id as id, sequence from records
    where model_id = $1 and sequence > 0 and sequence > $2 and sequence <= $3 and deleted_at is not null
    order by sequence limit $4`,
);

/** Ids of the records deleted between two order numbers, in their order. */
export async function listDeletedIds(
  db: Db,
  model: ModelId,
  page: { after: number; until: number; limit: number },
): Promise<{ id: string; sequence: number }[]> {
  const ids = deletedIds([model, page.after, page.until, page.limit]);
  return await inIndexOrder(db, async (db) => await runHot(db, ids));
}
