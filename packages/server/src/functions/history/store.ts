import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, type EnvironmentId, type KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type { FunctionType } from "../deployed-function.ts";
import type { DeploymentId, PastDeployment } from "./deployment.ts";

/** Of one function; older ones go with its next change. */
const KEPT_VERSIONS = 20;
/** A version can be restored for so long after it was replaced, up to these bounds. */
const RUNNABLE_MS = 7 * DAY;
const MOST_VERSIONS = 1000;
const MOST_BYTES = 2 * 1024 ** 3;
/** Of one environment; older ones go with the next deployment. */
const KEPT_DEPLOYMENTS = 1000;

/** A function by its names, as both tables have them. */
const sameName = (a: string, b: string) =>
  sql.raw(`${a}.environment_id = ${b}.environment_id and ${a}.integration_id = ${b}.integration_id
    and ${a}.type = ${b}.type and ${a}.name = ${b}.name`);

const latestOf = sql`
  select v.id, v.version, v.bundle_sha256 from function_versions v
   where ${sameName("v", "f")} order by v.id desc limit 1`;

/** Adds what these functions are now, where that is not known: deployed before versions were kept. */
export async function addKnownVersions(
  db: Db,
  environmentId: EnvironmentId,
  functionIds: readonly number[],
): Promise<void> {
  await sql`
    insert into function_versions (environment_id, integration_id, type, name, kind, version, source, definition,
                                   bundle_sha256, previous_id, deployed_at)
    select f.environment_id, f.integration_id, f.type, f.name, 'known', f.version, f.source, f.definition,
           f.bundle_sha256, latest.id, f.deployed_at
      from functions f left join lateral (${latestOf}) latest on true
     where f.environment_id = ${environmentId} and f.id = any(${functionIds}::bigint[])
       and (latest.version = f.version and latest.bundle_sha256 = f.bundle_sha256) is not true`.execute(
    db,
  );
}

export interface VersionChange {
  readonly functionId: number;
  readonly kind: "new" | "updated" | "removed";
}

/** Adds what a deployment has made of these functions, as the table of functions has them. */
export async function addVersions(
  db: Db,
  environmentId: EnvironmentId,
  {
    deploymentId,
    changes,
    now,
  }: { deploymentId: DeploymentId; changes: readonly VersionChange[]; now: Date },
): Promise<void> {
  const ids = changes.map(({ functionId }) => functionId);
  const kinds = changes.map(({ kind }) => kind);
  const kept = (column: string): RawBuilder<unknown> =>
    sql.raw(`case when k.kind <> 'removed' then f.${column} end`);
  await sql`
    insert into function_versions (environment_id, integration_id, type, name, kind, deployment_id, version, source,
                                   definition, bundle_sha256, previous_id, deployed_at)
    select f.environment_id, f.integration_id, f.type, f.name, k.kind, ${deploymentId}, ${kept("version")},
           ${kept("source")}, ${kept("definition")}, ${kept("bundle_sha256")},
           case when k.kind <> 'new' then latest.id end, ${now}
      from unnest(${ids}::bigint[], ${kinds}::text[]) as k (id, kind)
      join functions f on f.id = k.id and f.environment_id = ${environmentId}
      left join lateral (${latestOf}) latest on true`.execute(db);
  await sql`
    delete from function_versions where id in (
      select old.id from functions f
       cross join lateral (
         select v.id, row_number() over (order by v.id desc) as place,
                lag(v.deployed_at) over (order by v.id desc) as replaced_at
           from function_versions v where ${sameName("v", "f")}) old
       where f.environment_id = ${environmentId} and f.id = any(${ids}::bigint[])
         and (old.place > ${MOST_VERSIONS}
              or (old.place > ${KEPT_VERSIONS} and old.replaced_at < ${addMs(now, -RUNNABLE_MS)})))`.execute(
    db,
  );
}

export interface VersionRow {
  readonly id: number;
  readonly kind: "new" | "updated" | "removed" | "known";
  readonly integrationId: number;
  readonly type: FunctionType;
  readonly name: string;
  readonly deploymentId: DeploymentId | null;
  readonly version: string | null;
  readonly source: "repo" | "standalone" | null;
  readonly definition: unknown;
  readonly bundleSha256: Buffer | null;
  readonly previousId: number | null;
  readonly deployedAt: Date;
}

const columns = sql.raw(`id::int as id, kind, integration_id::int as "integrationId", type, name,
  deployment_id as "deploymentId", version, source, definition, bundle_sha256 as "bundleSha256",
  previous_id::int as "previousId", deployed_at as "deployedAt"`);

interface FunctionName {
  readonly integrationId: number;
  readonly type: FunctionType;
  readonly name: string;
}

/** Newest first. */
export async function listVersionRows(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, type, name }: FunctionName,
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from function_versions
     where environment_id = ${environmentId} and integration_id = ${integrationId} and type = ${type} and name = ${name}
     order by id desc limit ${KEPT_VERSIONS}`.execute(db.withoutPlugins());
  return rows;
}

/** What a deployment has changed. */
export async function listVersionsOf(
  db: Db,
  environmentId: EnvironmentId,
  deploymentId: DeploymentId,
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from function_versions
     where deployment_id = ${deploymentId} and (environment_id = ${environmentId}) is true
     order by id`.execute(db.withoutPlugins());
  return rows;
}

export async function listVersionsById(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly number[],
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from function_versions
     where id = any(${ids}::bigint[]) and (environment_id = ${environmentId}) is true`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

/** Adds a deployment, and makes room for it. */
export async function insertDeployment(
  db: Db,
  environmentId: EnvironmentId,
  deployment: PastDeployment,
): Promise<void> {
  const { id, way, state, actor, summary, error, operationId, rollbackOf, createdAt } = deployment;
  const { commitId, branch } = deployment;
  await sql`
    insert into deployments (id, environment_id, way, state, actor, summary, error, operation_id, rollback_of,
                             commit_id, branch, created_at)
    values (${id}, ${environmentId}, ${way}, ${state}, ${JSON.stringify(actor)}, ${JSON.stringify(summary)},
            ${error && JSON.stringify(error)}, ${operationId}, ${rollbackOf}, ${commitId}, ${branch}, ${createdAt})`.execute(
    db,
  );
  await sql`
    delete from deployments where id in (
      select id from deployments where environment_id = ${environmentId}
       order by created_at desc, id desc offset ${KEPT_DEPLOYMENTS})`.execute(db);
}

const deploymentColumns =
  sql.raw(`id, way, state, actor, summary, error, operation_id as "operationId",
  rollback_of as "rollbackOf", commit_id as "commitId", branch, created_at as "createdAt"`);

export async function findDeployment(
  db: Db,
  environmentId: EnvironmentId,
  id: DeploymentId,
): Promise<PastDeployment | undefined> {
  const { rows } = await sql<PastDeployment>`
    select ${deploymentColumns} from deployments
     where id = ${id} and (environment_id = ${environmentId}) is true`.execute(db.withoutPlugins());
  return rows[0];
}

/** Newest first. */
export async function listDeploymentRows(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: KeysetPosition | undefined; limit: number },
): Promise<PastDeployment[]> {
  const following =
    after === undefined
      ? sql`true`
      : sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<PastDeployment>`
    select ${deploymentColumns} from deployments
     where environment_id = ${environmentId} and ${following}
     order by created_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export interface FunctionListFilter {
  readonly integrationId: number | undefined;
  readonly type: FunctionType | undefined;
  readonly search: string | undefined;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
}

export interface FunctionPosition {
  readonly id: number;
  readonly createdAt: Date;
}

/** Newest first. */
export async function listFunctionPositions(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, type, search, after, limit }: FunctionListFilter,
): Promise<FunctionPosition[]> {
  const filters = [
    ...(integrationId === undefined ? [] : [sql`and (integration_id = ${integrationId}) is true`]),
    ...(type === undefined ? [] : [sql`and (type = ${type}) is true`]),
    ...(search === undefined ? [] : [sql`and strpos(lower(name), lower(${search})) > 0`]),
    ...(after === undefined
      ? []
      : [sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::bigint)`]),
  ];
  const { rows } = await sql<FunctionPosition>`
    select id::int, created_at from functions
     where environment_id = ${environmentId} and deleted_at is null and created_at > '-infinity' ${sql.join(filters, sql` `)}
     order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** Bytes of bundles that an environment keeps for earlier versions. */
const KEPT_BYTES = 256 * 1024 * 1024;

/**
 * Removes the oldest versions of environments whose bundles pass the bound, but for what each function was last, and
 * then bundles that neither a function nor a version names. Not while a deployment brings one: the caller holds its lock.
 */
export async function pruneVersions(
  db: Db,
  environmentId: EnvironmentId,
  now: Date,
): Promise<void> {
  await sql`
    with sizes as materialized (
      select v.id, v.integration_id, v.type, v.name,
             lag(v.deployed_at) over (partition by v.integration_id, v.type, v.name order by v.id desc) as replaced_at,
             sum(octet_length(b.code) + octet_length(b.source) + coalesce(octet_length(b.source_map), 0))
               over (order by v.id desc) as through
        from function_versions v
        join function_bundles b on b.environment_id = v.environment_id and b.sha256 = v.bundle_sha256
       where v.environment_id = ${environmentId})
    delete from function_versions old using sizes
     where old.id = sizes.id and (sizes.through > ${MOST_BYTES}
            or (sizes.through > ${KEPT_BYTES} and sizes.replaced_at < ${addMs(now, -RUNNABLE_MS)}))
       and exists (
         select from sizes later
          where later.integration_id = old.integration_id and later.type = old.type and later.name = old.name
            and later.id > old.id)`.execute(db);
  await sql`
    delete from function_bundles b
     where b.environment_id = ${environmentId}
       and not exists (
         select from functions f where f.environment_id = b.environment_id and f.bundle_sha256 = b.sha256)
       and not exists (
         select from function_versions v
          where v.environment_id = b.environment_id and v.bundle_sha256 = b.sha256)
       and not exists (
         select from canary_functions c join canaries on canaries.id = c.canary_id and canaries.state = 'running'
          where c.environment_id = b.environment_id and c.bundle_sha256 = b.sha256)`.execute(db);
}

/** Of all environments: those that had a deployment since a time. */
export async function listDeployedSince(db: Db, since: Date): Promise<EnvironmentId[]> {
  const { rows } = await sql<{ environmentId: EnvironmentId }>`
    select distinct environment_id from deployments where created_at >= ${since}`.execute(db);
  return rows.map(({ environmentId }) => environmentId);
}
