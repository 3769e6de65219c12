import { sql } from "kysely";
import pg from "pg";
import type { Db } from "../../packages/server/src/foundation/db/index.ts";
import { type EnvironmentId, newRandomId } from "../../packages/server/src/foundation/index.ts";

/** What `failAtCommit` needs in the database. */
export const TABLES_OF_RIVALS = "create table first_one (n int); create table other_one (n int)";

/**
 * A local commit that fails after what Citus does before it: of two serializable transactions that each read what the other
 * writes, the second is refused while it commits. That one also adds a model of this number. Resolves to the error and
 * to whether the transaction has got as far as its commit.
 */
export async function failAtCommit(
  db: Db,
  {
    connectionString,
    ...model
  }: { connectionString: string; environmentId: EnvironmentId; id: number },
): Promise<{ readonly error: unknown; readonly hasReachedCommit: boolean }> {
  const rival = new pg.Client({ connectionString });
  await rival.connect();
  let hasReachedCommit = false;
  const committing = db
    .transaction()
    .setIsolationLevel("serializable")
    .execute(async (db) => {
      await sql`select count(*) from first_one`.execute(db);
      await rival.query("begin isolation level serializable");
      await rival.query("select count(*) from other_one");
      await sql`insert into other_one values (1)`.execute(db);
      await rival.query("insert into first_one values (1)");
      await sql`
        insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
        values (${model.id}, ${model.environmentId}, ${newRandomId()}, 'Contact', now())`.execute(
        db,
      );
      await rival.query("commit");
      hasReachedCommit = true;
    });
  const error = await committing.then(
    () => undefined,
    (error: unknown) => error,
  );
  await rival.end();
  return { error, hasReachedCommit };
}
