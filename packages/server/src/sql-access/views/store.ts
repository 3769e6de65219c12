import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, literal } from "#foundation/db";
import { VIEW_OWNER } from "../login/store.ts";

/** Of the text below: a release that changes it makes all views again. */
export const VIEWS_VERSION = 1;

/** The ids of an environment's models begin at its number times this. */
const MODELS_OF_ENVIRONMENT = 2 ** 32;

/** Models of which records were saved, without variants; each is found by one step in the index. */
export async function listModelNames(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<string[]> {
  const next = (after: string) => sql`
    (select model from record_models
      where environment_id = ${environmentId} and id > 0 and model > ${sql.raw(after)} order by model limit 1)`;
  const { rows } = await sql<{ model: string }>`
    with recursive stored as (
      select ${next("''")} as model
      union all
      select ${next("stored.model")} from stored where stored.model is not null)
    select distinct split_part(model, '::', 1) as model from stored
     where model is not null order by 1 limit ${limit}`.execute(db);
  return rows.map(({ model }) => model);
}

/** Words that SQL does not take for the name of a table without quotes. */
export async function listReservedWords(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ word: string }>`
    select word from pg_get_keywords() where catcode <> 'U'`.execute(db);
  return new Set(rows.map(({ word }) => word));
}

export interface ViewPlace {
  readonly role: string;
  readonly schema: string;
}

/**
 * A view of the records of one model in one environment. By the range of the environment's models Postgres leaves out
 * the partitions of all others, and no view depends on a partition, which is dropped with its environment.
 */
export async function createView(
  db: Db,
  { role, schema }: ViewPlace,
  view: {
    readonly name: string;
    readonly model: string;
    readonly environmentId: EnvironmentId;
    readonly number: number;
  },
): Promise<void> {
  const { model, environmentId, number } = view;
  const [first, end] = [number * MODELS_OF_ENVIRONMENT, (number + 1) * MODELS_OF_ENVIRONMENT];
  const name = `"${schema}"."${view.name}"`;
  const text = `
    create view ${name} (id, integration, connection_id, model, variant, data, first_seen_at, last_modified_at,
                         deleted_at, pruned_at)
      with (security_barrier = true) as
    select r.record_id, i.unique_key, c.connection_id, ${literal(model)}::text,
           case when strpos(m.model, '::') = 0 then 'base' else split_part(m.model, '::', 2) end,
           r.document, r.first_seen_at, r.last_modified_at, r.deleted_at, r.pruned_at
      from record_models m
      join connections c on c.uuid = m.connection_uuid and c.environment_id = m.environment_id
                        and c.deleted_at is null
      join integrations i on i.id = c.integration_id
      join records r on r.model_id = m.id and r.model_id >= ${first} and r.model_id < ${end} and r.sequence > 0
     where m.environment_id = '${environmentId}' and m.id >= ${first} and m.id < ${end}
       and split_part(m.model, '::', 1) = ${literal(model)}`;
  await sql.raw(text).execute(db);
  await sql.raw(`grant select on ${name} to ${role}`).execute(db);
  await sql.raw(`alter view ${name} owner to ${VIEW_OWNER}`).execute(db);
}

export async function dropViews(db: Db, schema: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const listed = names.map((name) => `"${schema}"."${name}"`).join(", ");
  await sql.raw(`drop view if exists ${listed}`).execute(db);
}

/** A reader of a view holds up its change: it is given up soon, and tried again. */
export async function limitLockWait(db: Db): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db);
}
