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
    update webhook_deliveries d set next_attempt_at = ${now}
      from delivery_turns t
     where t.receiver_id = ${id} and t.next_attempt_at > '-infinity' and t.next_attempt_at > ${now}
       and d.id = t.delivery_id and d.created_at = t.created_at
       and d.environment_id = ${environmentId} and d.state = 'waiting'`.execute(db);
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
