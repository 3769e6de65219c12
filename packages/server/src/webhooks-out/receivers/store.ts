import { sql } from "kysely";
import type { FailingReceiver } from "#environments";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

/** Not failing from here on; what waits for it is due. False when there is no such receiver. */
export async function openReceiver(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const result = await sql`
    update webhook_receivers set failing_since = null, disabled_at = null
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
  if (result.numAffectedRows !== 1n) return false;
  await sql`
    update webhook_deliveries set next_attempt_at = ${now}
     where environment_id = ${environmentId} and receiver_id = ${id} and state = 'waiting'
       and next_attempt_at > ${now}`.execute(db);
  return true;
}

/** The longest failing first. */
export async function listFailingReceivers(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<FailingReceiver[]> {
  const result = await sql<FailingReceiver>`
    select url, failing_since, disabled_at from webhook_receivers
     where environment_id = ${environmentId} and failing_since is not null
     order by failing_since limit ${limit}`.execute(db);
  return result.rows;
}
