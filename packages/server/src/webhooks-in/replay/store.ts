import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import { type Db, inIndexOrder } from "#platform/db";

export interface ReplayQuery {
  readonly from: Date;
  readonly to: Date;
  readonly onlyFailed: boolean;
  readonly integrationId: number | undefined;
  readonly limit: number;
}

/** Those that do not wait and still have their request, oldest first. */
export async function listReplayable(
  db: Db,
  environmentId: EnvironmentId,
  { from, to, onlyFailed, integrationId, limit }: ReplayQuery,
): Promise<{ id: string; receivedAt: Date }[]> {
  const wanted = [
    sql`environment_id = ${environmentId}`,
    sql`received_at >= ${from} and received_at < ${to}`,
    onlyFailed ? sql`state = 'failed'` : sql`state <> 'waiting'`,
    sql`request is not null`,
  ];
  if (integrationId !== undefined) wanted.push(sql`integration_id = ${integrationId}`);
  const query = sql<{ id: string; receivedAt: Date }>`
    select id, received_at from inbound_webhooks where ${sql.join(wanted, sql` and `)}
     order by received_at, id limit ${limit}`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}

/** Lets them wait to be handled as if they had just come; what waits already stays as it is. */
export async function queueAgain(
  db: Db,
  environmentId: EnvironmentId,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<void> {
  await sql`
    update inbound_webhooks
       set state = 'waiting', is_replay = true, attempts = 0, error = null, handled_at = null,
           operation_id = null, next_attempt_at = ${now}, leased_until = null
     where environment_id = ${environmentId} and id = any(${ids}::uuid[])
       and state <> 'waiting' and request is not null`.execute(db);
}
