import { type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, KeysetPosition, RunId, SyncId } from "#foundation";
import type { Db } from "#foundation/db";
import { hasId } from "#foundation/db/day-partitions";
import type { Run } from "../sync.ts";

export type ListedState = "ok" | "running" | "failing" | "paused";

export interface SyncListFilter {
  readonly state: ListedState | undefined;
  readonly functionIds: readonly number[] | undefined;
  readonly exceptFunctionIds: readonly number[];
  readonly connections: readonly ConnectionUuid[] | undefined;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
}

/** Which connections the syncs of a list by connection are of; undefined for all. */
export interface ConnectionFilter {
  readonly integrationId: number | undefined;
}

export interface ListedSyncRow {
  readonly id: SyncId;
  readonly createdAt: Date;
  readonly name: string;
  readonly variant: string;
  readonly functionId: number;
  readonly connectionUuid: ConnectionUuid;
  readonly connectionId: string;
  readonly integrationKey: string;
  readonly state: ListedState;
  readonly frequencyOverride: string | null;
  readonly lastSyncDate: Date | null;
  readonly nextRunAt: Date | null;
  readonly runningRunId: RunId | null;
  readonly consecutiveFailures: number;
}

/** Of syncs `s`; each begins as the condition of its index does. */
const conditions: Readonly<Record<ListedState, RawBuilder<boolean>>> = {
  paused: sql`s.paused`,
  failing: sql`not s.paused and s.consecutive_failures > 0`,
  running: sql`not s.paused and s.consecutive_failures = 0 and s.running_run_id is not null`,
  ok: sql`not s.paused and s.consecutive_failures = 0 and s.running_run_id is null`,
};

const state = sql<ListedState>`case
  when s.paused then 'paused' when s.consecutive_failures > 0 then 'failing'
  when s.running_run_id is not null then 'running' else 'ok' end`;

const listedColumns = sql`
  s.id, s.created_at, s.name, s.variant, s.function_id::int, s.connection_uuid, c.connection_id,
  i.unique_key as integration_key, ${state} as state, s.frequency_override, s.last_sync_date, s.next_run_at,
  s.running_run_id, s.consecutive_failures`;

/** Newest first. */
export async function listSyncRows(
  db: Db,
  environmentId: EnvironmentId,
  filter: SyncListFilter,
): Promise<ListedSyncRow[]> {
  // Joins the tables of #connections and #integrations, for names.
  const { rows } = await sql<ListedSyncRow>`
    with page as materialized (${pageOf(environmentId, filter)})
    select ${listedColumns}
      from page
     cross join lateral (select * from syncs where id = page.id offset 0) s
     cross join lateral (select connection_id, integration_id from connections where uuid = s.connection_uuid offset 0) c
      join integrations i on i.id = c.integration_id
     order by s.created_at desc, s.id desc`.execute(db);
  return rows;
}

/** The syncs of the newest connection first; those of one connection by name. */
export async function listSyncRowsByConnection(
  db: Db,
  environmentId: EnvironmentId,
  filter: SyncListFilter & ConnectionFilter,
): Promise<ListedSyncRow[]> {
  const { connections, functionIds, integrationId, after, limit } = filter;
  const ofFunctions =
    functionIds === undefined ? sql`` : sql`and s.function_id = any(${functionIds}::bigint[])`;
  // Row by row along the index of connections, until the page is full.
  const { rows } = await sql<ListedSyncRow>`
    with last as materialized (
      select c.created_at, c.id, s.name, s.variant
        from syncs s join connections c on c.uuid = s.connection_uuid
       where s.id = ${after?.id ?? null}::uuid and s.environment_id = ${environmentId}),
    page as materialized (
      select s.id, c.created_at, c.id as connection, s.name, s.variant
        from connections c
       cross join lateral (
          select * from syncs s
           where s.environment_id = ${environmentId} and s.connection_uuid = c.uuid and s.deleted_at is null
             ${ofFunctions} ${restOf({ ...filter, after: undefined })}
             ${
               after === undefined
                 ? sql``
                 : sql`and (c.id <> (select id from last) or (s.name, s.variant) > (select name, variant from last))`
             }
          offset 0) s
       where c.environment_id = ${environmentId} and c.deleted_at is null
         ${integrationId === undefined ? sql`` : sql`and c.integration_id = ${integrationId}`}
         ${connections === undefined ? sql`` : sql`and c.uuid = any(${connections}::uuid[])`}
         ${after === undefined ? sql`` : sql`and (c.created_at, c.id) <= (select created_at, id from last)`}
       order by c.created_at desc, c.id desc, s.name, s.variant limit ${limit})
    select ${listedColumns}
      from page
     cross join lateral (select * from syncs where id = page.id offset 0) s
     cross join lateral (select connection_id, integration_id from connections where uuid = s.connection_uuid offset 0) c
      join integrations i on i.id = c.integration_id
     order by page.created_at desc, page.connection desc, page.name, page.variant`.execute(db);
  return rows;
}

function pageOf(environmentId: EnvironmentId, filter: SyncListFilter): RawBuilder<unknown> {
  const { functionIds, connections, limit } = filter;
  const order = sql`order by s.created_at desc, s.id desc limit ${limit}`;
  const fits = sql`s.environment_id = ${environmentId} and s.deleted_at is null ${restOf(filter)}`;
  if (connections !== undefined) {
    const ofFunctions =
      functionIds === undefined ? sql`` : sql`and s.function_id = any(${functionIds}::bigint[])`;
    // Found by the connection, then put in order: the offset keeps the list's order out of it.
    return sql`
      select s.id from (
        select * from syncs where environment_id = ${environmentId} and deleted_at is null
           and connection_uuid = any(${connections}::uuid[]) offset 0) s
       where ${fits} ${ofFunctions} ${order}`;
  }
  if (filter.state === "running") return runningPage(environmentId, filter, { fits, order });
  if (functionIds === undefined) {
    return sql`select s.id from syncs s where ${fits} and s.created_at > '-infinity' ${order}`;
  }
  // Few are paused or failing: they are passed over in their own order.
  if (filter.state === "paused" || filter.state === "failing") {
    return sql`
      select s.id from syncs s where ${fits} and (s.function_id = any(${functionIds}::bigint[])) is true ${order}`;
  }
  // A page of each function, of which the first are taken.
  return sql`
    select s.id from unnest(${functionIds}::bigint[]) as f (id)
     cross join lateral (
       select s.id, s.created_at from syncs s
        where s.function_id = f.id and (s.environment_id = ${environmentId}) is true and s.deleted_at is null
          and s.created_at > '-infinity' ${restOf(filter)}
        ${order}) s
     ${order}`;
}

/** Those that run are found where they take turns. */
function runningPage(
  environmentId: EnvironmentId,
  { functionIds }: SyncListFilter,
  { fits, order }: { fits: RawBuilder<unknown>; order: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const ofFunctions =
    functionIds === undefined ? sql`` : sql`and s.function_id = any(${functionIds}::bigint[])`;
  return sql`
    select s.id from (
      select * from sync_turns where environment_id = ${environmentId} and next_run_at is null offset 0) t
     cross join lateral (select * from syncs where id = t.sync_id offset 0) s
     where ${fits} ${ofFunctions} ${order}`;
}

function restOf({ state, exceptFunctionIds, after }: SyncListFilter): RawBuilder<unknown> {
  const parts = [
    ...(state === undefined ? [] : [sql`and ${conditions[state]}`]),
    ...(exceptFunctionIds.length === 0
      ? []
      : [sql`and (s.function_id <> all(${exceptFunctionIds}::bigint[])) is true`]),
    ...(after === undefined
      ? []
      : [sql`and (s.created_at, s.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`]),
  ];
  return sql.join(parts, sql` `);
}

/** Whether there is such a sync. */
export async function hasSync(db: Db, environmentId: EnvironmentId, id: SyncId): Promise<boolean> {
  const { rows } = await sql`
    select from syncs
     where id = ${id} and (environment_id = ${environmentId} and deleted_at is null) is true`.execute(
    db,
  );
  return rows.length > 0;
}

export interface ListedRun extends Run {
  readonly createdAt: Date;
}

const runColumns =
  sql.raw(`id, environment_id, function_id::int, connection_uuid, sync_id, state, fence::int, attempts,
  cancel_requested_at, full_run, trigger, result, error, operation_id, created_at, started_at, ended_at`);

/** A run of a sync, or of its handler of webhooks. */
export async function findListedRun(
  db: Db,
  environmentId: EnvironmentId,
  id: RunId,
): Promise<ListedRun | undefined> {
  const { rows } = await sql<ListedRun>`
    select ${runColumns} from runs
     where ${hasId("runs", id)} and (environment_id = ${environmentId}) is true`.execute(db);
  return rows[0];
}

/** Newest first. */
export async function listRunRows(
  db: Db,
  environmentId: EnvironmentId,
  { syncId, after, limit }: { syncId: SyncId; after: KeysetPosition | undefined; limit: number },
): Promise<ListedRun[]> {
  const following =
    after === undefined
      ? sql`true`
      : sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<ListedRun>`
    select ${runColumns} from runs
     where sync_id = ${syncId} and (environment_id = ${environmentId}) is true and ${following}
     order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

export type RunUnderWay = Pick<
  ListedRun,
  "id" | "state" | "attempts" | "createdAt" | "startedAt"
> & {
  readonly syncId: SyncId;
  /** Until when it waits for its provider; may be in the past. */
  readonly quotaUntil: Date | null;
};

/** The newest run of each sync: of one that runs, the run that it has. */
export async function listRunsUnderWay(
  db: Db,
  environmentId: EnvironmentId,
  syncIds: readonly SyncId[],
): Promise<RunUnderWay[]> {
  if (syncIds.length === 0) return [];
  const { rows } = await sql<RunUnderWay>`
    select r.sync_id, r.id, r.state, r.attempts, r.created_at, r.started_at, r.quota_until
      from unnest(${syncIds}::uuid[]) as wanted (id)
     cross join lateral (
       select * from runs
        where sync_id = wanted.id and (environment_id = ${environmentId}) is true
        order by created_at desc, ended_at is null desc, fence desc limit 1) r`.execute(db);
  return rows;
}

/** Until when a run that is under way waits for its provider. */
export async function setQuotaWait(
  db: Db,
  environmentId: EnvironmentId,
  { id, until }: { readonly id: string; readonly until: Date },
): Promise<void> {
  await sql`
    update runs set quota_until = ${until}
     where environment_id = ${environmentId} and ${hasId("runs", id)} and state = 'running'`.execute(
    db,
  );
}

export interface LatestRunRow {
  readonly syncId: SyncId;
  readonly id: RunId;
  readonly state: Run["state"];
  readonly createdAt: Date;
  readonly operationId: string | null;
}

/** The newest runs of each sync, newest first. */
export async function listNewestRunRows(
  db: Db,
  environmentId: EnvironmentId,
  { syncIds, limit }: { syncIds: readonly SyncId[]; limit: number },
): Promise<LatestRunRow[]> {
  const { rows } = await sql<LatestRunRow>`
    select r.sync_id, r.id, r.state, r.created_at, r.operation_id
      from unnest(${syncIds}::uuid[]) as wanted (id)
     cross join lateral (
       select * from runs
        where sync_id = wanted.id and (environment_id = ${environmentId}) is true
        order by created_at desc, id desc limit ${limit}) r
     order by r.created_at desc, r.id desc`.execute(db);
  return rows;
}
