import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentContext, EnvironmentId } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { openJson } from "#vault";

/** An address of webhooks, and since when it fails; null: it does not. */
export async function setReceiver(
  db: Db,
  environmentId: EnvironmentId,
  receiver: { url: string; failingSince: Date | null; disabledAt: Date | null },
): Promise<void> {
  const { url, failingSince, disabledAt } = receiver;
  await sql`delete from webhook_receivers where environment_id = ${environmentId} and url = ${url}`.execute(
    db,
  );
  await sql`
    insert into webhook_receivers (id, environment_id, url, failing_since, disabled_at)
    values (gen_random_uuid(), ${environmentId}, ${url}, ${failingSince}, ${disabledAt})`.execute(
    db,
  );
}

interface Place {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
}

/** The provider has refused the connection's credentials; null: they are good. */
export async function setRefused(
  db: Db,
  { environmentId, connection }: Place,
  at: Date | null,
): Promise<void> {
  await sql`
    update connections set needs_reauthorization_at = ${at}
     where environment_id = ${environmentId} and uuid = ${connection}`.execute(db);
}

/** A sync that has failed so often, the last time with an error, of a function that is of no interest here. */
export async function addFailingSync(
  db: Db,
  { environmentId, connection }: Place,
  { name, failures, at, error }: { name: string; failures: number; at: Date; error?: string },
): Promise<void> {
  await withTransaction({ db }, async ({ db }) => {
    await sql`set local session_replication_role = replica`.execute(db);
    const { rows } = await sql<{ id: string }>`
      insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms,
                         anchored_at, consecutive_failures, created_at, updated_at)
      values (gen_random_uuid(), ${environmentId}, ${connection}, 1, ${name}, false, 3600000, ${at},
              ${failures}, ${at}, ${at}) returning id`.execute(db);
    if (error === undefined) return;
    await sql`
      insert into runs (id, environment_id, kind, function_id, connection_uuid, sync_id, state, error, created_at)
      values (gen_random_uuid(), ${environmentId}, 'sync', 1, ${connection}, ${rows[0]?.id}, 'failed',
              jsonb_build_object('type', ${error}::text), ${at})`.execute(db);
  });
}

/** A model whose deletes the guard has refused. */
export async function addRefusedDeletes(
  db: Db,
  { environmentId, connection }: Place,
  { model, count, at }: { model: string; count: number; at: Date },
): Promise<void> {
  await sql`
    insert into record_models (id, environment_id, connection_uuid, model, last_modified_at, refused_deletes)
    values ((select coalesce(max(id), 0) + 1 from record_models), ${environmentId}, ${connection}, ${model},
            ${at}, ${count})`.execute(db);
}

/** A model with quarantined records; no model where the count is 0. */
export async function setQuarantined(
  db: Db,
  { environmentId, connection }: Place,
  { model, count, at }: { model: string; count: number; at: Date },
): Promise<void> {
  await sql`
    delete from record_models where environment_id = ${environmentId} and model = ${model}`.execute(
    db,
  );
  if (count === 0) return;
  await sql`
    insert into record_models
      (id, environment_id, connection_uuid, model, last_modified_at, quarantined, quarantined_since)
    values ((select coalesce(max(id), 0) + 1 from record_models), ${environmentId}, ${connection}, ${model},
            ${at}, ${count}, ${at})`.execute(db);
}

/** A sync that is due since a time and that nobody has begun, or whose run was begun so often. */
export async function addWaitingSync(
  db: Db,
  { environmentId, connection }: Place,
  sync: { name: string; functionId: number; dueAt: Date; attempts?: number },
): Promise<void> {
  const { name, functionId, dueAt, attempts } = sync;
  await withTransaction({ db }, async ({ db }) => {
    const { rows } = await sql<{ id: string }>`
      insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms,
                         anchored_at, next_run_at, running_run_id, created_at, updated_at)
      values (gen_random_uuid(), ${environmentId}, ${connection}, ${functionId}, ${name}, false, 3600000,
              ${dueAt}, ${dueAt}, ${attempts === undefined ? null : sql`gen_random_uuid()`}, ${dueAt}, ${dueAt})
      returning running_run_id as id`.execute(db);
    if (attempts === undefined) return;
    await sql`
      insert into runs (id, environment_id, kind, function_id, connection_uuid, state, attempts, created_at, started_at)
      values (${rows[0]?.id}, ${environmentId}, 'sync', ${functionId}, ${connection}, 'running', ${attempts},
              ${dueAt}, ${dueAt})`.execute(db);
  });
}

/** A deployed function, without code; resolves to its id. */
export async function addFunction(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, type, name }: { integrationId: number; type: string; name: string },
): Promise<number> {
  return await withTransaction({ db }, async ({ db }) => {
    await sql`set local session_replication_role = replica`.execute(db);
    const { rows } = await sql<{ id: number }>`
      insert into functions (environment_id, integration_id, type, name, version, source, definition,
                             bundle_sha256, deployed_at, created_at)
      values (${environmentId}, ${integrationId}, ${type}, ${name}, '1', 'repo', '{}', '\\x00', to_timestamp(0), now())
      returning id`.execute(db);
    return rows[0]?.id ?? 0;
  });
}

/** Runs of a function in an hour, the last of them failed, with one error. */
export async function addFailedRuns(
  db: Db,
  environmentId: EnvironmentId,
  { functionId, failures, at }: { functionId: number; failures: number; at: Date },
): Promise<void> {
  await sql`
    insert into function_run_counts (environment_id, function_id, hour, runs, failures, last_at, last_succeeded, last_operation_id)
    values (${environmentId}, ${functionId}, date_trunc('hour', ${at}::timestamptz), ${failures}, ${failures}, ${at},
            false, gen_random_uuid())`.execute(db);
  await sql`
    insert into function_errors (environment_id, function_id, code, place, since, last_at, count, last_operation_id)
    values (${environmentId}, ${functionId}, 'script_internal_error', 'crm/actions/greet.ts:12', ${at}, ${at},
            ${failures}, gen_random_uuid())`.execute(db);
}

/** A received webhook that could not be handled. */
export async function addFailedWebhook(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, at }: { integrationId: number; at: Date },
): Promise<void> {
  await sql`
    insert into inbound_webhooks (id, environment_id, integration_id, request, body_bytes, is_verified, types,
                                  completes, state, received_at)
    values (gen_random_uuid(), ${environmentId}, ${integrationId}, null, 2, true, '[]', false, 'failed', ${at})`.execute(
    db,
  );
}

/** A connection for which no webhook came for far longer than usual; one whose webhooks come again where `at` is null. */
export async function setSilent(
  db: Db,
  { environmentId, connection }: Place,
  at: Date | null,
): Promise<void> {
  await sql`
    insert into webhook_arrivals (environment_id, connection_uuid, first_at, last_at)
    values (${environmentId}, ${connection}, now(), now()) on conflict do nothing`.execute(db);
  await sql`
    update webhook_arrivals set silent_since = ${at}
     where environment_id = ${environmentId} and connection_uuid = ${connection}`.execute(db);
}

/** Webhooks of an integration came, of which none is verified; one was where `verifiedAt` is given. */
export async function setUnverified(
  db: Db,
  environmentId: EnvironmentId,
  set: { integrationId: number; at: Date; verifiedAt: Date | null },
): Promise<void> {
  const { integrationId, at, verifiedAt } = set;
  await sql`
    insert into webhook_intake
      (environment_id, integration_id, verified_at, unverified_since, unverified_at, unverified_reason)
    values (${environmentId}, ${integrationId}, ${verifiedAt}, ${at}, ${at}, 'invalid_signature')
    on conflict (integration_id, environment_id) do update
       set verified_at = excluded.verified_at, unverified_at = excluded.unverified_at`.execute(db);
}

/** Where webhooks of the environment go, and whether its problems do. */
export async function setWebhooks(
  db: Db,
  environmentId: EnvironmentId,
  { url, onProblem }: { url: string; onProblem: boolean },
): Promise<void> {
  await sql`
    update webhook_settings set primary_url = ${url}, on_problem = ${onProblem}
     where environment_id = ${environmentId}`.execute(db);
}

/** Bodies of queued webhooks of a type, in their order. */
export async function listQueued(
  ctx: EnvironmentContext,
  type: string,
): Promise<readonly unknown[]> {
  const environmentId = ctx.environment.id;
  const { rows } = await sql<{ id: string; body: Buffer }>`
    select id, body from webhook_deliveries
     where environment_id = ${environmentId} and type = ${type} order by created_at, ctid`.execute(
    ctx.db,
  );
  const aad = { environmentId, table: "webhook_deliveries", column: "body" };
  return await Promise.all(
    rows.map(async ({ id, body }) => await openJson(ctx, { ...aad, row: id }, body)),
  );
}

/** Room on the disk of a worker that was seen just now. */
export async function setRoom(
  db: Db,
  { freeBytes, totalBytes }: { freeBytes: number; totalBytes: number },
): Promise<void> {
  await sql`
    insert into worker_heartbeats (pool_id, process, seen_at, free_bytes, total_bytes)
    values ('pool', 'host:1', now(), ${freeBytes}::bigint, ${totalBytes}::bigint)
    on conflict (pool_id) do update set free_bytes = excluded.free_bytes, total_bytes = excluded.total_bytes`.execute(
    db,
  );
}

/** As if nobody had made the partition of the day after. */
export async function dropTomorrow(db: Db, table: string, now: Date): Promise<void> {
  const day = new Date(now.getTime() + 24 * 3_600_000).toISOString().slice(0, 10);
  await sql`drop table ${sql.table(`${table}_${day.replaceAll("-", "")}`)}`.execute(db);
}

/** As problems are that an earlier release has opened. */
export async function forgetFirstOperations(db: Db): Promise<void> {
  await sql`update problems set first_operation_id = null`.execute(db);
}
