import { sql } from "kysely";
import type { Db } from "#foundation/db";

/** A file of a build below `assets/`, compressed with Brotli. */
export interface KeptFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mac: Buffer;
}

/** Those of the names that are stored. */
export async function listKeptNames(db: Db, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from dashboard_files where name = any(${names}::text[])`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Adds files of the build that is starting. Its names are kept for as long as no other build starts; those of other
 * builds until then, unless an earlier time is set. Two processes that start do this one after the other.
 */
export async function storeFiles(
  db: Db,
  {
    names,
    added,
    othersUntil,
  }: { names: readonly string[]; added: readonly KeptFile[]; othersUntil: Date },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('files of the dashboard', 0))`.execute(
    db,
  );
  // Bytes in an array would travel as text, which takes twice the room and ten times the time.
  const contents = Buffer.concat(added.map(({ content }) => content));
  await sql`
    insert into dashboard_files (name, content, mac)
    select name, substring(${contents}::bytea from (ends - size + 1)::int for size), mac
      from (select name, size, mac, sum(size) over (order by place) as ends
              from unnest(${added.map(({ name }) => name)}::text[], ${added.map(({ content }) => content.length)}::int[],
                          ${added.map(({ mac }) => mac)}::bytea[]) with ordinality as t (name, size, mac, place)) parts
    on conflict (name) do nothing`.execute(db);
  await sql`
    update dashboard_files set kept_until = case when name = any(${names}::text[]) then null else ${othersUntil}::timestamptz end
     where (name = any(${names}::text[])) = (kept_until is not null)`.execute(db);
}

export async function findKeptFile(db: Db, name: string): Promise<KeptFile | undefined> {
  const { rows } = await sql<KeptFile>`
    select name, content, mac from dashboard_files where name = ${name}`.execute(db);
  return rows[0];
}

export async function deleteFilesBefore(db: Db, now: Date): Promise<void> {
  await sql`delete from dashboard_files where kept_until <= ${now}`.execute(db);
}
