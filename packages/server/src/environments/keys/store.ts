import type { EnvironmentId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";

interface ApiKeyRow {
  id: string;
  accountId: string;
  environmentId: EnvironmentId | null;
  displayName: string;
  scopes: string[];
  lookupHash: Buffer;
  createdAt: Date;
  lastUsedAt: Date | null;
  deletedAt: Date | null;
}

function tables(db: Db) {
  return db.withTables<{ apiKeys: ApiKeyRow }>();
}

export async function insertApiKey(
  db: Db,
  row: Omit<ApiKeyRow, "lastUsedAt" | "deletedAt">,
): Promise<void> {
  await tables(db)
    .insertInto("apiKeys")
    .values({ ...row, lastUsedAt: null, deletedAt: null })
    .execute();
}

/** Puts the key in place under its display name, whatever was there before. */
export async function replaceApiKey(
  db: Db,
  row: Omit<ApiKeyRow, "lastUsedAt" | "deletedAt">,
): Promise<void> {
  await tables(db)
    .updateTable("apiKeys")
    .set({ deletedAt: row.createdAt })
    .where("environmentId", "=", row.environmentId)
    .where("displayName", "=", row.displayName)
    .where("lookupHash", "!=", row.lookupHash)
    .where("deletedAt", "is", null)
    .execute();
  await tables(db)
    .insertInto("apiKeys")
    .values({ ...row, lastUsedAt: null, deletedAt: null })
    .onConflict((conflict) => conflict.column("lookupHash").doUpdateSet({ deletedAt: null }))
    .execute();
}

export interface KeyRow {
  readonly id: string;
  readonly display_name: string;
  readonly account_id: string;
  readonly scopes: string[];
  readonly last_used_at: Date | null;
  readonly environment_id: EnvironmentId | null;
  readonly environment_name: string | null;
}

const keyByHash = hotStatement(
  "key_by_hash",
  `select k.id, k.display_name, k.account_id, k.scopes, k.last_used_at, e.id as environment_id, e.name as environment_name
     from api_keys k left join environments e on e.id = k.environment_id and e.deleted_at is null
    where k.lookup_hash = $1 and k.deleted_at is null and (k.environment_id is null or e.id is not null)`,
);

export async function findKeyByHash(db: Db, lookupHash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await runHot<KeyRow>(db, keyByHash([lookupHash]));
  return row;
}

export async function markKeyUsed(db: Db, id: string, usedAt: Date): Promise<void> {
  await tables(db)
    .updateTable("apiKeys")
    .set({ lastUsedAt: usedAt })
    .where("id", "=", id)
    .execute();
}

export type ListedKey = Pick<
  ApiKeyRow,
  "id" | "displayName" | "scopes" | "createdAt" | "lastUsedAt"
>;

/** Oldest first. */
export async function listKeys(db: Db, environmentId: EnvironmentId): Promise<ListedKey[]> {
  return await tables(db)
    .selectFrom("apiKeys")
    .select(["id", "displayName", "scopes", "createdAt", "lastUsedAt"])
    .where("environmentId", "=", environmentId)
    .where("deletedAt", "is", null)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}

/** The key's name; undefined when the environment has no such key. */
export async function deleteKey(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<string | undefined> {
  const row = await tables(db)
    .updateTable("apiKeys")
    .set({ deletedAt: now })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .returning("displayName")
    .executeTakeFirst();
  return row?.displayName;
}
