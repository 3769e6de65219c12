import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentContext, EnvironmentId, RunId } from "#foundation";
import { open } from "#vault";

type Job = { environmentId: EnvironmentId; runId: RunId };

/** Takes the queued runs off the queue, oldest first. */
export async function takeJobs(ctx: EnvironmentContext): Promise<Job[]> {
  const { rows } = await sql<{ payload: Job }>`
    with taken as (
      delete from graphile_worker._private_jobs
       where payload ->> 'environmentId' = ${ctx.environment.id} and payload ->> 'runId' is not null returning id, payload)
    select payload from taken order by id`.execute(ctx.db);
  return rows.map(({ payload }) => payload);
}

/** Takes off the queue what removes the records of removed syncs, oldest first. */
export async function takeRemovals(
  ctx: EnvironmentContext,
): Promise<{ environmentId: EnvironmentId; functionId: number }[]> {
  const { rows } = await sql<{ payload: { environmentId: EnvironmentId; functionId: number } }>`
    with taken as (
      delete from graphile_worker._private_jobs
       where payload ->> 'environmentId' = ${ctx.environment.id} and payload ->> 'functionId' is not null
      returning id, payload)
    select payload from taken order by id`.execute(ctx.db);
  return rows.map(({ payload }) => payload);
}

/** Whether a run was asked for that has not begun. */
export async function hasFollowUps(ctx: EnvironmentContext): Promise<boolean> {
  const { rows } = await sql`
    select 1 from syncs where environment_id = ${ctx.environment.id} and running_run_id is null
       and follow_up is not null`.execute(ctx.db);
  return rows.length > 0;
}

export async function hasCheckpoints(ctx: EnvironmentContext): Promise<boolean> {
  const { rows } = await sql`
    select 1 from checkpoints where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  return rows.length > 0;
}

export async function markEnvironmentDeleted(ctx: EnvironmentContext): Promise<void> {
  await sql`
    update environments set deleted_at = now() where id = ${ctx.environment.id}`.execute(ctx.db);
}

export async function markConnectionDeleted(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
): Promise<void> {
  await sql`update connections set deleted_at = now() where uuid = ${uuid}`.execute(ctx.db);
}

export async function saveWebhookSettings(
  ctx: EnvironmentContext,
  change: {
    primary_url?: string;
    on_sync_error?: boolean;
    on_sync_completion_always?: boolean;
    on_webhook_sync_completion?: boolean;
  },
): Promise<void> {
  await sql`
    update webhook_settings
       set primary_url = coalesce(${change.primary_url ?? null}, primary_url),
           on_sync_error = coalesce(${change.on_sync_error ?? null}, on_sync_error),
           on_sync_completion_always = coalesce(${change.on_sync_completion_always ?? null}, on_sync_completion_always),
           on_webhook_sync_completion = coalesce(${change.on_webhook_sync_completion ?? null}, on_webhook_sync_completion)
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
}

export interface RunRow {
  readonly id: RunId;
  readonly state: string;
  readonly attempts: number;
  readonly fence: number;
  readonly result: Record<string, Record<string, number>>;
  readonly error: { type: string; message: string } | null;
}

export async function listRuns(ctx: EnvironmentContext): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select id, state, attempts, fence, result, error from runs
     where environment_id = ${ctx.environment.id} order by created_at, nullif(fence, 0) nulls last`.execute(
    ctx.db,
  );
  return rows;
}

export interface SyncRow {
  readonly connectionUuid: string;
  readonly paused: boolean;
  readonly nextRunAt: Date;
  readonly runningRunId: RunId | null;
  readonly followUp: object | null;
  readonly intervalMs: number;
  readonly lastSyncDate: Date | null;
  readonly consecutiveFailures: number;
}

export async function listSyncRows(ctx: EnvironmentContext): Promise<SyncRow[]> {
  const { rows } = await sql<SyncRow>`
    select connection_uuid, paused, next_run_at, running_run_id, follow_up, interval_ms,
           last_sync_date, consecutive_failures
      from syncs where environment_id = ${ctx.environment.id} and deleted_at is null
     order by created_at, id`.execute(ctx.db);
  return rows;
}

/** Webhooks that were queued, oldest first. */
export async function listWebhooks(ctx: EnvironmentContext): Promise<Record<string, unknown>[]> {
  const environmentId = ctx.environment.id;
  const { rows } = await sql<{ id: string; body: Buffer }>`
    select id, body from webhook_deliveries where environment_id = ${environmentId}
     order by created_at, id`.execute(ctx.db);
  return await Promise.all(
    rows.map(async ({ id, body }) => {
      const place = { environmentId, table: "webhook_deliveries", column: "body", row: id };
      return JSON.parse((await open(ctx, place, body)).toString());
    }),
  );
}

export interface OperationRow {
  readonly action: string;
  readonly state: string;
  readonly meta: Record<string, unknown>;
}

export async function listSyncOperations(ctx: EnvironmentContext): Promise<OperationRow[]> {
  const { rows } = await sql<OperationRow>`
    select action, state, meta from operations
     where environment_id = ${ctx.environment.id} and type = 'sync'
     order by created_at, action`.execute(ctx.db);
  return rows;
}

/** Takes off the queue what undoes canaries that were rolled back. */
export async function takeUndoings(
  ctx: EnvironmentContext,
): Promise<{ environmentId: EnvironmentId; canaryId: string }[]> {
  const { rows } = await sql<{ payload: { environmentId: EnvironmentId; canaryId: string } }>`
    with taken as (
      delete from graphile_worker._private_jobs
       where payload ->> 'environmentId' = ${ctx.environment.id} and payload ->> 'canaryId' is not null
      returning id, payload)
    select payload from taken order by id`.execute(ctx.db);
  return rows.map(({ payload }) => payload);
}

/** All that syncs have left for connections: schedules, checkpoints, and records as readers see them. */
export async function readState(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<{ schedules: unknown[]; checkpoints: unknown[]; records: string[] }> {
  const { id } = ctx.environment;
  const schedules = await sql`
    select id, function_id, paused, next_run_at, interval_ms, anchored_at, last_sync_date, consecutive_failures, fence
      from syncs where environment_id = ${id} and connection_uuid = any(${connections}::uuid[]) order by id`.execute(
    ctx.db,
  );
  const checkpoints = await sql`
    select connection_uuid, key, checkpoint from checkpoints
     where environment_id = ${id} and connection_uuid = any(${connections}::uuid[]) and checkpoint is not null
     order by connection_uuid, key`.execute(ctx.db.withoutPlugins());
  const records = await sql<{ record: string }>`
    select m.model || ' ' || r.record_id || case when r.deleted_at is null then '' else ' deleted' end as record
      from record_models m join records r on r.model_id = m.id
     where m.environment_id = ${id} and m.connection_uuid = any(${connections}::uuid[])
     order by m.connection_uuid, 1`.execute(ctx.db);
  return {
    schedules: schedules.rows,
    checkpoints: checkpoints.rows,
    records: records.rows.map(({ record }) => record),
  };
}
