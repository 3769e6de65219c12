import { type ColumnType, type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, SyncId } from "#foundation";
import { type Db, hotStatement, runHot, runNamed } from "#foundation/db";
import type { NextRun, Sync, Unfinished } from "./sync.ts";
import { syncTasks } from "./tasks.ts";

type Json<T> = ColumnType<T, string, string>;

type SyncTables = {
  syncs: Omit<Sync, "followUp" | "unfinished"> & {
    followUp: Json<NextRun | null> | null;
    unfinished: Json<Unfinished | null> | null;
    frequencyOverride: string | null;
    createdAt: Date;
    updatedAt: Date;
  };
  /** Only joined, for the names of connections. */
  connections: {
    id: number;
    uuid: ConnectionUuid;
    environmentId: EnvironmentId;
    connectionId: string;
  };
};

function tables(db: Db) {
  return db.withTables<SyncTables>();
}

const syncColumns = [
  "syncs.id",
  "syncs.environmentId",
  "syncs.connectionUuid",
  "syncs.functionId",
  "syncs.name",
  "syncs.variant",
  "syncs.paused",
  "syncs.nextRunAt",
  "syncs.runningRunId",
  "syncs.fence",
  "syncs.followUp",
  "syncs.intervalMs",
  "syncs.anchoredAt",
  "syncs.lastSyncDate",
  "syncs.unfinished",
  "syncs.consecutiveFailures",
  "syncs.deletedAt",
] as const;

/** `nextSlot` as text, of a time that is given in SQL. */
export function nextSlotText(now: string): string {
  return `anchored_at + interval '1 millisecond' * interval_ms *
    (floor(extract(epoch from (${now} - anchored_at)) * 1000 / interval_ms) + 1)`;
}

/** First point of the grid `anchor + n * interval` after `now`. */
export function nextSlot(now: Date, intervalMs: RawBuilder<unknown> = sql`interval_ms`) {
  return sql<Date>`anchored_at + interval '1 millisecond' * ${intervalMs} *
    (floor(extract(epoch from (${now}::timestamptz - anchored_at)) * 1000 / ${intervalMs}) + 1)`;
}

/**
 * Held until the transaction ends, so that a new connection and a deployment at the same moment do not both
 * miss each other: connections share it, a deployment has it alone.
 */
export async function lockIntegration(
  db: Db,
  integrationId: number,
  mode: "shared" | "alone",
): Promise<void> {
  const key = sql`hashtextextended(${`syncs of integration ${integrationId}`}, 0)`;
  if (mode === "shared") await sql`select pg_advisory_xact_lock_shared(${key})`.execute(db);
  else await sql`select pg_advisory_xact_lock(${key})`.execute(db);
}

export interface NewSync {
  readonly functionId: number;
  readonly name: string;
  /** Default `base`. */
  readonly variant?: string;
  readonly paused: boolean;
  readonly intervalMs: number;
}

/**
 * Adds the variant for the given connections that lack it, and answers which. The first run is due at
 * once; the grid is shifted by a random part of the interval, so that syncs made together spread over it.
 */
export async function insertSyncs(
  db: Db,
  environmentId: EnvironmentId,
  sync: NewSync,
  { connections, now }: { connections: readonly ConnectionUuid[]; now: Date },
): Promise<ConnectionUuid[]> {
  const { functionId, name, variant = "base", paused, intervalMs } = sync;
  const result = await sql<{ connectionUuid: ConnectionUuid }>`
    insert into syncs (id, environment_id, connection_uuid, function_id, name, variant, paused, interval_ms,
                       anchored_at, next_run_at, created_at, updated_at)
    select gen_random_uuid(), ${environmentId}, c, ${functionId}, ${name}, ${variant}, ${paused}, ${intervalMs},
           ${now}::timestamptz + floor(random() * ${intervalMs}) * interval '1 millisecond', ${now}, ${now}, ${now}
      from unnest(${connections}::uuid[]) as c
    on conflict (environment_id, connection_uuid, name, variant) where deleted_at is null do nothing
    returning connection_uuid`.execute(db);
  return result.rows.map(({ connectionUuid }) => connectionUuid);
}

/** Moves schedules without an override to a new interval; a run that is due, or was asked for, stays as it is. */
export async function changeInterval(
  db: Db,
  environmentId: EnvironmentId,
  { functionId, intervalMs, now }: { functionId: number; intervalMs: number; now: Date },
): Promise<void> {
  const slot = nextSlot(now, sql`${intervalMs}::bigint`);
  await sql`
    update syncs
       set interval_ms = ${intervalMs}, updated_at = ${now},
           next_run_at = case when next_run_at > ${now} and follow_up is null then ${slot} else next_run_at end
     where environment_id = ${environmentId} and function_id = ${functionId}
       and frequency_override is null and interval_ms <> ${intervalMs}
       and deleted_at is null`.execute(db);
}

export interface SyncFilter {
  readonly functionIds?: readonly number[];
  readonly connections?: readonly ConnectionUuid[];
}

export interface NamedSync extends Sync {
  readonly frequencyOverride: string | null;
  readonly connectionId: string;
  /** The number of the connection, as logs name it. */
  readonly connectionNumber: number;
}

export async function listSyncs(
  db: Db,
  environmentId: EnvironmentId,
  { functionIds, connections }: SyncFilter,
): Promise<NamedSync[]> {
  const [one, ...others] = connections ?? [];
  const isOfOne = one !== undefined && others.length === 0;
  const query = tables(db)
    .selectFrom("syncs")
    .innerJoin("connections", "connections.uuid", "syncs.connectionUuid")
    .select(syncColumns)
    .select([
      "syncs.frequencyOverride",
      "connections.connectionId",
      "connections.id as connectionNumber",
    ])
    .where("syncs.environmentId", "=", environmentId)
    .where("syncs.deletedAt", "is", null)
    .$if(functionIds !== undefined, (query) => {
      const ofFunctions = sql<boolean>`(syncs.function_id = any(${functionIds}::bigint[]))`;
      // Those of a connection are fewer: `is true` leaves it to them to be found by.
      const aside = sql<boolean>`${ofFunctions} is true`;
      return query.where(connections === undefined ? ofFunctions : aside);
    })
    .$if(connections !== undefined, (query) =>
      query.where(
        isOfOne
          ? sql<boolean>`syncs.connection_uuid = ${one}`
          : sql<boolean>`syncs.connection_uuid = any(${connections}::uuid[])`,
      ),
    )
    .orderBy("connections.id")
    .orderBy("syncs.name")
    .orderBy("syncs.variant");
  // Of one connection Postgres keeps the plan, which takes longer than what it reads.
  const isNamed = isOfOne && functionIds !== undefined;
  return isNamed ? await runNamed(db, "syncs_of_connection", query) : await query.execute();
}

/** Columns of a sync `s`, as hot statements read them. */
export const syncText = `s.id, s.environment_id as "environmentId", s.connection_uuid as "connectionUuid",
  s.function_id::int as "functionId", s.name, s.variant, s.paused, s.next_run_at as "nextRunAt",
  s.running_run_id as "runningRunId", s.fence::int, s.follow_up as "followUp", s.interval_ms::float8 as "intervalMs",
  s.anchored_at as "anchoredAt", s.last_sync_date as "lastSyncDate", s.unfinished,
  s.consecutive_failures as "consecutiveFailures", s.deleted_at as "deletedAt"`;

const lockRow = hotStatement(
  "sync_lock",
  `select ${syncText} from syncs s where s.id = $2 and (s.environment_id = $1) is true for update`,
);

/** The sync, locked until the transaction ends; a deleted one too. */
export async function lockSync(
  db: Db,
  environmentId: EnvironmentId,
  id: SyncId,
): Promise<Sync | undefined> {
  const [sync] = await runHot<Sync>(db, lockRow([environmentId, id]));
  return sync;
}

/** The syncs of a connection, locked until the transaction ends; in one order, so that two callers never wait for each other. */
export async function lockSyncsOf(
  db: Db,
  environmentId: EnvironmentId,
  connection: ConnectionUuid,
): Promise<Sync[]> {
  return await tables(db)
    .selectFrom("syncs")
    .select(syncColumns)
    .where("syncs.environmentId", "=", environmentId)
    .where("syncs.connectionUuid", "=", connection)
    .where("syncs.deletedAt", "is", null)
    .orderBy("syncs.id")
    .forUpdate()
    .execute();
}

/** How often it runs where that was set for its connection alone. */
export async function findFrequencyOverride(
  db: Db,
  environmentId: EnvironmentId,
  id: SyncId,
): Promise<string | undefined> {
  const row = await tables(db)
    .selectFrom("syncs")
    .select("frequencyOverride")
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.frequencyOverride ?? undefined;
}

/** Connections that have, or had, a schedule of the function. */
export async function listConnectionsOf(
  db: Db,
  environmentId: EnvironmentId,
  functionId: number,
): Promise<ConnectionUuid[]> {
  const rows = await tables(db)
    .selectFrom("syncs")
    .select("connectionUuid")
    .distinct()
    .where("environmentId", "=", environmentId)
    .where("functionId", "=", functionId)
    .execute();
  return rows.map(({ connectionUuid }) => connectionUuid);
}

export type SyncChange = Partial<{
  paused: boolean;
  nextRunAt: Date;
  followUp: NextRun | null;
  lastSyncDate: Date | null;
  unfinished: null;
  consecutiveFailures: number;
  frequencyOverride: string | null;
  intervalMs: number;
}>;

export async function updateSync(
  db: Db,
  environmentId: EnvironmentId,
  id: SyncId,
  change: SyncChange,
  now: Date,
): Promise<void> {
  await updateSyncs(db, environmentId, { ids: [id], ...change }, now);
}

/** Changes all of them in the same way. */
export async function updateSyncs(
  db: Db,
  environmentId: EnvironmentId,
  { ids, followUp, ...change }: SyncChange & { readonly ids: readonly SyncId[] },
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  const wish = followUp === undefined ? {} : { followUp: followUp && JSON.stringify(followUp) };
  await tables(db)
    .updateTable("syncs")
    .set({ ...change, ...wish, updatedAt: now })
    .where("environmentId", "=", environmentId)
    .where("id", "in", ids)
    .execute();
}

/** Answers the run that holds it. */
export async function deleteSync(
  db: Db,
  environmentId: EnvironmentId,
  id: SyncId,
  now: Date,
): Promise<Pick<Sync, "runningRunId">> {
  const row = await tables(db)
    .updateTable("syncs")
    .set({ deletedAt: now, followUp: null, updatedAt: now })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .returning("runningRunId")
    .executeTakeFirst();
  return row ?? { runningRunId: null };
}

/** Those of the functions whose last slot has failed. */
export async function listFailingSyncs(
  db: Db,
  environmentId: EnvironmentId,
  functionIds: readonly number[],
): Promise<Pick<Sync, "connectionUuid" | "name" | "variant">[]> {
  return await tables(db)
    .selectFrom("syncs")
    .select(["connectionUuid", "name", "variant"])
    .where("environmentId", "=", environmentId)
    .where(sql<boolean>`function_id = any(${functionIds}::bigint[])`)
    .where("consecutiveFailures", ">", 0)
    .where("deletedAt", "is", null)
    .execute();
}

/**
 * Those of the connections, of the functions, or all; locked in one order, so that two callers never wait for each
 * other. What holds them is asked to stop: the run of each, and handlers of webhooks, whose queue key is the sync.
 */
export async function deleteAllSyncs(
  db: Db,
  environmentId: EnvironmentId,
  { functionIds, connections, now }: SyncFilter & { now: Date },
): Promise<void> {
  await sql`
    with wanted as materialized (
      select id from syncs
       where environment_id = ${environmentId} and deleted_at is null
         and ${functionIds === undefined ? sql`true` : sql`function_id = any(${functionIds}::bigint[])`}
         and ${connections === undefined ? sql`true` : sql`connection_uuid = any(${connections}::uuid[])`}
       order by id for update),
    gone as (
      update syncs set deleted_at = ${now}, follow_up = null, updated_at = ${now}
       where id = any(array(select id from wanted))
      returning id, running_run_id),
    open as (
      select running_run_id as id from gone where running_run_id is not null
      union all
      select l.id from gone
       cross join lateral (
         select id from lane_tasks
          where task = ${syncTasks.webhook.name} and lane = gone.id::text offset 0) l)
    update runs set cancel_requested_at = ${now}
     where id = any(array(select id from open)) and cancel_requested_at is null
       and state in ('waiting', 'running')`.execute(db);
}

/** Gives the lease back and waits for the next run: what follows up, else the next point of the grid. */
export async function freeSync(
  db: Db,
  environmentId: EnvironmentId,
  id: SyncId,
  change: Pick<SyncChange, "lastSyncDate" | "consecutiveFailures"> & {
    readonly followUp: NextRun | null;
    readonly unfinished: Unfinished | null;
    readonly nextRunAt: Date;
  },
  now: Date,
): Promise<void> {
  const followUp = change.followUp && JSON.stringify(change.followUp);
  const unfinished = change.unfinished && JSON.stringify(change.unfinished);
  const columns = { ...change, runningRunId: null, followUp, unfinished, updatedAt: now };
  const query = tables(db)
    .updateTable("syncs")
    .set(columns)
    .where("environmentId", "=", environmentId)
    .where("id", "=", id);
  const progress = ["consecutiveFailures", "lastSyncDate"].filter((name) => name in columns);
  await runNamed(db, `sync_free ${progress.join(" ")}`, query);
}

export interface IdleSync {
  readonly id: SyncId;
  readonly connectionUuid: ConnectionUuid;
  readonly functionId: number;
  readonly variant: string;
}

/**
 * Syncs that are not running and whose last successful run began before a time, or that never had one; with an id
 * that one, locked until the transaction ends.
 */
export async function listIdleSyncs(
  db: Db,
  environmentId: EnvironmentId,
  { before, id }: { before: Date; id?: SyncId },
): Promise<IdleSync[]> {
  return await tables(db)
    .selectFrom("syncs")
    .select(["id", "connectionUuid", "functionId", "variant"])
    .where("environmentId", "=", environmentId)
    .where("deletedAt", "is", null)
    .where("runningRunId", "is", null)
    .where((eb) => eb(eb.fn.coalesce("lastSyncDate", "createdAt"), "<", before))
    .$if(id !== undefined, (query) => query.where("id", "=", id ?? null).forUpdate())
    .execute();
}
