import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, RunId } from "#foundation";
import type { Db } from "#foundation/db";
import { hasId } from "#foundation/db/day-partitions";
import type { Run } from "../sync.ts";

export interface NewWebhookRun {
  readonly id: RunId;
  readonly functionId: number;
  readonly connectionUuid: ConnectionUuid;
  readonly inputId: string;
  readonly createdAt: Date;
}

/** What the runs of one event are given; `input` is sealed. */
export async function insertInput(
  db: Db,
  environmentId: EnvironmentId,
  { id, input }: { id: string; input: Buffer },
): Promise<void> {
  await sql`
    insert into webhook_inputs (id, environment_id, input)
    values (${id}, ${environmentId}, ${input})`.execute(db);
}

export async function findInput(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ input: Buffer }>`
    select input from webhook_inputs where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
  return rows[0]?.input;
}

export async function insertWebhookRun(
  db: Db,
  environmentId: EnvironmentId,
  run: NewWebhookRun,
): Promise<void> {
  await sql`
    insert into runs (id, environment_id, kind, function_id, connection_uuid, state, trigger, input_id, created_at)
    values (${run.id}, ${environmentId}, 'webhook', ${run.functionId}, ${run.connectionUuid}, 'waiting',
            '{"by":"webhook"}', ${run.inputId}, ${run.createdAt})`.execute(db);
}

/** As `insertWebhookRun`, for many of one event. */
export async function insertWebhookRuns(
  db: Db,
  environmentId: EnvironmentId,
  runs: readonly NewWebhookRun[],
): Promise<void> {
  await sql`
    insert into runs (id, environment_id, kind, function_id, connection_uuid, state, trigger, input_id, created_at)
    select id, ${environmentId}, 'webhook', function_id, connection_uuid, 'waiting', '{"by":"webhook"}', input_id,
           created_at
      from unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ functionId }) => functionId)}::bigint[],
                  ${runs.map(({ connectionUuid }) => connectionUuid)}::uuid[],
                  ${runs.map(({ inputId }) => inputId)}::uuid[],
                  ${runs.map(({ createdAt }) => createdAt)}::timestamptz[])
           as t (id, function_id, connection_uuid, input_id, created_at)`.execute(db);
}

/**
 * A new attempt, with a number by which every write of an earlier one is refused; undefined when the run has ended.
 * The queue gives a job again only after its worker died or stopped.
 */
export async function beginWebhookRun(
  db: Db,
  environmentId: EnvironmentId,
  { runId, now }: { runId: RunId; now: Date },
): Promise<(Run & { readonly inputId: string | null }) | undefined> {
  const { rows } = await sql<Run & { inputId: string | null }>`
    update runs set state = 'running', fence = fence + 1, attempts = attempts + 1,
                    started_at = coalesce(started_at, ${now})
     where environment_id = ${environmentId} and ${hasId("runs", runId)} and kind = 'webhook'
       and state in ('waiting', 'running')
    returning id, environment_id, function_id, connection_uuid, sync_id, state, fence, attempts,
              cancel_requested_at, full_run, trigger, result, error, operation_id, started_at,
              ended_at, input_id`.execute(db);
  return rows[0];
}

/** The run needs its input no longer; the last one of an event takes it along. */
export async function dropInput(
  db: Db,
  environmentId: EnvironmentId,
  { id, inputId }: { id: RunId; inputId: string | null },
): Promise<void> {
  // Runs that end together do so one after the other here, or each would leave it to the other.
  await sql`
    select from webhook_inputs where environment_id = ${environmentId} and id = ${inputId}
       for update`.execute(db);
  await sql`
    update runs set input_id = null
     where environment_id = ${environmentId} and ${hasId("runs", id)}`.execute(db);
  await sql`
    delete from webhook_inputs i where environment_id = ${environmentId} and id = ${inputId}
       and not exists (select from runs r where r.input_id = i.id)`.execute(db);
}
