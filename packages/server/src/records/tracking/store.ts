import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import { type Db, runHot } from "#platform/db";
import { type ModelId, plannedStatement } from "../store.ts";

/** Begins tracking with nothing seen yet, or ends it. */
export async function setTracking(db: Db, model: ModelId, isTracking: boolean): Promise<void> {
  await sql`delete from record_sightings where model_id = ${model}`.execute(db);
  await sql`update record_models set is_tracking = ${isTracking} where id = ${model}`.execute(db);
}

export interface Sweep {
  /** Live records that were not seen. */
  readonly unseen: number;
  /** Order number before the first deletion; null when none was made. */
  readonly base: number | null;
}

// Postgres keeps the lists in temporary files when they are long; none of it passes through this process.
const sweep = plannedStatement(
  `with seen as materialized (
     select distinct seen_id from record_sightings s, unnest(s.ids) as seen_id where s.model_id = $1),
   gone as materialized (
     select r.record_id, row_number() over (order by r.record_id) as n
       from records r
      where r.model_id = $1 and r.deleted_at is null
        and not exists (select from seen where seen.seen_id = r.record_id)),
   total as (select count(*)::bigint as count from gone),
   turn as (
     update record_models
        set sequence = sequence + total.count, live_count = live_count - total.count,
            last_modified_at = greatest($2::timestamptz, last_modified_at + interval '1 microsecond')
       from total
      where id = $1 and total.count > 0 and ($3::bigint is null or total.count <= $3)
     returning sequence - total.count as base, last_modified_at as at),
   marked as (
     update records r
        set sequence = turn.base + gone.n, last_modified_at = turn.at, deleted_at = turn.at
       from gone, turn
      where r.model_id = $1 and r.record_id = gone.record_id)
   select total.count as unseen, turn.base from total left join turn on true`,
);

/** Marks every live record as deleted that was not seen, unless they are more than `most`. */
export async function deleteUnseen(
  db: Db,
  model: ModelId,
  { now, most }: { now: Date; most: number | undefined },
): Promise<Sweep> {
  const [row] = await runHot<Sweep>(db, sweep([model, now, most ?? null]));
  if (row === undefined) throw new Error("the sweep of unseen records answered nothing");
  return row;
}

/** Remembers what the guard refused, for a person to look at; nothing is allowed any more. */
export async function noteRefusedDeletes(
  db: Db,
  model: ModelId,
  refused: number | undefined,
): Promise<void> {
  await sql`
    update record_models set refused_deletes = ${refused ?? null}, allowed_deletes = 0
     where id = ${model}`.execute(db);
}

/** Allows what was refused, once; answers what that is. */
export async function allowRefusedDeletes(
  db: Db,
  environmentId: EnvironmentId,
  { connection, models }: { connection: ConnectionUuid; models: readonly string[] },
): Promise<{ model: string; deletes: number }[]> {
  const { rows } = await sql<{ model: string; deletes: number }>`
    update record_models set allowed_deletes = refused_deletes, refused_deletes = null
     where environment_id = ${environmentId} and connection_uuid = ${connection}
       and model = any(${[...models]}::text[]) and refused_deletes is not null
    returning model, allowed_deletes as deletes`.execute(db);
  return rows;
}

const deletedIds = plannedStatement(
  `select record_id as id, sequence from records
    where model_id = $1 and sequence > $2 and sequence <= $3 and deleted_at is not null
    order by sequence limit $4`,
);

/** Ids of the records deleted between two order numbers, in their order. */
export async function listDeletedIds(
  db: Db,
  model: ModelId,
  page: { after: number; until: number; limit: number },
): Promise<{ id: string; sequence: number }[]> {
  return await runHot(db, deletedIds([model, page.after, page.until, page.limit]));
}
