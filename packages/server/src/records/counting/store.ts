import { sql } from "kysely";
import { type Db, inIndexOrder, runHot } from "#foundation/db";
import { bytesOfContent, type ModelId, plannedStatement } from "../store.ts";

/** Models of all environments whose bytes are not known, in the order of their ids; some that are gone may be among them. */
export async function listUncounted(
  db: Db,
  { after, limit }: { after: number; limit: number },
): Promise<ModelId[]> {
  const models = sql<{ id: ModelId }>`
    select id from uncounted_record_models where id > ${after} order by id limit ${limit}`;
  const { rows } = await inIndexOrder(db, async (db) => await models.execute(db));
  return rows.map(({ id }) => id);
}

/** Takes a model off that list, unless an earlier release has written to it in the meantime. */
export async function forgetCounted(db: Db, model: ModelId): Promise<void> {
  await sql`delete from uncounted_record_models where id = ${model}`.execute(db);
  // Once the row is deleted: a writer of the model adds it only afterwards.
  const { rows } = await sql`
    select from record_models where id = ${model} and bytes_sequence is distinct from sequence`.execute(
    db,
  );
  if (rows.length === 0) return;
  await sql`insert into uncounted_record_models (id) values (${model})`.execute(db);
}

// No writer waits: what has changed the row since it was read makes the count void.
const count = plannedStatement(
  `with seen as materialized (
     select m.xmin as version, m.sequence, (
              select coalesce(sum(${bytesOfContent}), 0) from records r where r.model_id = $1) as bytes
       from record_models m where m.id = $1)
   update record_models m set bytes = seen.bytes, bytes_sequence = seen.sequence
     from seen where m.id = $1 and m.xmin = seen.version`,
);

/** Counts the bytes of all records of a model, unless it changes meanwhile. */
export async function countBytesOf(db: Db, model: ModelId): Promise<void> {
  await runHot(db, count([model]));
}
