import { CamelCasePlugin, CompiledQuery, Kysely, type QueryResult } from "kysely";
import pg from "pg";
import { DAY, SECOND } from "../clock.ts";
import { within } from "../waiting/index.ts";
import { APPLICATION_NAME } from "./find-users.ts";
import type { Db } from "./owned-db.ts";
import { openSharedDb } from "./owned-db.ts";
import { destroyConnection } from "./sessions/ask-sessions.ts";
import type { SendStatement } from "./sessions/leased-client.ts";
import { watchedClient } from "./sessions/watched-client.ts";
import { isCopyOut, runCopyOut } from "./statements/copy-out.ts";
import { beginStatement, failStatement } from "./statements/statement-span.ts";
import { StatementWatch } from "./statements/statement-watch.ts";

export interface DatabaseOptions {
  readonly connectionString: string;
  readonly maxConnections: number;
  /** Of them, how many one environment may hold at once; default 0.8. */
  readonly environmentShare?: number;
  /** How long one waits for a connection; default 10 s. */
  readonly waitMs?: number;
  /** Behind a transaction pooler, where statement names do not survive. */
  readonly pooled: boolean;
  /** Whether a commit waits for the disk; default true. Not where a crash of the database undoes only what is done again. */
  readonly waitsForDisk?: boolean;
  /** How long a statement outside requests is silent before the database is asked about it; default 10 s. */
  readonly askAfterMs?: number;
  readonly onError: (error: Error) => void;
}

/** For statements under way when the handle is closed. */
const CLOSE_WITHIN_MS = 5 * SECOND;
const GOODBYE_MS = SECOND;
const HURRIED_CONNECT_MS = 3 * SECOND;

export interface Database extends AsyncDisposable {
  readonly db: Db;
  readonly pool: pg.Pool;
  /** From now on every transaction that may write is committed in two phases; only where Citus has `two_phase_guard`. */
  guardCommits(): void;
  /** At a stop: statements that the database does not confirm to work on are given up within seconds. */
  hurry(): void;
  /** Closes the connections, those too that are in use and may never be returned. */
  disconnect(): void;
}

// int8 as number: ids and counts stay below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function openDatabase(options: DatabaseOptions): Database {
  const waitMs = options.waitMs ?? 10_000;
  const watch = new StatementWatch(options);
  const pool = new pg.Pool({
    Client: watchedClient(watch),
    connectionString: options.connectionString,
    max: options.maxConnections,
    idleTimeoutMillis: 30_000,
    // What a session remembers, such as plans of statements about a day, goes with it.
    maxLifetimeSeconds: DAY / SECOND,
    connectionTimeoutMillis: waitMs,
    application_name: APPLICATION_NAME,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    // oxlint-disable-next-line typescript/no-misused-promises -- pg waits for it, although its types do not say so
    ...(options.pooled ? {} : { onConnect: prepareSessionOf(options) }),
  });
  // A connection that ends while we close is not lost.
  let isClosing = false;
  const onError = (error: Error): void => {
    if (!isClosing) options.onError(error);
  };
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  const clients = new Set<pg.PoolClient>();
  pool.on("connect", (client) => clients.add(client));
  pool.on("remove", (client) => clients.delete(client));
  const commits = { areGuarded: false };
  const db = openSharedDb({
    pool,
    send: sendBy({ named: !options.pooled, watch, commits }),
    maxConnections: options.maxConnections,
    share: options.environmentShare ?? 0.8,
    waitMs,
    open: (dialect) =>
      new Kysely<Record<never, never>>({
        dialect,
        plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
      }),
  });
  return {
    db,
    pool,
    guardCommits() {
      commits.areGuarded = true;
    },
    hurry() {
      watch.hurry();
      pool.options.connectionTimeoutMillis = Math.min(waitMs, HURRIED_CONNECT_MS);
    },
    disconnect() {
      isClosing = true;
      void pool.end().catch(() => undefined);
      for (const client of clients) void closeClient(client);
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await within(CLOSE_WITHIN_MS, db.destroy());
      for (const client of clients) void closeClient(client);
    },
  };
}

/**
 * Our statements touch few rows. Where Postgres expects many, for want of statistics, compiling one takes a hundred
 * times as long as it runs. And a statement whose connection we have closed is to end, on systems where Postgres can
 * notice that. Behind a transaction pooler a session is not ours to change.
 */
function prepareSessionOf({ waitsForDisk = true }: DatabaseOptions) {
  return async (client: pg.ClientBase): Promise<void> => {
    await client.query(`
    set jit = off;
    ${waitsForDisk ? "" : "set synchronous_commit = off;"}
    do $$ begin
      perform set_config('client_connection_check_interval', '5s', false);
    exception when others then null; end $$`);
  };
}

/** With a goodbye, whose end a database that is away does not confirm. */
async function closeClient(client: pg.ClientBase): Promise<void> {
  if (client instanceof pg.Client) {
    await within(GOODBYE_MS, client.end()).catch(() => undefined);
  }
  destroyConnection(client);
}

// Process-wide: a name is made of its text.
const namesByText = new Map<string, string>();
// Process-wide: a name is made of its text.
const textsByName = new Map<string, string>();

/** A statement of a hot path: parsed once by each connection of the pool. `text` has $1, $2, … */
export function hotStatement(
  name: string,
  text: string,
): (values: readonly unknown[]) => CompiledQuery {
  namesByText.set(text, name);
  textsByName.set(name, text);
  return (values) => CompiledQuery.raw(text, [...values]);
}

interface FixedQuery<Row> {
  compile(db: Db): CompiledQuery<Row>;
}

/**
 * Rows of a query of a hot path, with column names as kysely gives them. Its text has to be the same at every call, as
 * it is without lists of varying length.
 */
export async function runNamed<Row>(db: Db, name: string, query: FixedQuery<Row>): Promise<Row[]> {
  const compiled = query.compile(db);
  // A name stands for one text only: another one goes without.
  if (textsByName.get(name) === undefined) {
    textsByName.set(name, compiled.sql);
    namesByText.set(compiled.sql, name);
  }
  return (await db.executeQuery(compiled)).rows;
}

/** Rows of a hot statement, with column names as written in it. */
export async function runHot<Row>(db: Db, query: CompiledQuery): Promise<Row[]> {
  const result: QueryResult<Row> = await db.withoutPlugins().executeQuery<Row>(query);
  return result.rows;
}

/**
 * Citus commits what one worker has written before what the first server has, and the second may fail. A change of a
 * table that it manages on the first server makes it prepare both; of a table without rows it changes nothing.
 */
const GUARD = "delete from two_phase_guard";
/** Not where the transaction is said to read only. */
const BEGIN_TO_WRITE = /^(begin|start transaction)\b(?!.*\bread only\b)/i;

interface Sending {
  readonly named: boolean;
  readonly watch: StatementWatch;
  readonly commits: { readonly areGuarded: boolean };
}

/** Names the hot statements, all others stay unnamed; sends `copyRows` their own way. */
function sendBy({ named, watch, commits }: Sending): SendStatement {
  return async (client, text, values) => {
    if (isCopyOut(text)) {
      const end = watch.beginLong(client);
      return await runCopyOut(client, text, values).finally(end);
    }
    const name = named ? namesByText.get(text) : undefined;
    const query = { text, values: [...values] };
    const span = beginStatement(text, namesByText.get(text));
    try {
      const result = await client.query(name === undefined ? query : { name, ...query });
      if (commits.areGuarded && BEGIN_TO_WRITE.test(text)) await client.query(GUARD);
      return result;
    } catch (error) {
      failStatement(span, error);
      throw error;
    } finally {
      span.end();
    }
  };
}

/** What has to be written with all else that a transaction writes. */
export interface AtCommit {
  beforeCommit(db: Db): Promise<void>;
  /** What is about to be changed, by name. */
  noteBefore?(values: Readonly<Record<string, unknown>>): void;
  /** The transaction was rolled back. */
  undone(): void;
}

interface HasDb {
  readonly db: Db;
  readonly atCommit?: AtCommit | undefined;
}

/** Runs `work` in a transaction; inside another one it joins that. */
export async function withTransaction<Ctx extends HasDb, Result>(
  ctx: Ctx,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  if (ctx.db.isTransaction) return await work(ctx);
  const { atCommit } = ctx;
  if (atCommit === undefined) {
    return await ctx.db.transaction().execute(async (db) => await work({ ...ctx, db }));
  }
  try {
    return await ctx.db.transaction().execute(async (db) => {
      const result = await work({ ...ctx, db });
      await atCommit.beforeCommit(db);
      return result;
    });
  } catch (error) {
    atCommit.undone();
    throw error;
  }
}

/** Runs `work` read-only on one snapshot: it does not see what others commit meanwhile. */
export async function withSnapshot<Ctx extends Pick<HasDb, "db">, Result>(
  ctx: Ctx,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  if (ctx.db.isTransaction) return await work(ctx);
  return await ctx.db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (db) => await work({ ...ctx, db }));
}
