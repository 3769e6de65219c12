import { readdir, readFile } from "node:fs/promises";
import { runMigrations } from "graphile-worker";
import pg from "pg";

// Any number that no other program of the operator's is likely to lock in the same database.
const MIGRATION_LOCK = 7_263_894_410;

const migrationsFolder = new URL("../../../migrations/", import.meta.url);

/** Brings the schema up to date: forward-only SQL files in order, one process at a time. */
export async function migrate(connectionString: string): Promise<{ applied: string[] }> {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    const done = await client.query<{ name: string }>("select name from schema_migrations");
    const known = new Set(done.rows.map((row) => row.name));
    refuseNewerSchema(known, files);
    const applied = files.filter((name) => !known.has(name));
    for (const name of applied) {
      await client.query(await readFile(new URL(name, migrationsFolder), "utf8"));
      await client.query("insert into schema_migrations (name) values ($1)", [name]);
    }
    if (applied.length > 0) await runMigrations({ connectionString });
    await client.query("commit");
    return { applied };
  } finally {
    await client.end();
  }
}

function refuseNewerSchema(known: ReadonlySet<string>, files: readonly string[]): void {
  const strange = [...known].filter((name) => !files.includes(name));
  if (strange.length === 0) return;
  throw new Error(
    `the database was migrated by a newer Jackfield (${strange.join(", ")}); start that version`,
  );
}
