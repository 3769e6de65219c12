import { sql } from "kysely";
import type { Database } from "../database.ts";
import type { Db } from "../owned-db.ts";

/** Whether Citus distributes the tables of the database, as `deploy/citus/distribute.sql` has told it to. */
export async function isDistributed(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db);
  if (rows.length === 0) return false;
  const { rows: tables } = await sql`
    select from pg_dist_partition where logicalrelid = to_regclass('two_phase_guard')`.execute(db);
  return tables.length > 0;
}

/** Whether Citus distributes the tables; from then on transactions that may write are committed in two phases. */
export async function guardWhereDistributed(database: Database): Promise<boolean> {
  const isCluster = await isDistributed(database.db);
  if (isCluster) database.guardCommits();
  return isCluster;
}
