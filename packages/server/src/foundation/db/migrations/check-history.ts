import type pg from "pg";
import { type Migration, numberOf } from "./migration-files.ts";

/** A migration that a database has; what is absent was not kept before 0.2.0. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string | null;
  readonly compatibleSince: string | null;
}

/** Columns, indexes and functions that 0001 makes, as `readFingerprint` gives them. */
const FOUNDATION_FINGERPRINT = "1e91eb53702af423f6797e59d787ca2c";

/**
 * Other texts that a migration has had in development versions, by their checksums, where a later one makes the schema
 * the same: an index of 0156 had its columns in another order, and 0165 makes it again.
 */
const otherTexts: Readonly<Record<string, readonly string[]>> = {
  "0156_agent_approvals.sql": ["22fcd63b0047208c41b365d71dec938cb32f3fcd4c9fdeef2c434f8a1e741db8"],
};

/** Throws when this version cannot work on what the database has: a changed migration, or one that leaves it behind. */
export function requireKnownHistory(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const latest = numberOf(migrations.at(-1)?.name ?? "");
  for (const { name, checksum, compatibleSince } of applied) {
    const migration = known.get(name);
    if (migration === undefined) {
      if (compatibleSince !== null && compatibleSince <= latest) continue;
      throw new Error(
        `The database was migrated by a newer Jackfield (${name}), on which this version does not work. Start that version or a later one.`,
      );
    }
    const isKnown = checksum === migration.checksum || otherTexts[name]?.includes(checksum ?? "");
    if (checksum !== null && isKnown !== true) {
      throw new Error(
        `The migration ${name} is not the one that this database was made with. Start the version that made it, or reinstall this one: a file of it was changed.`,
      );
    }
  }
}

/** Checksums were not kept before 0.2.0: throws when the schema is not what 0001 makes. */
export async function requireFoundation(client: pg.Client): Promise<void> {
  if ((await readFingerprint(client)) === FOUNDATION_FINGERPRINT) return;
  throw new Error(
    "The database was made by a development version of Jackfield before 0.2.0, with another schema. Nothing was changed. Start with an empty database (or another SVC_DATA_DIR), or keep using the version that created this one.",
  );
}

/** One text for the schema, the same on every version of Postgres; partitions, made at run time, do not count. */
export async function readFingerprint(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ fingerprint: string }>(`
    with parts as (
      select 'column ' || c.relname || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || ' ' || a.attnotnull as part
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and a.attnum > 0 and not a.attisdropped
        and c.relname <> 'schema_migrations'
      union all
      select 'index ' || i.relname from pg_index x
        join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
      where i.relnamespace = 'public'::regnamespace and not t.relispartition
        and t.relname <> 'schema_migrations'
      union all
      select 'function ' || proname || ' ' || md5(prosrc) from pg_proc
      where pronamespace = 'public'::regnamespace
    )
    select md5(string_agg(part, E'\\n' order by part collate "C")) as fingerprint from parts`);
  return rows[0]?.fingerprint ?? "";
}
