import { setTimeout as sleep } from "node:timers/promises";
import { runMigrations } from "graphile-worker";
import pg from "pg";
import { SUSPEND_LOCK_HOLDERS } from "../sessions/lock-holders.ts";
import { type AppliedMigration, requireFoundation, requireKnownHistory } from "./check-history.ts";
import {
  type Migration,
  type MigrationMode,
  numberOf,
  readMigrations,
  toStatements,
} from "./migration-files.ts";
import { openSessions, type Sessions } from "./sessions-until-stopped.ts";

// Any number that no other program of the operator's is likely to lock in the same database.
const MIGRATION_LOCK = 7_263_894_410;

/** A migration that waits for a table makes everybody after it wait too: it gives way, and tries again. */
const LOCK_TIMEOUT = "2s";
const LOCK_ATTEMPTS = 60;
const LOCK_PAUSE_MS = 1000;
const LOCK_POLL_MS = 200;
const LOCK_TRIES_BEFORE_LOOK = 5;
const LOCK_NOT_AVAILABLE = "55P03";
const UNDEFINED_TABLE = "42P01";

/**
 * Brings the schema up to date: forward-only SQL files in order, one process at a time. Throws before the first
 * change when the database has migrations that this version was not made for.
 */
export async function migrate(
  connectionString: string,
  migrations?: readonly Migration[],
  signal?: AbortSignal,
): Promise<{ applied: string[] }> {
  signal?.throwIfAborted();
  const own = migrations ?? (await readMigrations());
  const sessions = openSessions(connectionString, signal);
  try {
    const applied = await applyMissing(sessions, own);
    // Not while a transaction of ours is open: Citus waits for it, and we would wait for the queue.
    await runQueueMigrations(sessions);
    return { applied };
  } catch (error) {
    throw sessions.stopped() ?? error;
  }
}

async function applyMissing(
  { connect }: Sessions,
  migrations: readonly Migration[],
): Promise<string[]> {
  await using lock = await connect();
  await waitForLock(lock.client, connect);
  await using session = await connect();
  const { client } = session;
  const known = await readHistory(client, migrations);
  if (known.length === 0 || known.some(({ checksum }) => checksum === null)) {
    await keepChecksums(client, migrations);
  }
  const missing = missingOf(known, migrations);
  for (const migration of missing) await apply(client, migration);
  return missing.map(({ name }) => name);
}

/** Of several processes each waits until they have run: work is put into the queue right after. */
async function runQueueMigrations({ connectionString, watch }: Sessions): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  pool.on("error", () => undefined);
  pool.on("connect", watch);
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await pool.end();
  }
}

/** A migration that a database lacks. */
export interface PendingMigration {
  readonly name: string;
  readonly mode: MigrationMode;
  /** The release that works on the database now can continue after it; undefined for a new database. */
  readonly keepsPrevious: boolean | undefined;
}

/** What `migrate` would apply, in order; changes nothing, and throws where `migrate` would refuse. */
export async function listPendingMigrations(connectionString: string): Promise<PendingMigration[]> {
  const migrations = await readMigrations();
  await using session = await openSessions(connectionString, undefined).connect();
  const known = await readHistory(session.client, migrations);
  const last = known.at(-1);
  return missingOf(known, migrations).map(({ name, mode, compatibleSince }) => ({
    name,
    mode,
    keepsPrevious: last === undefined ? undefined : compatibleSince <= numberOf(last.name),
  }));
}

function missingOf(known: readonly AppliedMigration[], migrations: readonly Migration[]) {
  const names = new Set(known.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

/** What the database has; throws when this version cannot continue from there. */
async function readHistory(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<AppliedMigration[]> {
  const known = await readApplied(client);
  requireKnownHistory(known, migrations);
  if (known.length > 0 && known.every(({ checksum }) => checksum === null)) {
    await requireFoundation(client);
  }
  return known;
}

/**
 * Until the transaction ends, since a transaction pooler keeps no session. An index that is built concurrently waits
 * for every snapshot: no statement may wait for the lock, nor have parameters, whose portal keeps its snapshot.
 */
async function waitForLock(client: pg.Client, connect: Sessions["connect"]): Promise<void> {
  await client.query("begin");
  for (let tries = 1; ; tries += 1) {
    const { rows } = await client.query(
      `select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as got`,
    );
    if (rows[0]?.got === true) return;
    if (tries % LOCK_TRIES_BEFORE_LOOK === 0) {
      // Not in the transaction that waits: only what is committed keeps a login out.
      await using other = await connect();
      await other.client.query(SUSPEND_LOCK_HOLDERS);
    }
    await sleep(LOCK_POLL_MS);
  }
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows: tables } = await client.query<{ kept: boolean | null }>(`
    select exists (
      select 1 from information_schema.columns
      where table_schema = 'public' and table_name = 'schema_migrations' and column_name = 'checksum'
    ) as kept
    where to_regclass('public.schema_migrations') is not null`);
  const table = tables[0];
  if (table === undefined) return [];
  const columns = table.kept === true ? "checksum, compatible_since" : "null, null";
  const { rows } = await client.query<AppliedMigration>(
    `select name, applied.checksum, applied.compatible_since as "compatibleSince"
     from (select name, ${columns} from schema_migrations) as applied (name, checksum, compatible_since)
     order by name`,
  );
  return rows;
}

/** Before 0.2.0 only names were kept; `requireFoundation` has then vouched for what they made. */
async function keepChecksums(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, applied_at timestamptz not null default now()
     )`,
  );
  await client.query(
    `alter table schema_migrations
       add column if not exists checksum text, add column if not exists compatible_since text`,
  );
  for (const { name, checksum, compatibleSince } of migrations) {
    await client.query(
      `update schema_migrations set checksum = $2, compatible_since = $3
       where name = $1 and checksum is null`,
      [name, checksum, compatibleSince],
    );
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const { mode, sql } = migration;
  if (mode === "transaction") {
    await applyInTransaction(client, migration);
    return;
  }
  for (const statement of toStatements(sql)) await runByMode[mode](client, statement);
  await note(client, migration);
}

async function applyInTransaction(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await client.query(migration.sql);
      await note(client, migration);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      const isLocked = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
      if (!isLocked || attempt === LOCK_ATTEMPTS) {
        throw new Error(`The migration ${migration.name} failed`, { cause: error });
      }
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

const runByMode: Record<
  Exclude<MigrationMode, "transaction">,
  (client: pg.Client, statement: string) => Promise<unknown>
> = {
  concurrently: async (client, statement) => await client.query(statement),
  generated: runEachGenerated,
  batches: repeatUntilDone,
};

/** A query whose values are statements, in order: one by one, so that each partition gets its index concurrently. */
async function runEachGenerated(client: pg.Client, query: string): Promise<void> {
  const { rows } = await client.query<string[]>({ text: query, rowMode: "array" });
  for (const statement of rows.flat()) {
    try {
      await client.query(statement);
    } catch (error) {
      // A partition that was dropped since needs nothing any more.
      const isGone = error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE;
      if (!isGone) throw error;
    }
  }
}

/** A statement that changes a bounded number of rows, each time in a transaction of its own. */
async function repeatUntilDone(client: pg.Client, statement: string): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(statement);
    if (rowCount === null || rowCount === 0) return;
  }
}

async function note(client: pg.Client, migration: Migration): Promise<void> {
  const { name, checksum, compatibleSince } = migration;
  await client.query(
    "insert into schema_migrations (name, checksum, compatible_since) values ($1, $2, $3)",
    [name, checksum, compatibleSince],
  );
}
