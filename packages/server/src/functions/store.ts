import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";
import {
  type DeployedFunction,
  type DeployedFunctionOf,
  type FunctionType,
  functionTypes,
} from "./deployed-function.ts";

interface FunctionRow {
  readonly id: number;
  readonly integration_id: number;
  readonly type: FunctionType;
  readonly name: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly source: "repo" | "standalone";
  readonly definition: unknown;
  readonly bundle_sha256: Buffer;
  readonly deployed_at: Date;
}

export interface Bundle {
  /** CommonJS text. */
  readonly code: string;
  /** The author's file. */
  readonly source: string;
  readonly sourceMap: string | undefined;
}

const columns =
  "id, integration_id, type, name, version, enabled, source, definition, bundle_sha256, deployed_at";

const functionByName = hotStatement(
  "function_by_name",
  `select ${columns} from functions
    where environment_id = $1 and integration_id = $2 and type = $3 and name = $4 and deleted_at is null`,
);

export async function findFunctionByName<Type extends FunctionType>(
  db: Db,
  environmentId: EnvironmentId,
  key: { integrationId: number; type: Type; name: string },
): Promise<DeployedFunctionOf<Type> | undefined> {
  const query = functionByName([environmentId, key.integrationId, key.type, key.name]);
  const [row] = await runHot<FunctionRow>(db, query);
  return row === undefined ? undefined : fromRowOfType<Type>(row);
}

const functionById = hotStatement(
  "function_by_id",
  `select ${columns} from functions where environment_id = $1 and id = $2`,
);

/** Removed functions included. */
export async function findFunctionById(
  db: Db,
  environmentId: EnvironmentId,
  id: number,
): Promise<DeployedFunction | undefined> {
  const [row] = await runHot<FunctionRow>(db, functionById([environmentId, id]));
  return row === undefined ? undefined : fromRow(row);
}

const functionsOfType = hotStatement(
  "functions_of_type",
  `select ${columns} from functions
    where environment_id = $1 and integration_id = $2 and type = $3 and deleted_at is null order by name collate "C"`,
);

export async function listFunctionsOfType<Type extends FunctionType>(
  db: Db,
  environmentId: EnvironmentId,
  filter: { integrationId: number; type: Type },
): Promise<DeployedFunctionOf<Type>[]> {
  const query = functionsOfType([environmentId, filter.integrationId, filter.type]);
  const rows = await runHot<FunctionRow>(db, query);
  return rows.map((row) => fromRowOfType<Type>(row));
}

const savedModels = hotStatement(
  "saved_models",
  `select distinct model from functions, jsonb_array_elements_text(definition->'models') as model
    where environment_id = $1 and integration_id = $2 and type = 'sync' and deleted_at is null
    order by model`,
);

/** Names of the models that the integration's syncs declare. */
export async function listSavedModels(
  db: Db,
  environmentId: EnvironmentId,
  integrationId: number,
): Promise<string[]> {
  const rows = await runHot<{ model: string }>(db, savedModels([environmentId, integrationId]));
  return rows.map(({ model }) => model);
}

export async function listAllFunctions(
  db: Db,
  environmentId: EnvironmentId,
): Promise<DeployedFunction[]> {
  const { rows } = await sql<FunctionRow>`
    select ${sql.raw(columns)} from functions
     where environment_id = ${environmentId} and deleted_at is null
     order by integration_id, type, name collate "C"`.execute(db.withoutPlugins());
  return rows.map(fromRow);
}

/** Part of `listAllFunctions`, in the same order. */
export async function listFunctionsPage(
  db: Db,
  environmentId: EnvironmentId,
  page: { integrationId: number | undefined; limit: number | undefined; offset: number },
): Promise<DeployedFunction[]> {
  const { rows } = await sql<FunctionRow>`
    select ${sql.raw(columns)} from functions
     where environment_id = ${environmentId} and deleted_at is null
       and (${page.integrationId ?? null}::bigint is null or integration_id = ${page.integrationId ?? null})
     order by integration_id, type, name collate "C"
     limit ${page.limit ?? null} offset ${page.offset}`.execute(db.withoutPlugins());
  return rows.map(fromRow);
}

/** A sync function, without its definition. */
export interface NamedFunction {
  readonly id: number;
  readonly integrationId: number;
  readonly name: string;
  readonly enabled: boolean;
}

export async function listNamedSyncs(
  db: Db,
  environmentId: EnvironmentId,
): Promise<NamedFunction[]> {
  const { rows } = await sql<NamedFunction>`
    select id::int, integration_id::int as "integrationId", name, enabled from functions
     where environment_id = ${environmentId} and type = 'sync' and deleted_at is null`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

/** Removed functions included. */
export async function listFunctionsOfIds(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly number[],
): Promise<DeployedFunction[]> {
  const { rows } = await sql<FunctionRow>`
    select ${sql.raw(columns)} from functions
     where environment_id = ${environmentId} and id = any(${ids}::bigint[])`.execute(
    db.withoutPlugins(),
  );
  return rows.map(fromRow);
}

/** A function that is a tool of language models. */
export interface ToolName {
  readonly id: number;
  readonly integrationId: number;
  readonly name: string;
}

const toolNames = hotStatement(
  "tool_names",
  `select id, integration_id as "integrationId", name from functions
    where environment_id = $1 and type in ('action', 'sync') and deleted_at is null
    order by integration_id, type, name collate "C"`,
);

export async function listToolNames(db: Db, environmentId: EnvironmentId): Promise<ToolName[]> {
  return await runHot<ToolName>(db, toolNames([environmentId]));
}

/** Locks deployments of the environment until the transaction ends; false when another has the lock. */
export async function tryLockDeployment(db: Db, environmentId: EnvironmentId): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`deploy ${environmentId}`}, 0)) as locked
  `.execute(db);
  return rows[0]?.locked === true;
}

/** Bundles never change: the hash covers all that is stored. */
export async function insertBundle(
  db: Db,
  environmentId: EnvironmentId,
  row: Bundle & { sha256: Buffer; createdAt: Date },
): Promise<void> {
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, source_map, created_at)
    values (${environmentId}, ${row.sha256}, ${row.code}, ${row.source}, ${row.sourceMap ?? null}, ${row.createdAt})
    on conflict do nothing`.execute(db);
}

const bundleByHash = hotStatement(
  "function_bundle",
  "select code, source, source_map from function_bundles where environment_id = $1 and sha256 = $2",
);

export async function findBundle(
  db: Db,
  environmentId: EnvironmentId,
  sha256: Buffer,
): Promise<Bundle | undefined> {
  const query = bundleByHash([environmentId, sha256]);
  const [row] = await runHot<{ code: string; source: string; source_map: string | null }>(
    db,
    query,
  );
  if (row === undefined) return undefined;
  return { code: row.code, source: row.source, sourceMap: row.source_map ?? undefined };
}

export type NewFunction = Omit<DeployedFunction, "id" | "enabled">;

export async function insertFunction(
  db: Db,
  environmentId: EnvironmentId,
  row: NewFunction,
): Promise<DeployedFunction> {
  const { rows } = await sql<FunctionRow>`
    insert into functions
      (environment_id, integration_id, type, name, version, source, definition, bundle_sha256, deployed_at, created_at)
    values (${environmentId}, ${row.integrationId}, ${row.type}, ${row.name}, ${row.version}, ${row.source},
      ${writeDefinition(row.definition)}, ${row.bundleSha256}, ${row.deployedAt}, ${row.deployedAt})
    returning ${sql.raw(columns)}`.execute(db.withoutPlugins());
  return fromRow(onlyRow(rows));
}

/** Puts new content in place; whether the function is enabled stays as it was. */
export async function updateFunction(
  db: Db,
  environmentId: EnvironmentId,
  row: NewFunction & { id: number },
): Promise<DeployedFunction> {
  const { rows } = await sql<FunctionRow>`
    update functions
       set version = ${row.version}, source = ${row.source}, definition = ${writeDefinition(row.definition)},
           bundle_sha256 = ${row.bundleSha256}, deployed_at = ${row.deployedAt}
     where environment_id = ${environmentId} and id = ${row.id} and deleted_at is null
    returning ${sql.raw(columns)}`.execute(db.withoutPlugins());
  return fromRow(onlyRow(rows));
}

export async function setFunctionEnabled(
  db: Db,
  environmentId: EnvironmentId,
  { id, enabled }: { id: number; enabled: boolean },
): Promise<void> {
  await sql`
    update functions set enabled = ${enabled}
     where environment_id = ${environmentId} and id = ${id} and deleted_at is null`.execute(db);
}

export async function markFunctionsDeleted(
  db: Db,
  environmentId: EnvironmentId,
  { ids, deletedAt }: { ids: readonly number[]; deletedAt: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update functions set deleted_at = ${deletedAt}
     where environment_id = ${environmentId} and id = any(${ids}) and deleted_at is null`.execute(
    db,
  );
}

function onlyRow(rows: readonly FunctionRow[]): FunctionRow {
  const [row] = rows;
  if (row === undefined) throw new Error("the function was not written");
  return row;
}

function fromRow(row: FunctionRow): DeployedFunction {
  if (!functionTypes.includes(row.type)) throw new Error(`unknown function type ${row.type}`);
  return fromRowOfType<FunctionType>(row);
}

// jsonb keeps no order of names; that in which authors declare properties is kept as text.
const SCHEMA_TEXT = "jsonSchemaText";

function writeDefinition(definition: object): string {
  if (!("jsonSchema" in definition)) return JSON.stringify(definition);
  const text = JSON.stringify(definition.jsonSchema);
  return JSON.stringify({ ...definition, [SCHEMA_TEXT]: text });
}

function readDefinition(stored: unknown): unknown {
  const { [SCHEMA_TEXT]: text, ...definition } = Object(stored);
  // Functions of earlier releases lack it until they are deployed again.
  return typeof text === "string" ? { ...definition, jsonSchema: JSON.parse(text) } : definition;
}

// `definition` was written by insertFunction or updateFunction for a function of the row's own type.
function fromRowOfType<Type extends FunctionType>(
  row: FunctionRow,
): DeployedFunctionOf<Type> & DeployedFunction {
  return {
    id: row.id,
    integrationId: row.integration_id,
    type: row.type,
    name: row.name,
    version: row.version,
    enabled: row.enabled,
    source: row.source,
    definition: readDefinition(row.definition),
    bundleSha256: row.bundle_sha256,
    deployedAt: row.deployed_at,
  } as DeployedFunctionOf<Type> & DeployedFunction;
}
