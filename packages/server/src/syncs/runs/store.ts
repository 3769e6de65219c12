import type { RunError } from "@jackfield/contract/runtime";
import { type ColumnType, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, OperationId, RunId, SyncId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";
import { nextSlot } from "../store.ts";
import type { ModelChanges, Run, RunCause, RunState, Sync } from "../sync.ts";

type Json<T> = ColumnType<T, string, string>;

type RunTables = {
  runs: Omit<Run, "trigger" | "result" | "error"> & {
    kind: string;
    trigger: Json<RunCause>;
    result: Json<Run["result"]>;
    error: Json<RunError | null> | null;
    createdAt: Date;
  };
  /** The lease of a run is its sync's row. */
  syncs: Pick<Sync, "id" | "environmentId" | "fence"> & { updatedAt: Date };
};

function tables(db: Db) {
  return db.withTables<RunTables>();
}

const runColumns = [
  "id",
  "environmentId",
  "functionId",
  "connectionUuid",
  "syncId",
  "state",
  "fence",
  "attempts",
  "cancelRequestedAt",
  "fullRun",
  "trigger",
  "result",
  "error",
  "operationId",
  "startedAt",
  "endedAt",
] as const;

export interface NewRun {
  readonly id: RunId;
  readonly sync: Pick<
    Sync,
    "id" | "environmentId" | "functionId" | "connectionUuid" | "lastSyncDate"
  >;
  readonly trigger: RunCause;
}

/** Adds waiting runs and gives each the lease of its sync, whose row the caller has locked. */
export async function insertRuns(db: Db, runs: readonly NewRun[], now: Date): Promise<void> {
  await tables(db)
    .insertInto("runs")
    .values(
      runs.map(({ id, sync, trigger }) => ({
        id,
        environmentId: sync.environmentId,
        kind: "sync",
        functionId: sync.functionId,
        connectionUuid: sync.connectionUuid,
        syncId: sync.id,
        state: "waiting" as const,
        fence: 0,
        attempts: 0,
        fullRun: sync.lastSyncDate === null,
        trigger: JSON.stringify(trigger),
        result: "{}",
        createdAt: now,
      })),
    )
    .execute();
  const syncIds = runs.map(({ sync }) => sync.id);
  await sql`
    update syncs set running_run_id = u.run_id, follow_up = null, next_run_at = ${nextSlot(now)},
                     updated_at = ${now}
      from unnest(${runs.map(({ id }) => id)}::uuid[], ${syncIds}::uuid[]) as u (run_id, sync_id)
     where syncs.id = any(${syncIds}::uuid[]) and syncs.id = u.sync_id`.execute(db);
}

export async function findRun(
  db: Db,
  environmentId: EnvironmentId,
  id: RunId,
): Promise<Run | undefined> {
  return await tables(db)
    .selectFrom("runs")
    .select(runColumns)
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** The latest run of each sync. */
export async function listLatestRuns(
  db: Db,
  environmentId: EnvironmentId,
  syncIds: readonly SyncId[],
): Promise<Run[]> {
  // One by one: a sync that runs each minute has thousands.
  const { rows } = await sql<Run>`
    select latest.* from unnest(${syncIds}::uuid[]) as wanted (id)
     cross join lateral (
       select ${sql.join(runColumns.map((name) => sql.ref(name)))} from runs
        where environment_id = ${environmentId} and sync_id = wanted.id
        order by created_at desc, ended_at is null desc, fence desc limit 1) latest`.execute(db);
  return rows;
}

/** A new attempt with a number of its own, by which every write of an earlier one is refused. */
export async function beginAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { run, checkpoint, now }: { run: Run; checkpoint: Run["trigger"]["checkpoint"]; now: Date },
): Promise<Run> {
  const { fence } = await tables(db)
    .updateTable("syncs")
    .set({ fence: sql<number>`fence + 1`, updatedAt: now })
    .where("environmentId", "=", environmentId)
    .where("id", "=", run.syncId)
    .returning("fence")
    .executeTakeFirstOrThrow();
  const trigger = { checkpoint: checkpoint ?? null, ...run.trigger };
  return await tables(db)
    .updateTable("runs")
    .set({
      state: "running",
      fence,
      attempts: run.attempts + 1,
      trigger: JSON.stringify(trigger),
      startedAt: run.startedAt ?? now,
    })
    .where("environmentId", "=", environmentId)
    .where("id", "=", run.id)
    .returning(runColumns)
    .executeTakeFirstOrThrow();
}

type RunChange = {
  state?: RunState;
  attempts?: number;
  trigger?: RunCause;
  error?: RunError;
  operationId?: OperationId;
  endedAt?: Date;
};

/** Changes a run that still holds its lease; undefined when another attempt has taken it, or it has ended. */
export async function updateRun(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
  { trigger, error, ...change }: RunChange,
): Promise<Run | undefined> {
  return await tables(db)
    .updateTable("runs")
    .set({
      ...change,
      ...(trigger === undefined ? {} : { trigger: JSON.stringify(trigger) }),
      ...(error === undefined ? {} : { error: JSON.stringify(error) }),
    })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("fence", "=", fence)
    .where("state", "in", ["waiting", "running"])
    .returning(runColumns)
    .executeTakeFirst();
}

/** From then on the runs write nothing more. */
export async function requestCancel(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly RunId[],
  now: Date,
): Promise<void> {
  await tables(db)
    .updateTable("runs")
    .set({ cancelRequestedAt: now })
    .where("environmentId", "=", environmentId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where("cancelRequestedAt", "is", null)
    .execute();
}

/** Those of the connections, of the functions, or all, handlers of webhooks included. */
export async function requestCancelOfAll(
  db: Db,
  environmentId: EnvironmentId,
  {
    connections,
    functionIds,
    now,
  }: {
    connections?: readonly ConnectionUuid[];
    functionIds?: readonly number[];
    now: Date;
  },
): Promise<void> {
  await tables(db)
    .updateTable("runs")
    .set({ cancelRequestedAt: now })
    .where("environmentId", "=", environmentId)
    .where("state", "in", ["waiting", "running"])
    .where("cancelRequestedAt", "is", null)
    .$if(connections !== undefined, (query) =>
      query.where(sql<boolean>`connection_uuid = any(${connections}::uuid[])`),
    )
    .$if(functionIds !== undefined, (query) =>
      query.where(sql<boolean>`function_id = any(${functionIds}::bigint[])`),
    )
    .execute();
}

/** Ends a run that nobody can go on with, and frees its sync. */
export async function abandonRun(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: RunId; now: Date },
): Promise<void> {
  await sql`
    with freed as (
      update syncs set running_run_id = null, updated_at = ${now}
       where environment_id = ${environmentId} and running_run_id = ${id})
    update runs set state = 'cancelled', ended_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and state in ('waiting', 'running')`.execute(
    db,
  );
}

const stillMine = hotStatement(
  "run_still_mine",
  `select cancel_requested_at is null as wanted from runs
    where environment_id = $1 and id = $2 and fence = $3 and state = 'running'`,
);

/** Whether the attempt still holds its run and nobody has asked it to stop. */
export async function isStillWanted(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
): Promise<boolean> {
  const [row] = await runHot<{ wanted: boolean }>(db, stillMine([environmentId, id, fence]));
  return row?.wanted ?? false;
}

const holdRun = hotStatement(
  "run_hold",
  `select 1 from runs where environment_id = $1 and id = $2 and fence = $3 and state = 'running'
      and cancel_requested_at is null for share`,
);

/** Whether the attempt holds its run, uncancelled; until the transaction ends that stays so. */
export async function holdsRun(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
): Promise<boolean> {
  return (await runHot(db, holdRun([environmentId, id, fence]))).length === 1;
}

const addChanges = hotStatement(
  "run_add_changes",
  `update runs set result = jsonb_set(result, array[$4::text], jsonb_build_object(
            'added', coalesce((result -> $4 ->> 'added')::int, 0) + $5::int,
            'updated', coalesce((result -> $4 ->> 'updated')::int, 0) + $6::int,
            'deleted', coalesce((result -> $4 ->> 'deleted')::int, 0) + $7::int,
            'unchanged', coalesce((result -> $4 ->> 'unchanged')::int, 0) + $8::int))
    where environment_id = $1 and id = $2 and fence = $3 and state = 'running'
      and cancel_requested_at is null
   returning 1`,
);

/** Counts changes of a model with the run that made them; false when the attempt no longer holds it uncancelled. */
export async function addRunChanges(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
  model: string,
  { added, updated, deleted, unchanged }: ModelChanges,
): Promise<boolean> {
  const values = [environmentId, id, fence, model, added, updated, deleted, unchanged];
  return (await runHot(db, addChanges(values))).length === 1;
}
