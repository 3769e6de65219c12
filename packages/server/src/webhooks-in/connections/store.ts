import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface PassedOn {
  readonly id: string;
  readonly receivedAt: Date;
  readonly connections: readonly ConnectionUuid[];
}

const ROWS_AT_ONCE = 5000;

/** Notes for which connections webhooks were passed on; what is noted stays. */
export async function noteConnections(
  db: Db,
  environmentId: EnvironmentId,
  webhooks: readonly PassedOn[],
): Promise<void> {
  const rows = webhooks.flatMap(({ id, receivedAt, connections }) =>
    connections.map((connection) => ({ id, receivedAt, connection })),
  );
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await insertRows(db, environmentId, rows.slice(from, from + ROWS_AT_ONCE));
  }
}

interface NotedRow extends Omit<PassedOn, "connections"> {
  readonly connection: ConnectionUuid;
}

async function insertRows(
  db: Db,
  environmentId: EnvironmentId,
  rows: readonly NotedRow[],
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const connections = rows.map(({ connection }) => connection);
  const times = rows.map(({ receivedAt }) => receivedAt);
  // A webhook may have been deleted while it was handled.
  await sql`
    insert into inbound_webhook_connections (environment_id, webhook_id, connection_uuid, received_at)
    select w.environment_id, t.webhook_id, t.connection_uuid, t.received_at
      from unnest(${ids}::uuid[], ${connections}::uuid[], ${times}::timestamptz[])
           as t (webhook_id, connection_uuid, received_at)
      join inbound_webhooks w on w.id = t.webhook_id and w.environment_id = ${environmentId}
    on conflict do nothing`.execute(db);
}

export interface PassedTo {
  readonly webhookId: string;
  readonly connectionUuid: ConnectionUuid;
}

/** For which connections these webhooks were passed on, up to `most` of each. */
export async function listPassedOn(
  db: Db,
  environmentId: EnvironmentId,
  { ids, most }: { readonly ids: readonly string[]; readonly most: number },
): Promise<PassedTo[]> {
  const { rows } = await sql<PassedTo>`
    select t.id as webhook_id, k.connection_uuid
      from unnest(${ids}::uuid[]) as t (id)
      cross join lateral (
        select c.connection_uuid from inbound_webhook_connections c
         where c.environment_id = ${environmentId} and c.webhook_id = t.id
         order by c.connection_uuid limit ${most}) k`.execute(db);
  return rows;
}

/** Forgets which webhooks these connections were passed. */
export async function forgetConnections(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    delete from inbound_webhook_connections
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])`.execute(
    db,
  );
}
