import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import { writeDefinition } from "../store.ts";
import type { Canary, CanaryFunction, CanaryId } from "./canary.ts";

/** Of one environment; older ones go with the next. */
const KEPT_CANARIES = 100;

const columns = sql.raw(`id, environment_id as "environmentId", state, settings, actor, chosen,
  removed::int[] as removed, deleted_models as "deletedModels", started_at as "startedAt", ends_at as "endsAt",
  ended_at as "endedAt", by_itself as "byItself", reason, deployment_id as "deploymentId"`);

export async function findRunningCanary(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Canary | undefined> {
  const { rows } = await sql<Canary>`
    select ${columns} from canaries where environment_id = ${environmentId} and state = 'running'`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

export async function findCanary(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Canary | undefined> {
  const { rows } = await sql<Canary>`
    select ${columns} from canaries
     where id = ${id} and (environment_id = ${environmentId}) is true`.execute(db.withoutPlugins());
  return rows[0];
}

/** The canary, locked until the transaction ends. */
export async function lockCanary(
  db: Db,
  environmentId: EnvironmentId,
  id: CanaryId,
): Promise<Canary | undefined> {
  const { rows } = await sql<Canary>`
    select ${columns} from canaries
     where id = ${id} and (environment_id = ${environmentId}) is true for update`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** Newest first. */
export async function listCanaryRows(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: KeysetPosition | undefined; limit: number },
): Promise<Canary[]> {
  const following =
    after === undefined
      ? sql`true`
      : sql`(started_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<Canary>`
    select ${columns} from canaries where environment_id = ${environmentId} and ${following}
     order by started_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export interface NewCanary {
  readonly canary: Omit<Canary, "endedAt" | "byItself" | "reason" | "deploymentId" | "chosen">;
  readonly functions: readonly CanaryFunction[];
  readonly connections: readonly ConnectionUuid[];
}

export async function insertCanary(
  db: Db,
  { canary, functions, connections }: NewCanary,
): Promise<void> {
  const { id, environmentId, settings, actor, removed, deletedModels, startedAt, endsAt } = canary;
  await sql`
    insert into canaries (id, environment_id, state, settings, actor, chosen, removed, deleted_models, started_at,
                          ends_at, next_check_at)
    values (${id}, ${environmentId}, 'running', ${JSON.stringify(settings)}, ${JSON.stringify(actor)},
            ${connections.length}, ${removed}::bigint[], ${deletedModels}::text[], ${startedAt}, ${endsAt}, ${startedAt})
  `.execute(db);
  await sql`
    insert into canary_connections (canary_id, connection_uuid)
    select ${id}, c from unnest(${connections}::uuid[]) as c`.execute(db);
  const texts = (column: (fn: CanaryFunction) => string | null) => functions.map(column);
  await sql`
    insert into canary_functions (canary_id, environment_id, function_id, integration_id, integration_key, type, name,
                                  version, source, definition, bundle_sha256, base_version, base_sha256)
    select ${id}, ${environmentId}, * from unnest(
      ${functions.map(({ functionId }) => functionId)}::bigint[],
      ${functions.map(({ integrationId }) => integrationId)}::bigint[],
      ${texts((fn) => fn.integrationKey)}::text[], ${texts((fn) => fn.type)}::text[],
      ${texts((fn) => fn.name)}::text[], ${texts((fn) => fn.version)}::text[], ${texts((fn) => fn.source)}::text[],
      ${texts((fn) => writeDefinition(Object(fn.definition)))}::jsonb[],
      ${functions.map(({ bundleSha256 }) => bundleSha256)}::bytea[],
      ${texts((fn) => fn.baseVersion)}::text[], ${functions.map(({ baseSha256 }) => baseSha256)}::bytea[])`.execute(
    db,
  );
  await sql`
    delete from canaries where state <> 'running' and id in (
      select id from canaries where environment_id = ${environmentId}
       order by started_at desc, id desc offset ${KEPT_CANARIES})`.execute(db);
}

const functionColumns =
  sql.raw(`function_id::int as "functionId", integration_id::int as "integrationId",
  integration_key as "integrationKey", type, name, version, source, definition, bundle_sha256 as "bundleSha256",
  base_version as "baseVersion", base_sha256 as "baseSha256"`);

export async function listCanaryFunctions(
  db: Db,
  id: CanaryId,
  { functionId }: { functionId?: number } = {},
): Promise<CanaryFunction[]> {
  const { rows } = await sql<CanaryFunction>`
    select ${functionColumns} from canary_functions
     where canary_id = ${id} and ${functionId === undefined ? sql`true` : sql`function_id = ${functionId}`}
     order by integration_id, type, name`.execute(db.withoutPlugins());
  return rows;
}

/** What every run asks: which functions and connections the canary is about. */
export async function listCanaryMembers(
  db: Db,
  id: CanaryId,
): Promise<{ functionIds: number[]; connections: ConnectionUuid[] }> {
  const { rows } = await sql<{ functionIds: number[]; connections: ConnectionUuid[] }>`
    select array(select function_id::int from canary_functions
                  where canary_id = ${id} and function_id is not null) as "functionIds",
           array(select connection_uuid from canary_connections where canary_id = ${id}) as connections`.execute(
    db.withoutPlugins(),
  );
  return rows[0] ?? { functionIds: [], connections: [] };
}

export interface CanaryEnd {
  readonly id: CanaryId;
  readonly state: "promoted" | "rolled_back";
  readonly endedBy: object;
  readonly byItself: boolean;
  readonly reason: string;
  readonly deploymentId: string | null;
  readonly now: Date;
}

/** False when it has ended before. */
export async function endCanaryRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, state, endedBy, byItself, reason, deploymentId, now }: CanaryEnd,
): Promise<boolean> {
  const { rows } = await sql`
    update canaries set state = ${state}, ended_at = ${now}, ended_by = ${JSON.stringify(endedBy)},
                        by_itself = ${byItself}, reason = ${reason}, deployment_id = ${deploymentId}
     where id = ${id} and (environment_id = ${environmentId}) is true and state = 'running' returning 1`.execute(
    db,
  );
  return rows.length === 1;
}

/** Takes those that are to be looked at; others look at them again when this process does not come to it. */
export async function claimCanaries(
  db: Db,
  { now, next, limit }: { now: Date; next: Date; limit: number },
): Promise<Canary[]> {
  const { rows } = await sql<Canary>`
    update canaries set next_check_at = ${next}
     where id in (select id from canaries where state = 'running' and next_check_at <= ${now}
                   order by next_check_at limit ${limit} for update skip locked)
    returning ${columns}`.execute(db.withoutPlugins());
  return rows;
}

export async function findNextCheck(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(next_check_at) as at from canaries where state = 'running'`.execute(db);
  return rows[0]?.at ?? undefined;
}
