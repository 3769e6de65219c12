import type { Db } from "#foundation/db";

type QuarantineTables = { quarantine: { onlyRow?: boolean; since: Date } };

function tables(db: Db) {
  return db.withTables<QuarantineTables>();
}

/** Since when the installation is in quarantine; undefined when it is not. */
export async function findQuarantine(db: Db): Promise<Date | undefined> {
  const row = await tables(db).selectFrom("quarantine").select("since").executeTakeFirst();
  return row?.since;
}

/** False when it was there already. */
export async function enterQuarantine(db: Db, since: Date): Promise<boolean> {
  const result = await tables(db)
    .insertInto("quarantine")
    .values({ since })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** False when there was none. */
export async function leaveQuarantine(db: Db): Promise<boolean> {
  const result = await tables(db).deleteFrom("quarantine").executeTakeFirst();
  return result.numDeletedRows === 1n;
}
