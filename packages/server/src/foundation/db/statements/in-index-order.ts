import { sql } from "kysely";
import { withTransaction } from "../database.ts";
import type { Db } from "../owned-db.ts";

/**
 * For statements that walk a table in the order of an index, in one transaction: while the table has no statistics,
 * Postgres would rather read and sort all that is left than follow the index. Not where a sort is needed: Postgres
 * before 18 would take that for so expensive that it compiles the statement.
 */
export const IN_INDEX_ORDER = "set local enable_sort = off;";

/** Runs such statements; in a transaction that has begun already, what follows in it is meant as well. */
export async function inIndexOrder<Result>(
  db: Db,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  return await withTransaction({ db }, async ({ db }) => {
    await sql.raw(IN_INDEX_ORDER).execute(db);
    return await work(db);
  });
}
