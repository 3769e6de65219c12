import { type ColumnType, sql } from "kysely";
import type { EnvironmentId, KeyBounds } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { KeyOwner } from "./key-owner.ts";

/** Who made a key, as it was called then. */
export interface Creator {
  readonly kind: "key" | "user" | "system";
  readonly id: string | null;
  readonly name: string | null;
}

/** Where a call with a key came from. */
export interface KeyCaller {
  readonly address: string | null;
  readonly userAgent: string | null;
}

interface ApiKeyRow {
  id: string;
  accountId: string;
  environmentId: EnvironmentId | null;
  displayName: string;
  scopes: string[];
  lookupHash: Buffer;
  createdAt: Date;
  lastUsedAt: Date | null;
  lastUsedFrom: ColumnType<KeyCaller | null, undefined, string | null>;
  replacedBy: ColumnType<string | null, undefined, string>;
  expiresAt: Date | null;
  createdBy: ColumnType<Creator | null, string | null, never>;
  boundTo: ColumnType<KeyBounds | null, string | null | undefined, never>;
  deletedAt: Date | null;
}

function tables(db: Db) {
  return db.withTables<{ apiKeys: ApiKeyRow }>();
}

type NewKeyRow = Omit<
  ApiKeyRow,
  "lastUsedAt" | "lastUsedFrom" | "replacedBy" | "deletedAt" | "expiresAt" | "createdBy" | "boundTo"
>;

export async function insertApiKey(
  db: Db,
  {
    createdBy,
    boundTo,
    ...row
  }: NewKeyRow & {
    createdBy: Creator | null;
    expiresAt: Date | null;
    boundTo: KeyBounds | null;
  },
): Promise<void> {
  await tables(db)
    .insertInto("apiKeys")
    .values({
      ...row,
      createdBy: createdBy && JSON.stringify(createdBy),
      boundTo: boundTo && JSON.stringify(boundTo),
      lastUsedAt: null,
      deletedAt: null,
    })
    .execute();
}

/** Puts the key in place under its display name and replaces the one there before, if any. */
export async function replaceApiKey(db: Db, row: NewKeyRow): Promise<void> {
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
    .values({ ...row, expiresAt: null, createdBy: null, lastUsedAt: null, deletedAt: null })
    .onConflict((conflict) => conflict.column("lookupHash").doUpdateSet({ deletedAt: null }))
    .execute();
}

export interface KeyRow {
  readonly id: string;
  readonly display_name: string;
  readonly account_id: string;
  readonly scopes: string[];
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
  readonly bound_to: KeyBounds | null;
  readonly environment_id: EnvironmentId | null;
  readonly environment_name: string | null;
}

const keyByHash = hotStatement(
  "key_by_hash",
  `select k.id, k.display_name, k.account_id, k.scopes, k.last_used_at, k.expires_at, k.bound_to, e.id as environment_id, e.name as environment_name
     from api_keys k left join environments e on e.id = k.environment_id and e.deleted_at is null
    where k.lookup_hash = $1 and k.deleted_at is null and (k.environment_id is null or e.id is not null)`,
);

export async function findKeyByHash(db: Db, lookupHash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await runHot<KeyRow>(db, keyByHash([lookupHash]));
  return row;
}

export async function markKeyUsed(
  db: Db,
  id: string,
  { at, from }: { at: Date; from: KeyCaller | undefined },
): Promise<void> {
  await tables(db)
    .updateTable("apiKeys")
    .set({ lastUsedAt: at, lastUsedFrom: from === undefined ? null : JSON.stringify(from) })
    .where("id", "=", id)
    .execute();
}

export interface ListedKey {
  readonly id: string;
  readonly displayName: string;
  readonly scopes: string[];
  readonly createdAt: Date;
  readonly createdBy: Creator | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** Null when it was not used, or last by a server that did not record it. */
  readonly lastUsedFrom: KeyCaller | null;
  /** Id of the key that replaces it. */
  readonly replacedBy: string | null;
  readonly boundTo: KeyBounds | null;
}

/** Oldest first. */
export async function listKeys(db: Db, owner: KeyOwner): Promise<ListedKey[]> {
  return await tables(db)
    .selectFrom("apiKeys")
    .select(["id", "displayName", "scopes", "createdAt", "createdBy", "expiresAt", "lastUsedAt"])
    .select(["boundTo", "lastUsedFrom", "replacedBy"])
    .where("environmentId", owner.environmentId === null ? "is" : "=", owner.environmentId)
    .where("accountId", "=", owner.accountId)
    .where("deletedAt", "is", null)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}

export async function updateKey(
  db: Db,
  owner: KeyOwner,
  { id, ...change }: Pick<ListedKey, "id" | "displayName" | "scopes" | "expiresAt">,
): Promise<void> {
  await tables(db)
    .updateTable("apiKeys")
    .set(change)
    .where("environmentId", owner.environmentId === null ? "is" : "=", owner.environmentId)
    .where("accountId", "=", owner.accountId)
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .execute();
}

/** Notes which key replaces one that still works. */
export async function markReplaced(
  db: Db,
  owner: KeyOwner,
  { id, replacedBy }: { id: string; replacedBy: string },
): Promise<void> {
  await tables(db)
    .updateTable("apiKeys")
    .set({ replacedBy })
    .where("environmentId", owner.environmentId === null ? "is" : "=", owner.environmentId)
    .where("accountId", "=", owner.accountId)
    .where("id", "=", id)
    .execute();
}

/** The key's name; undefined when the owner has no such key. */
export async function deleteKey(
  db: Db,
  owner: KeyOwner,
  { id, now }: { id: string; now: Date },
): Promise<string | undefined> {
  const row = await tables(db)
    .updateTable("apiKeys")
    .set({ deletedAt: now })
    .where("environmentId", owner.environmentId === null ? "is" : "=", owner.environmentId)
    .where("accountId", "=", owner.accountId)
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .returning("displayName")
    .executeTakeFirst();
  return row?.displayName;
}

/** Keys that are bound to the end user, of an environment; resolves to how many there were. */
export async function endKeysOfEndUser(
  db: Db,
  environmentId: EnvironmentId,
  { endUserId, now }: { endUserId: string; now: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update api_keys set deleted_at = coalesce(deleted_at, ${now}), bound_to = '{"endUserId": ""}', display_name = id::text
     where environment_id = ${environmentId} and bound_to ->> 'endUserId' = ${endUserId}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

/** Those of the account and of its environments; resolves to how many there were. */
export async function endKeysOfAccount(db: Db, accountId: string, now: Date): Promise<number> {
  const result = await tables(db)
    .updateTable("apiKeys")
    .set({ deletedAt: now })
    .where("accountId", "=", accountId)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Removes keys of an environment that were deleted before a time; answers how many. */
export async function removeDeletedKeyRows(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from api_keys where id in (
      select id from api_keys
       where environment_id = ${environmentId} and deleted_at < ${before} limit ${limit})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

/** Their rows, for an account that goes. */
export async function deleteKeysOfAccount(db: Db, accountId: string): Promise<void> {
  await tables(db).deleteFrom("apiKeys").where("accountId", "=", accountId).execute();
}
