import { sql } from "kysely";
import type { Db } from "#platform/db";

type AccountTables = {
  accounts: { id: string; name: string; createdAt: Date };
  installation: { onlyRow?: boolean; id: string; createdAt: Date };
};

function tables(db: Db) {
  return db.withTables<AccountTables>();
}

export async function findAccountId(db: Db): Promise<string | undefined> {
  const row = await tables(db).selectFrom("accounts").select("id").limit(1).executeTakeFirst();
  return row?.id;
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

export async function insertAccount(
  db: Db,
  row: { id: string; name: string; createdAt: Date },
): Promise<void> {
  await tables(db).insertInto("accounts").values(row).execute();
}

/** Makes those who change what the account has take turns, until the transaction ends. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await tables(db).selectFrom("accounts").select("id").where("id", "=", id).forUpdate().execute();
}
