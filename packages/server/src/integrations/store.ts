import { type ColumnType, sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { ProviderDefinition } from "#providers";
import type { Integration, IntegrationSettings } from "./integration.ts";

type Json<T> = ColumnType<T, string, string>;

interface IntegrationRow {
  id: ColumnType<number, number, never>;
  environmentId: EnvironmentId;
  uniqueKey: string;
  provider: string;
  displayName: string | null;
  forwardWebhooks: boolean;
  credentials: Buffer | null;
  integrationConfig: Json<Record<string, string>>;
  custom: Json<Record<string, string>>;
  settings: Json<IntegrationSettings>;
  providerEntry: ColumnType<ProviderDefinition["entry"] | null, string | null, string | null>;
  providerVersion: number | null;
  createdAt: Date;
  updatedAt: Date;
  deletingSince: ColumnType<Date | null, undefined, Date>;
  deletedAt: ColumnType<Date | null, undefined, Date | null>;
}

function tables(db: Db) {
  return db.withTables<{ integrations: IntegrationRow }>();
}

const columns = [
  "id",
  "environmentId",
  "uniqueKey",
  "provider",
  "displayName",
  "forwardWebhooks",
  "credentials",
  "integrationConfig",
  "custom",
  "settings",
  "providerEntry",
  "providerVersion",
  "createdAt",
  "updatedAt",
  "deletingSince",
] as const;

type Read = {
  readonly [Name in (typeof columns)[number]]: IntegrationRow[Name] extends ColumnType<
    infer Value,
    infer _I,
    infer _U
  >
    ? Value
    : IntegrationRow[Name];
};

function toIntegration(row: Read): Integration {
  return {
    id: row.id,
    environmentId: row.environmentId,
    uniqueKey: row.uniqueKey,
    provider: row.provider,
    displayName: row.displayName ?? undefined,
    forwardWebhooks: row.forwardWebhooks,
    integrationConfig: row.integrationConfig,
    custom: row.custom,
    settings: row.settings,
    definition:
      row.providerEntry === null || row.providerVersion === null
        ? undefined
        : { entry: row.providerEntry, version: row.providerVersion },
    sealedCredentials: row.credentials ?? undefined,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    deletingSince: row.deletingSince ?? undefined,
  };
}

const hotColumns = columns
  .map(
    (name) => `${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`,
  )
  .join(", ");

/** Columns of an integration in a row that is joined of several tables, by names that those of others do not have. */
export function joinedIntegrationColumns(alias: string): string {
  const toColumn = (name: string) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return columns.map((name) => `${alias}.${toColumn(name)} as "i.${name}"`).join(", ");
}

export type JoinedIntegration = { readonly [Name in keyof Read as `i.${Name}`]: Read[Name] };

/** The integration of such a row. */
export function readJoinedIntegration(row: JoinedIntegration): Integration {
  const read = Object.fromEntries(columns.map((name) => [name, row[`i.${name}`]]));
  return toIntegration(asRead(read));
}

// It has every column under its name.
function asRead(read: Readonly<Record<string, unknown>>): Read {
  return read as Read;
}

const byKey = hotStatement(
  "integration_by_key",
  `select ${hotColumns} from integrations
    where environment_id = $1 and unique_key = $2 and deleted_at is null`,
);

export async function findIntegration(
  db: Db,
  environmentId: EnvironmentId,
  uniqueKey: string,
): Promise<Integration | undefined> {
  const [row] = await runHot<Read>(db, byKey([environmentId, uniqueKey]));
  return row === undefined ? undefined : toIntegration(row);
}

const byId = hotStatement(
  "integration_by_id",
  `select ${hotColumns} from integrations
    where environment_id = $1 and id = $2 and deleted_at is null`,
);

export async function findIntegrationById(
  db: Db,
  environmentId: EnvironmentId,
  id: number,
): Promise<Integration | undefined> {
  const [row] = await runHot<Read>(db, byId([environmentId, id]));
  return row === undefined ? undefined : toIntegration(row);
}

/** Ids of the integrations that have one of these keys. */
export async function listKeysOfIds(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; uniqueKey: string }>`
    select id, unique_key from integrations
     where environment_id = ${environmentId} and id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, uniqueKey }) => [id, uniqueKey]));
}

export async function listIdsOfKeys(
  db: Db,
  environmentId: EnvironmentId,
  keys: readonly string[],
): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("integrations")
    .select("id")
    .where("environmentId", "=", environmentId)
    .where("uniqueKey", "in", [...keys])
    .where("deletedAt", "is", null)
    .execute();
  return rows.map(({ id }) => id);
}

/** By unique key. */
export async function listIntegrationRows(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Integration[]> {
  const rows = await tables(db)
    .selectFrom("integrations")
    .select(columns)
    .where("environmentId", "=", environmentId)
    .where("deletedAt", "is", null)
    .orderBy("uniqueKey")
    .execute();
  return rows.map(toIntegration);
}

/** Providers of integrations that have no definition of their own. */
export async function listProvidersInUse(db: Db, environmentId: EnvironmentId): Promise<string[]> {
  const { rows } = await sql<{ provider: string }>`
    select distinct provider from integrations
     where environment_id = ${environmentId} and deleted_at is null and provider_entry is null`.execute(
    db,
  );
  return rows.map(({ provider }) => provider);
}

/** Oldest first: those of the given providers, and those whose own definition has the field. */
export async function listRowsOfProviders(
  db: Db,
  environmentId: EnvironmentId,
  page: {
    readonly providers: readonly string[];
    readonly field: string;
    readonly uniqueKey: string | undefined;
    readonly after: number | undefined;
    readonly limit: number;
  },
): Promise<Integration[]> {
  const { providers, field, uniqueKey, after = 0, limit } = page;
  const rows = await tables(db)
    .selectFrom("integrations")
    .select(columns)
    .where("environmentId", "=", environmentId)
    .where("deletedAt", "is", null)
    .where("id", ">", after)
    .where(
      sql<boolean>`case when provider_entry is null then provider = any(${providers}::text[])
        else provider_entry -> ${field}::text is not null end`,
    )
    .$if(uniqueKey !== undefined, (query) => query.where("uniqueKey", "=", uniqueKey ?? ""))
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toIntegration);
}

/** An id for a row to come: credentials are sealed for their row before it is there. */
export async function reserveIntegrationId(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('integrations', 'id')) as id`.execute(db);
  return rows[0]?.id ?? Number.NaN;
}

export type NewIntegration = Omit<Integration, "environmentId" | "deletingSince">;

/** Adds the row; undefined when the key is taken. */
export async function insertIntegration(
  db: Db,
  environmentId: EnvironmentId,
  integration: NewIntegration,
): Promise<Integration | undefined> {
  const { id, uniqueKey, provider, displayName, forwardWebhooks, createdAt, updatedAt } =
    integration;
  const { rows } = await sql<Read>`
    insert into integrations
      (id, environment_id, unique_key, provider, display_name, forward_webhooks, credentials,
       integration_config, custom, settings, provider_entry, provider_version,
       created_at, updated_at)
    overriding system value
    values (${id}, ${environmentId}, ${uniqueKey}, ${provider}, ${displayName ?? null},
      ${forwardWebhooks}, ${integration.sealedCredentials ?? null},
      ${JSON.stringify(integration.integrationConfig)}, ${JSON.stringify(integration.custom)},
      ${JSON.stringify(integration.settings)}, ${toEntryText(integration)},
      ${integration.definition?.version ?? null}, ${createdAt}, ${updatedAt})
    on conflict (environment_id, unique_key) where deleted_at is null do nothing
    returning *`.execute(db);
  const [row] = rows;
  return row === undefined ? undefined : toIntegration(row);
}

/** The integration, locked until the transaction ends. */
export async function lockIntegration(
  db: Db,
  environmentId: EnvironmentId,
  uniqueKey: string,
): Promise<Integration | undefined> {
  const row = await tables(db)
    .selectFrom("integrations")
    .select(columns)
    .where("environmentId", "=", environmentId)
    .where("uniqueKey", "=", uniqueKey)
    .where("deletedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : toIntegration(row);
}

/** Writes what may change of an integration; undefined when the key is taken. */
export async function updateIntegrationRow(
  db: Db,
  environmentId: EnvironmentId,
  integration: NewIntegration,
): Promise<Integration | undefined> {
  const { id, uniqueKey, displayName, forwardWebhooks, updatedAt } = integration;
  const { rows } = await sql<Read>`
    update integrations
       set unique_key = ${uniqueKey}, display_name = ${displayName || null},
           forward_webhooks = ${forwardWebhooks}, updated_at = ${updatedAt},
           credentials = ${integration.sealedCredentials ?? null},
           integration_config = ${JSON.stringify(integration.integrationConfig)},
           custom = ${JSON.stringify(integration.custom)},
           settings = ${JSON.stringify(integration.settings)},
           provider_entry = ${toEntryText(integration)},
           provider_version = ${integration.definition?.version ?? null}
     where environment_id = ${environmentId} and id = ${id} and deleted_at is null
       and not exists (
         select from integrations other
          where other.environment_id = ${environmentId} and other.unique_key = ${uniqueKey}
            and other.id <> ${id} and other.deleted_at is null)
    returning *`.execute(db);
  const [row] = rows;
  return row === undefined ? undefined : toIntegration(row);
}

function toEntryText({ definition }: Pick<Integration, "definition">): string | null {
  return definition === undefined ? null : JSON.stringify(definition.entry);
}

/** Gives a new definition of a custom provider to the integrations that follow the latest. */
export async function followDefinition(
  db: Db,
  environmentId: EnvironmentId,
  { slug, definition, now }: { slug: string; definition: ProviderDefinition; now: Date },
): Promise<void> {
  await sql`
    update integrations
       set provider_entry = ${JSON.stringify(definition.entry)},
           provider_version = ${definition.version}, updated_at = ${now}
     where environment_id = ${environmentId} and provider = ${slug} and deleted_at is null
       and provider_version is not null and settings ->> 'provider_version' = 'latest'`.execute(db);
}

/** Notes since when the integration is being deleted. */
export async function markDeleting(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { readonly id: number; readonly now: Date },
): Promise<void> {
  await sql`
    update integrations set deleting_since = ${now}
     where environment_id = ${environmentId} and id = ${id} and deleting_since is null`.execute(db);
}

/** Hides the row and forgets its credentials. */
export async function deleteIntegrationRow(
  db: Db,
  environmentId: EnvironmentId,
  id: number,
  now: Date,
): Promise<void> {
  await tables(db)
    .updateTable("integrations")
    .set({ deletedAt: now, updatedAt: now, credentials: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

/** Removes integrations that were deleted before a time, and of which nothing is left; answers how many. */
export async function removeDeletedIntegrationRows(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from integrations where id in (
      select i.id from integrations i
       where i.environment_id = ${environmentId} and i.deleted_at < ${before}
         and not exists (select from connections where integration_id = i.id)
         and not exists (select from functions where integration_id = i.id)
         and not exists (select from authorization_flows where integration_id = i.id)
       limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
