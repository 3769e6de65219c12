import type { WebhookSettings } from "@jackfield/contract";
import type { ColumnType } from "kysely";
import type { EnvironmentId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";

interface EnvironmentRow {
  id: EnvironmentId;
  accountId: string;
  name: string;
  isProduction: boolean;
  createdAt: Date;
  deletedAt: Date | null;
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
  deletedAt: Date | null;
}

interface WebhookSettingsRow {
  environmentId: EnvironmentId;
  primaryUrl: string;
  secondaryUrl: string;
  onSyncCompletionAlways: boolean;
  onAuthCreation: boolean;
  onAuthRefreshError: boolean;
  onSyncError: boolean;
  onAsyncActionCompletion: boolean;
  updatedAt: Date;
}

type EnvironmentTables = {
  environments: EnvironmentRow;
  environmentSettings: {
    environmentId: EnvironmentId;
    settings: ColumnType<Record<string, unknown>, string, string>;
    updatedAt: Date;
  };
  environmentVariables: {
    environmentId: EnvironmentId;
    name: string;
    value: Buffer;
    updatedAt: Date;
  };
  apiKeys: ApiKeyRow;
  webhookSettings: WebhookSettingsRow;
  webhookSigningKeys: {
    id: string;
    environmentId: EnvironmentId;
    key: Buffer;
    createdAt: Date;
    expiresAt: Date | null;
  };
};

function tables(db: Db) {
  return db.withTables<EnvironmentTables>();
}

export type EnvironmentSummary = Omit<EnvironmentRow, "deletedAt">;

export async function insertEnvironment(db: Db, row: EnvironmentSummary): Promise<void> {
  await tables(db)
    .insertInto("environments")
    .values({ ...row, deletedAt: null })
    .execute();
  await tables(db)
    .insertInto("environmentSettings")
    .values({ environmentId: row.id, settings: "{}", updatedAt: row.createdAt })
    .execute();
  await tables(db)
    .insertInto("webhookSettings")
    .values({
      environmentId: row.id,
      primaryUrl: "",
      secondaryUrl: "",
      onSyncCompletionAlways: true,
      onAuthCreation: true,
      onAuthRefreshError: true,
      onSyncError: true,
      onAsyncActionCompletion: true,
      updatedAt: row.createdAt,
    })
    .execute();
}

export async function listEnvironments(db: Db, accountId: string): Promise<EnvironmentSummary[]> {
  return await tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name", "isProduction", "createdAt"])
    .where("accountId", "=", accountId)
    .where("deletedAt", "is", null)
    .orderBy("createdAt")
    .orderBy("name")
    .execute();
}

export async function findEnvironment(
  db: Db,
  id: EnvironmentId,
): Promise<EnvironmentSummary | undefined> {
  return await tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name", "isProduction", "createdAt"])
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
}

export async function findSettings(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Record<string, unknown>> {
  const row = await tables(db)
    .selectFrom("environmentSettings")
    .select("settings")
    .where("environmentId", "=", environmentId)
    .executeTakeFirst();
  return row?.settings ?? {};
}

export async function listVariables(
  db: Db,
  environmentId: EnvironmentId,
): Promise<{ name: string; value: Buffer }[]> {
  return await tables(db)
    .selectFrom("environmentVariables")
    .select(["name", "value"])
    .where("environmentId", "=", environmentId)
    .orderBy("name")
    .execute();
}

export async function upsertVariable(
  db: Db,
  environmentId: EnvironmentId,
  variable: { name: string; value: Buffer; updatedAt: Date },
): Promise<void> {
  await tables(db)
    .insertInto("environmentVariables")
    .values({ environmentId, ...variable })
    .onConflict((conflict) =>
      conflict
        .columns(["environmentId", "name"])
        .doUpdateSet({ value: variable.value, updatedAt: variable.updatedAt }),
    )
    .execute();
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
  readonly account_id: string;
  readonly scopes: string[];
  readonly last_used_at: Date | null;
  readonly environment_id: EnvironmentId | null;
  readonly environment_name: string | null;
}

const keyByHash = hotStatement(
  "key_by_hash",
  `select k.id, k.account_id, k.scopes, k.last_used_at, e.id as environment_id, e.name as environment_name
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

export async function findWebhookSettings(
  db: Db,
  environmentId: EnvironmentId,
): Promise<WebhookSettings | undefined> {
  const row = await tables(db)
    .selectFrom("webhookSettings")
    .selectAll()
    .where("environmentId", "=", environmentId)
    .executeTakeFirst();
  return row === undefined ? undefined : fromRow(row);
}

export async function updateWebhookSettingsRow(
  db: Db,
  environmentId: EnvironmentId,
  change: { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined },
  updatedAt: Date,
): Promise<void> {
  const columns = {
    primaryUrl: change.primary_url,
    secondaryUrl: change.secondary_url,
    onSyncCompletionAlways: change.on_sync_completion_always,
    onAuthCreation: change.on_auth_creation,
    onAuthRefreshError: change.on_auth_refresh_error,
    onSyncError: change.on_sync_error,
    onAsyncActionCompletion: change.on_async_action_completion,
  };
  const given = Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  );
  await tables(db)
    .updateTable("webhookSettings")
    .set({ ...given, updatedAt })
    .where("environmentId", "=", environmentId)
    .execute();
}

function fromRow(row: WebhookSettingsRow): WebhookSettings {
  return {
    primary_url: row.primaryUrl,
    secondary_url: row.secondaryUrl,
    on_sync_completion_always: row.onSyncCompletionAlways,
    on_auth_creation: row.onAuthCreation,
    on_auth_refresh_error: row.onAuthRefreshError,
    on_sync_error: row.onSyncError,
    on_async_action_completion: row.onAsyncActionCompletion,
  };
}

export async function insertSigningKey(
  db: Db,
  row: { id: string; environmentId: EnvironmentId; key: Buffer; createdAt: Date },
): Promise<void> {
  await tables(db)
    .insertInto("webhookSigningKeys")
    .values({ ...row, expiresAt: null })
    .execute();
}

export async function listSigningKeyRows(
  db: Db,
  environmentId: EnvironmentId,
  now: Date,
): Promise<{ id: string; key: Buffer; createdAt: Date; expiresAt: Date | null }[]> {
  return await tables(db)
    .selectFrom("webhookSigningKeys")
    .select(["id", "key", "createdAt", "expiresAt"])
    .where("environmentId", "=", environmentId)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .orderBy("createdAt", "desc")
    .execute();
}
