import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export async function deleteConnection(db: Db, connection: ConnectionUuid): Promise<void> {
  await sql`update connections set deleted_at = now() where uuid = ${connection}`.execute(db);
}

export async function freezeConnection(db: Db, connection: ConnectionUuid): Promise<void> {
  await sql`
    update connections set frozen_at = now(), frozen_by = gen_random_uuid() where uuid = ${connection}`.execute(
    db,
  );
}

/** Makes the webhooks of an environment wait, as behind a long queue; resolves to what ends that. */
export async function unhandledOf(
  db: Db,
  environmentId: EnvironmentId,
): Promise<() => Promise<void>> {
  const set = async (state: string, attempts: number) => {
    await sql`
      update inbound_webhooks set state = ${state}, attempts = ${attempts},
             next_attempt_at = case when ${state} = 'waiting' then received_at end
       where environment_id = ${environmentId}`.execute(db);
  };
  await set("waiting", 0);
  return async () => await set("handled", 1);
}
