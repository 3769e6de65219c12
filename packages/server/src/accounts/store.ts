import { sql } from "kysely";
import type { Db } from "#foundation/db";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Null where that of the installation holds. */
  readonly rateLimitPerMinute: number | null;
  readonly createdAt: Date;
}

type AccountTables = {
  accounts: Account;
  installation: { onlyRow?: boolean; id: string; createdAt: Date };
};

const columns = ["id", "name", "rateLimitPerMinute", "createdAt"] as const;

function tables(db: Db) {
  return db.withTables<AccountTables>();
}

/** That of the installation's owner: the first one. */
export async function findAccountId(db: Db): Promise<string | undefined> {
  const row = await tables(db)
    .selectFrom("accounts")
    .select("id")
    .orderBy("createdAt")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  return await tables(db)
    .selectFrom("accounts")
    .select(columns)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Of every account, oldest first, from just after a position. */
export async function listAccountPage(
  db: Db,
  { limit, after }: { limit: number; after: { createdAt: Date; id: string } | undefined },
): Promise<Account[]> {
  let query = tables(db).selectFrom("accounts").select(columns);
  if (after !== undefined) {
    query = query.where((where) =>
      where(where.refTuple("createdAt", "id"), ">", where.tuple(after.createdAt, after.id)),
    );
  }
  return await query.orderBy("createdAt").orderBy("id").limit(limit).execute();
}

export async function countAccounts(db: Db): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("accounts")
    .select(sql<number>`count(*)::int`.as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** False when another process has made the installation first. */
export async function insertInstallation(
  db: Db,
  row: { id: string; createdAt: Date },
): Promise<boolean> {
  const result = await tables(db)
    .insertInto("installation")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(sql<number>`1`.as("one"))
    .executeTakeFirst();
  return result !== undefined;
}

export async function insertAccount(db: Db, row: Account): Promise<void> {
  await tables(db).insertInto("accounts").values(row).execute();
}

/** As it is then; undefined when there is none. */
export async function updateAccountRow(
  db: Db,
  id: string,
  change: Partial<Pick<Account, "name" | "rateLimitPerMinute">>,
): Promise<Account | undefined> {
  if (Object.keys(change).length === 0) return await findAccount(db, id);
  return await tables(db)
    .updateTable("accounts")
    .set(change)
    .where("id", "=", id)
    .returning(columns)
    .executeTakeFirst();
}

/** Makes those who change what the account has take turns, until the transaction ends. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await tables(db).selectFrom("accounts").select("id").where("id", "=", id).forUpdate().execute();
}
