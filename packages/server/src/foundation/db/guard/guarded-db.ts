import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { AtCommit } from "../database.ts";
import type { Db } from "../owned-db.ts";
import { handleOf, registerHandle } from "../owned-db.ts";
import { asClient, asQuery, type Query, releaseClient } from "../sessions/wrapped-client.ts";

/**
 * The same handle for a call that leaves a row: a statement that writes, outside of a transaction, gets one of its own,
 * in which the row is written as well. A transaction stays what it is, and sees to it itself (`withTransaction`).
 */
export function guardedDb(db: Db, atCommit: AtCommit): Db {
  const known = handleOf(db);
  if (known === undefined) return db;
  const { pool, open } = known;
  const guardedPool: PostgresPool = {
    options: pool.options ?? {},
    connect: async () => guard(await pool.connect(), { atCommit, open }),
    end: async () => undefined,
  };
  return registerHandle(db, open(new PostgresDialect({ pool: guardedPool })));
}

interface Guarded {
  readonly atCommit: AtCommit;
  readonly open: (dialect: PostgresDialect) => Db;
}

function guard(client: PostgresPoolClient, { atCommit, open }: Guarded): PostgresPoolClient {
  const query = asQuery(client);
  let isInTransaction = false;
  const send: Query = async (text, values) => {
    if (/^(begin|start transaction)\b/i.test(text)) isInTransaction = true;
    if (/^(commit|rollback)$/i.test(text)) isInTransaction = false;
    if (isInTransaction || !writes(text)) return await query(text, values);
    await query("begin", []);
    try {
      const result = await query(text, values);
      await atCommit.beforeCommit(open(onClient(query)));
      await query("commit", []);
      return result;
    } catch (error) {
      atCommit.undone();
      await query("rollback", []);
      throw error;
    }
  };
  return asClient(send, (mustClose) => releaseClient(client, mustClose));
}

/** Statements of ours begin with what they do, perhaps after `with`; tasks are added by a function. */
export function writes(text: string): boolean {
  const start = text.trimStart().slice(0, 10).toLowerCase();
  if (/^(insert|update|delete|merge)\b/.test(start)) return true;
  if (start.startsWith("with ") || start.startsWith("with\n")) {
    return /\b(insert\s+into|update\s|delete\s+from)/i.test(text);
  }
  return start.startsWith("select") && text.includes("add_job");
}

/** A handle of one connection, within any transaction that it has begun. */
function onClient(query: Query): PostgresDialect {
  const client = asClient(query, () => undefined);
  return new PostgresDialect({
    pool: { options: {}, connect: async () => client, end: async () => undefined },
  });
}
