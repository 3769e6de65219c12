import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, inIndexOrder } from "#foundation/db";

export interface ReplayQuery {
  readonly from: Date;
  readonly to: Date;
  readonly onlyFailed: boolean;
  readonly integrationId: number | undefined;
  /** For which they were passed on. */
  readonly connection: ConnectionUuid | undefined;
  readonly limit: number;
}

/** Those that do not wait and still have their request, oldest first. */
export async function listReplayable(
  db: Db,
  environmentId: EnvironmentId,
  { from, to, onlyFailed, integrationId, connection, limit }: ReplayQuery,
): Promise<{ id: string; receivedAt: Date }[]> {
  const wanted = [
    sql`w.environment_id = ${environmentId}`,
    sql`w.received_at >= ${from} and w.received_at < ${to}`,
    onlyFailed ? sql`w.state = 'failed'` : sql`w.state <> 'waiting'`,
    sql`w.request is not null`,
  ];
  if (integrationId !== undefined) wanted.push(sql`w.integration_id = ${integrationId}`);
  const passedOn = sql`
    inbound_webhook_connections k join inbound_webhooks w
      on w.id = k.webhook_id and w.environment_id = k.environment_id and k.connection_uuid = ${connection}
     and k.received_at >= ${from} and k.received_at < ${to}`;
  const query = sql<{ id: string; receivedAt: Date }>`
    select w.id, w.received_at from ${connection === undefined ? sql`inbound_webhooks w` : passedOn}
     where ${sql.join(wanted, sql` and `)}
     order by w.received_at, w.id limit ${limit}`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}

/** Lets them wait to be handled as if they had just come, and resolves to their integrations; what waits already stays. */
export async function queueAgain(
  db: Db,
  environmentId: EnvironmentId,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<number[]> {
  const { rows } = await sql<{ integrationId: number }>`
    update inbound_webhooks
       set state = 'waiting', is_replay = true, attempts = 0, error = null, handled_at = null,
           operation_id = null, next_attempt_at = ${now}, leased_until = null
     where environment_id = ${environmentId} and id = any(${ids}::uuid[])
       and state <> 'waiting' and request is not null
    returning integration_id`.execute(db);
  return [...new Set(rows.map(({ integrationId }) => integrationId))];
}
