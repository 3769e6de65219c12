import pg from "pg";
import { quote } from "./dump-tables.ts";

/** Exists in a database from the first change of a restore to the last. */
const MARK = "public.restore_in_progress";
const DROPPED_AT_ONCE = 50;

/** What a database holds before a restore. */
export type Content = "nothing" | "remains" | "tables";

/** `remains` are what a restore that was cut off has left. */
export async function findContent(connectionString: string): Promise<Content> {
  return await withClient(connectionString, async (client) => {
    if (await exists(client, MARK)) return "remains";
    const { rows } = await client.query<{ tables: number }>(
      `select count(*)::int as tables from pg_class c
       where c.relkind in ('r', 'p') and c.relnamespace in ('public'::regnamespace, to_regnamespace('graphile_worker'))
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`,
    );
    return rows[0]?.tables === 0 ? "nothing" : "tables";
  });
}

/** Drops what a restore that was cut off has left: it had begun on an empty database, so all of it. */
export async function clearRemains(connectionString: string): Promise<void> {
  await withClient(connectionString, async (client) => {
    for (;;) {
      // Partitions before their parents: one statement may not lock them all.
      const { rows } = await client.query<{ schema: string; name: string }>(
        `select n.nspname as schema, c.relname as name
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p') and n.nspname in ('public', 'graphile_worker')
           and c.oid <> coalesce(to_regclass('${MARK}')::oid, 0)
           and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
         order by c.relispartition desc, c.relkind desc limit ${DROPPED_AT_ONCE}`,
      );
      if (rows.length === 0) break;
      await client.query(`drop table if exists ${rows.map(quote).join(", ")} cascade`);
    }
    await client.query("drop schema if exists graphile_worker cascade");
    const { rows: routines } = await client.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace = 'public'::regnamespace
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    );
    for (const { name } of routines) await client.query(`drop routine if exists ${name} cascade`);
    const { rows: sequences } = await client.query<{ schema: string; name: string }>(
      "select schemaname as schema, sequencename as name from pg_sequences where schemaname = 'public'",
    );
    for (const sequence of sequences) await client.query(`drop sequence ${quote(sequence)}`);
  });
}

export async function startRestore(connectionString: string): Promise<void> {
  await withClient(connectionString, async (client) => {
    await client.query(
      `create table if not exists ${MARK} (started_at timestamptz not null default now())`,
    );
  });
}

/** From here on the database may be used; `quarantined` in the same moment. */
export async function finishRestore(
  connectionString: string,
  { quarantinedSince }: { quarantinedSince: Date | undefined },
): Promise<void> {
  await withClient(connectionString, async (client) => {
    await client.query("analyze");
    await client.query("begin");
    if (quarantinedSince !== undefined) {
      await client.query("insert into public.quarantine (since) values ($1)", [quarantinedSince]);
    }
    await client.query(`drop table ${MARK}`);
    await client.query("commit");
  });
}

/** Throws with the cure when a restore was cut off. */
export async function requireRestored(connectionString: string): Promise<void> {
  const isCutOff = await withClient(connectionString, async (client) => await exists(client, MARK));
  if (!isCutOff) return;
  throw new Error(
    "A restore into this database was interrupted, and its data is incomplete. Run `jackfield restore` again: it starts over.",
  );
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    "select to_regclass($1) is not null as there",
    [table],
  );
  return rows[0]?.there === true;
}

async function withClient<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
