import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, RunId, SyncId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Checkpoint, RunResult } from "../sync.ts";

/**
 * Notes that a sync runs the version of a canary, with how far it had come before; false when the canary has ended. It
 * ends after this transaction or before this statement: what a rollback takes back is complete.
 */
export async function touchSync(
  db: Db,
  environmentId: EnvironmentId,
  {
    canaryId,
    syncId,
    byWebhook,
    now,
  }: { canaryId: string; syncId: SyncId; byWebhook: boolean; now: Date },
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    with live as materialized (
      select id from canaries
       where id = ${canaryId} and environment_id = ${environmentId} and state = 'running' for share),
    touched as (
      insert into canary_syncs as t (canary_id, sync_id, environment_id, checkpoint, webhook_checkpoint, last_sync_date,
                                     touched_at, by_webhook)
      select live.id, s.id, s.environment_id, c.checkpoint, w.checkpoint, s.last_sync_date, ${now}, ${byWebhook}
        from live, syncs s
        left join checkpoints c on c.environment_id = s.environment_id and c.connection_uuid = s.connection_uuid
             and c.key = 'sync:' || s.name || ':' || s.variant
        left join checkpoints w on w.environment_id = s.environment_id and w.connection_uuid = s.connection_uuid
             and w.key = 'webhook:' || s.name || ':' || s.variant
       where s.id = ${syncId} and (s.environment_id = ${environmentId}) is true
      on conflict (canary_id, sync_id) do update set by_webhook = t.by_webhook or excluded.by_webhook)
    select count(*)::int as count from live`.execute(db);
  return rows[0]?.count === 1;
}

/** A sync that has run the version of a canary. */
export interface TouchedSync {
  readonly syncId: SyncId;
  readonly checkpoint: Checkpoint | null;
  /** Of its handler of webhooks. */
  readonly webhookCheckpoint: Checkpoint | null;
  readonly lastSyncDate: Date | null;
  readonly touchedAt: Date;
  readonly byWebhook: boolean;
  readonly stoppedAt: Date | null;
}

export async function listTouchedSyncs(
  db: Db,
  canaryId: string,
  { limit, after }: { limit: number; after?: SyncId | undefined },
): Promise<TouchedSync[]> {
  const { rows } = await sql<TouchedSync>`
    select sync_id as "syncId", checkpoint, webhook_checkpoint as "webhookCheckpoint",
           last_sync_date as "lastSyncDate", touched_at as "touchedAt", by_webhook as "byWebhook",
           stopped_at as "stoppedAt"
      from canary_syncs
     where canary_id = ${canaryId} and (${after ?? null}::uuid is null or sync_id > ${after ?? null})
     order by sync_id limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function markStopped(
  db: Db,
  { canaryId, syncId, now }: { canaryId: string; syncId: SyncId; now: Date },
): Promise<void> {
  await sql`
    update canary_syncs set stopped_at = ${now}
     where canary_id = ${canaryId} and sync_id = ${syncId} and stopped_at is null`.execute(db);
}

export async function forgetTouched(db: Db, canaryId: string, syncId: SyncId): Promise<void> {
  await sql`delete from canary_syncs where canary_id = ${canaryId} and sync_id = ${syncId}`.execute(
    db,
  );
}

/** The models of the version that a canary had of a function. */
export async function listCanaryModels(
  db: Db,
  canaryId: string,
  functionId: number,
): Promise<string[]> {
  const { rows } = await sql<{ model: string }>`
    select jsonb_array_elements_text(definition -> 'models') as model from canary_functions
     where canary_id = ${canaryId} and function_id = ${functionId}`.execute(db);
  return rows.map(({ model }) => model);
}

/** Open runs of a sync and of its handler of webhooks. */
export async function listOpenRuns(
  db: Db,
  environmentId: EnvironmentId,
  {
    syncId,
    functionId,
    connection,
  }: { syncId: SyncId; functionId: number; connection: ConnectionUuid },
): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs
     where connection_uuid = ${connection} and state = 'running' and (environment_id = ${environmentId}) is true
       and (sync_id = ${syncId} or (sync_id is null and function_id = ${functionId}))`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether a run of the sync changed records within a time. */
export async function hasChanged(
  db: Db,
  environmentId: EnvironmentId,
  { syncId, from, until }: { syncId: SyncId; from: Date; until: Date },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from runs, jsonb_each(result) as model
     where environment_id = ${environmentId} and sync_id = ${syncId}
       and started_at <= ${until} and (ended_at is null or ended_at >= ${from})
       and (model.value ->> 'added')::int + (model.value ->> 'updated')::int + (model.value ->> 'deleted')::int > 0
     limit 1`.execute(db);
  return rows.length > 0;
}

export interface PastRun {
  readonly functionId: number;
  readonly isSuccess: boolean;
  readonly durationMs: number;
  readonly result: RunResult;
}

/** Of each chosen sync the last runs that ended, most syncs at random. */
export async function listPastRuns(
  db: Db,
  environmentId: EnvironmentId,
  {
    functionIds,
    connections,
    since,
  }: {
    functionIds: readonly number[];
    connections: readonly ConnectionUuid[];
    since: Date;
  },
): Promise<PastRun[]> {
  const { rows } = await sql<PastRun>`
    select r.function_id::int as "functionId", r.state = 'success' as "isSuccess", r.result,
           extract(epoch from r.ended_at - r.started_at)::float8 * 1000 as "durationMs"
      from (select id from syncs
             where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
               and (function_id = any(${functionIds}::bigint[])) is true and deleted_at is null
             order by id limit 500) s
     cross join lateral (
       select * from runs
        where sync_id = s.id and created_at >= ${since} and (environment_id = ${environmentId}) is true
          and state in ('success', 'failed') and started_at is not null
        order by created_at desc limit 20) r`.execute(db.withoutPlugins());
  return rows;
}
