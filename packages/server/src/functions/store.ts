import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
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

const columnNames = [
  "id",
  "integration_id",
  "type",
  "name",
  "version",
  "enabled",
  "source",
  "definition",
  "bundle_sha256",
  "deployed_at",
];
const columns = columnNames.join(", ");

function columnsOf(table: string): string {
  return columnNames.map((name) => `${table}.${name}`).join(", ");
}

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

/** Actions, in the same order. */
export async function listActionRows(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<DeployedFunctionOf<"action">[]> {
  const { rows } = await sql<FunctionRow>`
    select ${sql.raw(columns)} from functions
     where environment_id = ${environmentId} and deleted_at is null and type = 'action'
     order by integration_id, name collate "C" limit ${limit}`.execute(db.withoutPlugins());
  return rows.map((row) => fromRowOfType<"action">(row));
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
export type NewBundle = Bundle & { readonly sha256: Buffer; readonly createdAt: Date };

/** Those that the environment has already stay as they are. */
export async function insertBundles(
  db: Db,
  environmentId: EnvironmentId,
  bundles: readonly NewBundle[],
): Promise<void> {
  if (bundles.length === 0) return;
  const rows = bundles.map(
    ({ sha256, code, source, sourceMap, createdAt }) =>
      sql`(${environmentId}, ${sha256}, ${code}, ${source}, ${sourceMap ?? null}, ${createdAt})`,
  );
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, source_map, created_at)
    values ${sql.join(rows)} on conflict do nothing`.execute(db);
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

export async function insertFunctions(
  db: Db,
  environmentId: EnvironmentId,
  functions: readonly NewFunction[],
): Promise<DeployedFunction[]> {
  if (functions.length === 0) return [];
  const values = functions.map(
    (
      fn,
    ) => sql`(${environmentId}, ${fn.integrationId}, ${fn.type}, ${fn.name}, ${fn.version}, ${fn.source},
      ${writeDefinition(fn.definition)}, ${fn.bundleSha256}, ${fn.deployedAt}, ${fn.deployedAt})`,
  );
  const { rows } = await sql<FunctionRow>`
    insert into functions
      (environment_id, integration_id, type, name, version, source, definition, bundle_sha256, deployed_at, created_at)
    values ${sql.join(values)} returning ${sql.raw(columns)}`.execute(db.withoutPlugins());
  return readWritten(rows, functions);
}

/** Puts new content in place; whether a function is enabled stays as it was. */
export async function updateFunctions(
  db: Db,
  environmentId: EnvironmentId,
  functions: readonly (NewFunction & { readonly id: number })[],
): Promise<DeployedFunction[]> {
  if (functions.length === 0) return [];
  const values = functions.map(
    (
      fn,
    ) => sql`(${fn.id}::bigint, ${fn.version}::text, ${fn.source}::text, ${writeDefinition(fn.definition)}::jsonb,
      ${fn.bundleSha256}::bytea, ${fn.deployedAt}::timestamptz)`,
  );
  const { rows } = await sql<FunctionRow>`
    update functions f
       set version = n.version, source = n.source, definition = n.definition, bundle_sha256 = n.bundle_sha256,
           deployed_at = n.deployed_at
      from (values ${sql.join(values)}) as n (id, version, source, definition, bundle_sha256, deployed_at)
     where f.environment_id = ${environmentId} and f.id = n.id and f.deleted_at is null
    returning ${sql.raw(columnsOf("f"))}`.execute(db.withoutPlugins());
  return readWritten(rows, functions);
}

/** What was written, in the order of what was given. */
function readWritten(
  rows: readonly FunctionRow[],
  given: readonly Pick<NewFunction, "integrationId" | "type" | "name">[],
): DeployedFunction[] {
  const keyOf = (integrationId: number, type: string, name: string) =>
    JSON.stringify([integrationId, type, name]);
  const byKey = new Map(rows.map((row) => [keyOf(row.integration_id, row.type, row.name), row]));
  return given.map(({ integrationId, type, name }) => {
    const row = byKey.get(keyOf(integrationId, type, name));
    if (row === undefined) throw new Error(`the function ${name} was not written`);
    return fromRow(row);
  });
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

/** Removes functions that were deleted before a time, and of which no schedule is left; answers how many. */
export async function removeDeletedFunctionRows(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from functions where id in (
      select f.id from functions f
       where f.environment_id = ${environmentId} and f.deleted_at < ${before}
         and not exists (select from syncs where function_id = f.id)
       limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

function fromRow(row: FunctionRow): DeployedFunction {
  if (!functionTypes.includes(row.type)) throw new Error(`unknown function type ${row.type}`);
  return fromRowOfType<FunctionType>(row);
}

// jsonb keeps no order of names; that in which authors declare properties is kept as text.
const SCHEMA_TEXT = "jsonSchemaText";

export function writeDefinition(definition: object): string {
  if (!("jsonSchema" in definition)) return JSON.stringify(definition);
  const text = JSON.stringify(definition.jsonSchema);
  return JSON.stringify({ ...definition, [SCHEMA_TEXT]: text });
}

export function readDefinition(stored: unknown): unknown {
  const { [SCHEMA_TEXT]: text, ...definition } = Object(stored);
  // Functions of earlier releases lack it until they are deployed again.
  return typeof text === "string" ? { ...definition, jsonSchema: JSON.parse(text) } : definition;
}

// `definition` was written by insertFunctions or updateFunctions for a function of the row's own type.
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
