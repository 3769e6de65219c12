import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, RunId } from "#platform";
import type { Db } from "#platform/db";
import type { Run } from "../sync.ts";

export interface NewWebhookRun {
  readonly id: RunId;
  readonly functionId: number;
  readonly connectionUuid: ConnectionUuid;
  /** Sealed. */
  readonly input: Buffer;
  readonly createdAt: Date;
}

export async function insertWebhookRun(
  db: Db,
  environmentId: EnvironmentId,
  run: NewWebhookRun,
): Promise<void> {
  await sql`
    insert into runs (id, environment_id, kind, function_id, connection_uuid, state, trigger, input, created_at)
    values (${run.id}, ${environmentId}, 'webhook', ${run.functionId}, ${run.connectionUuid}, 'waiting',
            '{"by":"webhook"}', ${run.input}, ${run.createdAt})`.execute(db);
}

/**
 * A new attempt, with a number by which every write of an earlier one is refused; undefined when the run has ended.
 * The queue gives a job again only after its worker died or stopped.
 */
export async function beginWebhookRun(
  db: Db,
  environmentId: EnvironmentId,
  { runId, now }: { runId: RunId; now: Date },
): Promise<(Run & { readonly input: Buffer | null }) | undefined> {
  const { rows } = await sql<Run & { input: Buffer | null }>`
    update runs set state = 'running', fence = fence + 1, attempts = attempts + 1,
                    started_at = coalesce(started_at, ${now})
     where environment_id = ${environmentId} and id = ${runId} and kind = 'webhook'
       and state in ('waiting', 'running')
    returning id, environment_id, function_id, connection_uuid, sync_id, state, fence, attempts,
              cancel_requested_at, full_run, trigger, result, error, operation_id, started_at,
              ended_at, input`.execute(db);
  return rows[0];
}

export async function dropPayload(db: Db, environmentId: EnvironmentId, id: RunId): Promise<void> {
  await sql`
    update runs set input = null where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}
