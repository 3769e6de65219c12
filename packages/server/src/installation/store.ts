import { sql } from "kysely";
import { type Db, readMigrations } from "#foundation/db";

export async function findInstallationId(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from installation`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The installation has no row.");
  return row.id;
}

export interface DatabaseStatus {
  readonly version: string;
  readonly bytes: number;
  readonly connections: number;
  readonly busyConnections: number;
  readonly maxConnections: number;
  readonly answerMs: number;
}

export async function readDatabaseStatus(db: Db): Promise<DatabaseStatus> {
  const askedAt = performance.now();
  await sql`select 1`.execute(db);
  const answerMs = Math.round((performance.now() - askedAt) * 10) / 10;
  const { rows } = await sql<Omit<DatabaseStatus, "answerMs">>`
    select current_setting('server_version') as version,
           pg_database_size(current_database())::float8 as bytes,
           current_setting('max_connections')::int as max_connections,
           count(*)::int as connections,
           (count(*) filter (where state <> 'idle'))::int as busy_connections
      from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The database says nothing of itself.");
  return { ...row, answerMs };
}

export async function readMigrationNames(
  db: Db,
): Promise<{ applied: number; last: string | null; pending: string[] }> {
  const { rows } = await sql<{ name: string }>`
    select name from schema_migrations order by name`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  const known = (await readMigrations()).map(({ name }) => name);
  return {
    applied: applied.size,
    last: rows.at(-1)?.name ?? null,
    pending: known.filter((name) => !applied.has(name)),
  };
}

/** Bytes of each partition with its indexes, by name; of all tables that are named. */
export async function readPartitionSizes(
  db: Db,
  tables: readonly string[],
): Promise<{ table: string; name: string; bytes: number }[]> {
  const { rows } = await sql<{ table: string; name: string; bytes: number }>`
    select p.relname as table, c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relname = any(${tables}::text[]) and p.relnamespace = current_schema()::regnamespace`.execute(
    db,
  );
  return rows;
}

/** Whether a table has no row at all. */
export async function isEmptyTable(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(db);
  return rows.length === 0;
}
