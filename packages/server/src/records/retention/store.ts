import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, inIndexOrder, runHot } from "#foundation/db";
import { bytesOfContent, type ModelId, plannedStatement } from "../store.ts";

export interface PrunePage {
  /** Order number of the last record that may be pruned. */
  readonly until: number;
  readonly limit: number;
  readonly now: Date;
  /** Only records that last changed before it. */
  readonly before: Date | undefined;
}

export interface Pruned {
  readonly count: number;
  /** Order number of the last record looked at; null when there was none. */
  readonly last: number | null;
  /** Whether that one was pruned by this call or before. */
  readonly isOldEnough: boolean;
}

// The walk begins where nothing is left to prune, so that a model is read once however often it is called.
const prune = plannedStatement(
  `with page as (
     select r.record_id, r.sequence, r.payload is not null or r.document is not null as is_full,
            $5::timestamptz is null or r.last_modified_at < $5 as is_old,
            ${bytesOfContent} as bytes
       from record_models m
       join records r on r.model_id = m.id and r.sequence > m.pruned_through
      where m.id = $1 and r.model_id = $1 and r.sequence > 0 and r.sequence <= $2
      order by r.sequence limit $3),
   pruned as (
     -- Not joined with the page: while the table has no statistics, all of the model would be read for it.
     update records r set payload = null, document = null, pruned_at = $4
      where r.model_id = $1
        and r.record_id = any(array(select record_id from page where is_old and is_full))
     returning 1),
   moved as (
     update record_models m
        set pruned_through = greatest(m.pruned_through, old.last), bytes = m.bytes - old.bytes
       from (select max(sequence) as last, sum(bytes) as bytes from page where is_old) old
      where id = $1 and old.last is not null)
   select (select count(*)::int from pruned) as count, max(sequence) as last,
          coalesce(bool_and(is_old), false) as "isOldEnough" from page`,
);

/** Empties the payloads of a page of records; their place in the order and their times stay. */
export async function pruneRecordRows(db: Db, model: ModelId, page: PrunePage): Promise<Pruned> {
  const { until, limit, now, before } = page;
  const values = [model, until, limit, now, before ?? null];
  const [row] = await inIndexOrder(db, async (db) => await runHot<Pruned>(db, prune(values)));
  if (row === undefined) throw new Error("pruning answered nothing");
  return row;
}

/** What pruning such a page would do; it changes nothing. `looked`: how many records the page has. */
export async function countPrunableRows(
  db: Db,
  model: ModelId,
  { until, limit, before }: Omit<PrunePage, "now">,
): Promise<Pruned & { looked: number }> {
  const old = before ?? null;
  const counted = sql<Pruned & { looked: number }>`
    with page as (
      select r.sequence, r.payload is not null or r.document is not null as is_full,
             ${old}::timestamptz is null or r.last_modified_at < ${old}::timestamptz as is_old
        from record_models m
        join records r on r.model_id = m.id and r.sequence > m.pruned_through
       where m.id = ${model} and r.model_id = ${model} and r.sequence > 0 and r.sequence <= ${until}
       order by r.sequence limit ${limit})
    select count(*) filter (where is_old and is_full)::int as count, count(*)::int as looked,
           max(sequence) as last, coalesce(bool_and(is_old), false) as "isOldEnough" from page`;
  const { rows } = await inIndexOrder(db, async (db) => await counted.execute(db));
  const [row] = rows;
  if (row === undefined) throw new Error("counting answered nothing");
  return row;
}

/** Ids of an environment's models from one id on, in their order. */
export async function listModelIds(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: number; limit: number },
): Promise<ModelId[]> {
  const models = sql<{ id: ModelId }>`
    select id from record_models where environment_id = ${environmentId} and id > ${after}
     order by id limit ${limit}`;
  const { rows } = await inIndexOrder(db, async (db) => await models.execute(db));
  return rows.map(({ id }) => id);
}
