import { PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import { type Db, handleOf, registerHandle } from "../owned-db.ts";
import { WorkerSilent } from "../sessions/database-away.ts";
import { asClient, asQuery, type Query, releaseClient } from "../sessions/wrapped-client.ts";

/** SQLSTATE query_canceled. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "57014";
}

// Process-wide: a handle belongs to one server.
const handleOfBounded = new WeakMap<Db, NonNullable<ReturnType<typeof handleOf>>>();

/**
 * The same handle for work whose statements are cancelled after so long, each in a transaction, which then throws
 * `WorkerSilent`. One that is in a transaction stays what it is; one that is bounded gets
 * the other bound.
 */
export function boundedDb(db: Db, timeoutMs: number): Db {
  const known = handleOf(db) ?? handleOfBounded.get(db);
  if (known === undefined) return db;
  const { pool, open } = known;
  const boundedPool: PostgresPool = {
    options: pool.options ?? {},
    connect: async () => bound(await pool.connect(), timeoutMs),
    end: async () => undefined,
  };
  const bounded = registerHandle(db, open(new PostgresDialect({ pool: boundedPool })));
  handleOfBounded.set(bounded, known);
  return bounded;
}

/** The same for a part of a transaction, which is lost where it throws `WorkerSilent`. */
export async function withTimeout<Result>(
  db: Db,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql.raw(settingOf(timeoutMs)).execute(db);
  const result = await work().catch(throwSilent);
  await sql.raw(settingOf(0)).execute(db);
  return result;
}

function settingOf(timeoutMs: number): string {
  return `set local statement_timeout = ${timeoutMs}`;
}

function bound(client: PostgresPoolClient, timeoutMs: number): PostgresPoolClient {
  const query = asQuery(client);
  let isInTransaction = false;
  const begin: Query = async (text, values) => {
    const begun = await query(text, values);
    await query(settingOf(timeoutMs), []);
    return begun;
  };
  const send: Query = async (text, values) => {
    if (/^(begin|start transaction)\b/i.test(text)) {
      isInTransaction = true;
      return await begin(text, values);
    }
    if (/^(commit|rollback)$/i.test(text)) isInTransaction = false;
    else if (!isInTransaction) return await sendAlone(text, values);
    return await query(text, values).catch(throwSilent);
  };
  const sendAlone: Query = async (text, values) => {
    await begin("begin", []);
    try {
      const result = await query(text, values);
      await query("commit", []);
      return result;
    } catch (error) {
      // What the statement met says more than that it could not be undone either.
      await query("rollback", []).catch(() => undefined);
      return throwSilent(error);
    }
  };
  return asClient(send, (mustClose) => releaseClient(client, mustClose));
}

function throwSilent(error: unknown): never {
  throw isStatementTimeout(error) ? new WorkerSilent(error) : error;
}
