import type { Db } from "#platform/db";

interface DataKeyRow {
  readonly id: string;
  readonly environmentId: string | null;
  readonly purpose: KeyPurpose;
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
  readonly createdAt: Date;
}

/** `seal` keys encrypt; `lookup` keys make hashes and MACs and are never changed (decisions 50). */
export type KeyPurpose = "seal" | "lookup";

type VaultTables = {
  dataKeys: DataKeyRow;
};

function tables(db: Db) {
  return db.withTables<VaultTables>();
}

export async function findDataKey(
  db: Db,
  environmentId: string | null,
  purpose: KeyPurpose,
): Promise<DataKeyRow | undefined> {
  return await tables(db)
    .selectFrom("dataKeys")
    .selectAll()
    .where("environmentId", environmentId === null ? "is" : "=", environmentId)
    .where("purpose", "=", purpose)
    .executeTakeFirst();
}

export async function findDataKeyById(db: Db, id: string): Promise<DataKeyRow | undefined> {
  return await tables(db)
    .selectFrom("dataKeys")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Adds the key unless another process has added one meanwhile. */
export async function insertDataKey(db: Db, row: DataKeyRow): Promise<void> {
  await tables(db)
    .insertInto("dataKeys")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findOldestDataKey(db: Db): Promise<DataKeyRow | undefined> {
  return await tables(db)
    .selectFrom("dataKeys")
    .selectAll()
    .orderBy("createdAt")
    .limit(1)
    .executeTakeFirst();
}

export async function hasDataKeys(db: Db): Promise<boolean> {
  return (await findOldestDataKey(db)) !== undefined;
}
