import type { RunError } from "@jackfield/contract/runtime";
import { type ColumnType, sql } from "kysely";
import type { EnvironmentId, OperationId, RunId, SyncId } from "#foundation";
import { type Db, hotStatement, runHot, runNamed } from "#foundation/db";
import { hasId, hotStatementOfDay } from "#foundation/db/day-partitions";
import { nextSlotText, syncText } from "../store.ts";
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

/** Columns of a run `r`, as hot statements read them; for those of other tables there is room before each name. */
const runText = (prefix = "") =>
  [
    ...[
      "id",
      "environment_id",
      "function_id::int",
      "connection_uuid",
      "sync_id",
      "state",
      "fence::int",
    ],
    ...[
      "attempts",
      "cancel_requested_at",
      "full_run",
      "trigger",
      "result",
      "error",
      "operation_id",
    ],
    ...["started_at", "ended_at"],
  ]
    .map((column) => `r.${column} as "${prefix}${toCamelCase(column.replace("::int", ""))}"`)
    .join(", ");

function toCamelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export interface NewRun {
  readonly id: RunId;
  readonly sync: Pick<
    Sync,
    "id" | "environmentId" | "functionId" | "connectionUuid" | "lastSyncDate" | "fence"
  >;
  readonly trigger: RunCause;
}

const addRuns = hotStatement(
  "runs_add",
  `with wanted as (
     select * from unnest($1::uuid[], $2::uuid[], $3::jsonb[], $4::int[]) as w (run_id, sync_id, trigger, fence)),
   added as (
     insert into runs (id, environment_id, kind, function_id, connection_uuid, sync_id, state, fence, full_run,
                       trigger, created_at)
     select w.run_id, s.environment_id, 'sync', s.function_id, s.connection_uuid, s.id, 'waiting', w.fence,
            s.last_sync_date is null, w.trigger, $5
       from wanted w join syncs s on s.id = w.sync_id)
   update syncs set running_run_id = w.run_id, fence = w.fence, follow_up = null,
                    next_run_at = ${nextSlotText("$5::timestamptz")}, updated_at = $5
     from wanted w where syncs.id = any($2::uuid[]) and syncs.id = w.sync_id`,
);

/**
 * Adds waiting runs and gives each the lease of its sync, whose row the caller has locked, and the number of its
 * first attempt.
 */
export async function insertRuns(db: Db, runs: readonly NewRun[], now: Date): Promise<void> {
  const values = [
    runs.map(({ id }) => id),
    runs.map(({ sync }) => sync.id),
    runs.map(({ trigger }) => JSON.stringify(trigger)),
    runs.map(({ sync }) => sync.fence + 1),
    now,
  ];
  await runHot(db, addRuns(values));
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
    .where(hasId("runs", id))
    .executeTakeFirst();
}

/** The latest run of each sync. */
export async function listLatestRuns(
  db: Db,
  environmentId: EnvironmentId,
  syncIds: readonly SyncId[],
): Promise<Run[]> {
  // One by one: a sync that runs each minute has thousands. Planning for each day takes longer than reading.
  const query = sql<Run>`
    select latest.* from unnest(${syncIds}::uuid[]) as wanted (id)
     cross join lateral (
       select ${sql.join(runColumns.map((name) => sql.ref(name)))} from runs
        where environment_id = ${environmentId} and sync_id = wanted.id
        order by created_at desc, ended_at is null desc, fence desc limit 1) latest`;
  return await runNamed(db, "runs_latest", query);
}

const beginFirst = hotStatementOfDay(
  "run_begin",
  (isRow) => `update runs r
      set state = 'running', attempts = r.attempts + 1, started_at = $3, operation_id = $4,
          trigger = jsonb_build_object('checkpoint', c.checkpoint) || r.trigger
     from syncs s
     left join checkpoints c on c.environment_id = s.environment_id and c.connection_uuid = s.connection_uuid
          and c.key = 'sync:' || s.name || ':' || s.variant
    where ${isRow("r", "$2")} and (r.environment_id = $1) is true
      and r.state = 'waiting' and r.fence > 0 and r.started_at is null
      and s.id = r.sync_id and (s.environment_id = $1 and s.running_run_id = r.id) is true
   returning ${runText("run.")}, ${syncText}`,
);

/**
 * The first attempt of a run, which has its number since the run was made; undefined when there was an attempt before,
 * or the run does not hold its sync.
 */
export async function beginFirstAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { id, operationId, now }: { id: RunId; operationId: OperationId; now: Date },
): Promise<{ run: Run; sync: Sync } | undefined> {
  const [row] = await runHot<Record<string, unknown>>(
    db,
    beginFirst(id, [environmentId, id, now, operationId]),
  );
  if (row === undefined) return undefined;
  const own = Object.entries(row);
  const isOfRun = (name: string) => name.startsWith("run.");
  const run = Object.fromEntries(
    own.filter(([name]) => isOfRun(name)).map(([name, value]) => [name.slice(4), value]),
  );
  const sync = Object.fromEntries(own.filter(([name]) => !isOfRun(name)));
  return { run: asRun(run), sync: asSync(sync) };
}

// As the statement names them.
function asRun(row: Record<string, unknown>): Run {
  return row as unknown as Run;
}

function asSync(row: Record<string, unknown>): Sync {
  return row as unknown as Sync;
}

const endRow = hotStatementOfDay(
  "run_end",
  (isRow) => `with held as (
     select s.id from syncs s
      where s.id = $2 and (s.environment_id = $1 and s.running_run_id = $3 and s.follow_up is null
        and s.deleted_at is null and s.unfinished is null and s.interval_ms = $5 and s.anchored_at = $6) is true
        and not exists (select from webhook_settings w
                         where w.environment_id = $1 and (w.primary_url <> '' or w.secondary_url <> ''))
        for update),
   ended as (
     update runs r set state = 'success', ended_at = $7 from held
      where ${isRow("r", "$3")} and (r.environment_id = $1) is true and r.fence = $4 and r.state = 'running'
     returning r.result, r.attempts),
   freed as (
     update syncs s set running_run_id = null, next_run_at = $8, last_sync_date = $9, consecutive_failures = 0,
                        updated_at = $7
       from ended where s.id = $2)
   select result, attempts from ended`,
);

export interface PlainEnd {
  readonly run: Pick<Run, "id" | "fence">;
  readonly sync: Pick<Sync, "id" | "intervalMs" | "anchoredAt">;
  readonly lastSyncDate: Date | null;
  readonly nextRunAt: Date;
  readonly now: Date;
}

/**
 * Ends a run that has succeeded, and frees its sync, in one statement. Does nothing and returns undefined when there is
 * more to do: something was asked of the sync meanwhile, or it was changed, or earlier runs left changes unreported, or
 * the environment has an address for webhooks; or when the attempt has lost its run.
 */
export async function endPlainRun(
  db: Db,
  environmentId: EnvironmentId,
  { run, sync, lastSyncDate, nextRunAt, now }: PlainEnd,
): Promise<Pick<Run, "result" | "attempts"> | undefined> {
  const values = [environmentId, sync.id, run.id, run.fence, sync.intervalMs, sync.anchoredAt];
  const [row] = await runHot<Pick<Run, "result" | "attempts">>(
    db,
    endRow(run.id, [...values, now, nextRunAt, lastSyncDate]),
  );
  return row;
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
    .where(hasId("runs", run.id))
    .returning(runColumns)
    .executeTakeFirstOrThrow();
}

type RunChange = {
  state?: RunState;
  attempts?: number;
  trigger?: RunCause;
  error?: RunError;
  operationId?: OperationId | null;
  endedAt?: Date;
};

/** Changes a run that still holds its lease; undefined when another attempt has taken it, or it has ended. */
export async function updateRun(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
  { trigger, error, ...change }: RunChange,
): Promise<Run | undefined> {
  const columns = {
    ...change,
    ...(trigger === undefined ? {} : { trigger: JSON.stringify(trigger) }),
    ...(error === undefined ? {} : { error: JSON.stringify(error) }),
  };
  const query = tables(db)
    .updateTable("runs")
    .set(columns)
    .where("environmentId", "=", environmentId)
    .where(hasId("runs", id))
    .where("fence", "=", fence)
    .where("state", "in", ["waiting", "running"])
    .returning(runColumns);
  const [run] = await runNamed(db, `run_update ${Object.keys(columns).join(" ")}`, query);
  return run;
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

/** Ends a run that nobody can continue with, and frees its sync. */
export async function abandonRun(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: RunId; now: Date },
): Promise<void> {
  await sql`
    with freed as (
      update syncs set running_run_id = null, updated_at = ${now}
       where id = (select sync_id from runs where ${hasId("runs", id)}) and running_run_id = ${id}
         and (environment_id = ${environmentId}) is true)
    update runs set state = 'cancelled', ended_at = ${now}
     where environment_id = ${environmentId} and ${hasId("runs", id)}
       and state in ('waiting', 'running')`.execute(db);
}

const stillMine = hotStatementOfDay(
  "run_still_mine",
  (isRow) => `select cancel_requested_at is null as wanted from runs
    where environment_id = $1 and ${isRow("runs", "$2")} and fence = $3 and state = 'running'`,
);

/** Whether the attempt still holds its run and nobody has asked it to stop. */
export async function isStillWanted(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
): Promise<boolean> {
  const [row] = await runHot<{ wanted: boolean }>(db, stillMine(id, [environmentId, id, fence]));
  return row?.wanted ?? false;
}

const holdRun = hotStatementOfDay(
  "run_hold",
  (
    isRow,
  ) => `select 1 from runs where environment_id = $1 and ${isRow("runs", "$2")} and fence = $3 and state = 'running'
      and cancel_requested_at is null for share`,
);

/** Whether the attempt holds its run, uncancelled; until the transaction ends that stays so. */
export async function holdsRun(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
): Promise<boolean> {
  return (await runHot(db, holdRun(id, [environmentId, id, fence]))).length === 1;
}

const addChanges = hotStatementOfDay(
  "run_add_changes",
  (isRow) => `update runs set result = jsonb_set(result, array[$4::text], jsonb_build_object(
            'added', coalesce((result -> $4 ->> 'added')::int, 0) + $5::int,
            'updated', coalesce((result -> $4 ->> 'updated')::int, 0) + $6::int,
            'deleted', coalesce((result -> $4 ->> 'deleted')::int, 0) + $7::int,
            'unchanged', coalesce((result -> $4 ->> 'unchanged')::int, 0) + $8::int)
          || case when $9::int > 0 or result -> $4 ? 'quarantined' then jsonb_build_object(
            'quarantined', coalesce((result -> $4 ->> 'quarantined')::int, 0) + $9::int) else '{}' end)
    where environment_id = $1 and ${isRow("runs", "$2")} and fence = $3 and state = 'running'
      and cancel_requested_at is null
   returning 1`,
);

/** Counts changes of a model with the run that made them; false when the attempt no longer holds it uncancelled. */
export async function addRunChanges(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Pick<Run, "id" | "fence">,
  model: string,
  { added, updated, deleted, unchanged, quarantined = 0 }: ModelChanges,
): Promise<boolean> {
  const counts = [added, updated, deleted, unchanged, quarantined];
  const values = [environmentId, id, fence, model, ...counts];
  return (await runHot(db, addChanges(id, values))).length === 1;
}
