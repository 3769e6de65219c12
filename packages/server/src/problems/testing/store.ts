import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import { type Db, withTransaction } from "#platform/db";

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

/** A sync that has failed so often, of a function that is of no interest here. */
export async function addFailingSync(
  db: Db,
  { environmentId, connection }: Place,
  { name, failures, at }: { name: string; failures: number; at: Date },
): Promise<void> {
  await withTransaction({ db }, async ({ db }) => {
    await sql`set local session_replication_role = replica`.execute(db);
    await sql`
      insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms,
                         anchored_at, consecutive_failures, created_at, updated_at)
      values (gen_random_uuid(), ${environmentId}, ${connection}, 1, ${name}, false, 3600000, ${at},
              ${failures}, ${at}, ${at})`.execute(db);
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
