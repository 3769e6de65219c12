import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, OperationId } from "#platform";
import type { Db } from "#platform/db";

export interface NewDelivery {
  readonly id: string;
  readonly receiverId: string;
  readonly type: string;
  readonly url: string;
  readonly body: Buffer;
  /** Sealed. */
  readonly headers: Buffer | null;
  readonly payloadId: string | null;
  readonly connectionUuid: ConnectionUuid | null;
  readonly connectionId: string | null;
  readonly integrationKey: string | null;
  readonly operationId: OperationId | null;
  /** Of the work that queued it. */
  readonly traceparent: string | null;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
}

export interface NewPayload {
  readonly id: string;
  /** Sealed. */
  readonly body: Buffer;
  readonly headers: Buffer | null;
  readonly createdAt: Date;
}

type InsertTables = {
  webhookReceivers: { id: string; environmentId: EnvironmentId; url: string };
  webhookPayloads: NewPayload & { environmentId: EnvironmentId };
  webhookDeliveries: NewDelivery & { environmentId: EnvironmentId };
};

export async function insertPayload(
  db: Db,
  environmentId: EnvironmentId,
  payload: NewPayload,
): Promise<void> {
  const tables = db.withTables<InsertTables>();
  await tables
    .insertInto("webhookPayloads")
    .values({ ...payload, environmentId })
    .execute();
}

export async function insertDeliveries(
  db: Db,
  environmentId: EnvironmentId,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const tables = db.withTables<InsertTables>();
  const receivers = new Map(deliveries.map(({ receiverId, url }) => [receiverId, url]));
  await tables
    .insertInto("webhookReceivers")
    .values([...receivers].map(([id, url]) => ({ id, environmentId, url })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tables
    .insertInto("webhookDeliveries")
    .values(deliveries.map((delivery) => ({ ...delivery, environmentId })))
    .execute();
}

/** The connection's next number; its row stays locked until the caller's transaction ends. */
export async function takeSequence(
  db: Db,
  environmentId: EnvironmentId,
  connection: ConnectionUuid,
): Promise<number> {
  const result = await sql<{ last: number }>`
    insert into webhook_sequences (connection_uuid, environment_id, last)
    values (${connection}, ${environmentId}, 1)
    on conflict (connection_uuid) do update set last = webhook_sequences.last + 1
    returning last`.execute(db);
  const [row] = result.rows;
  if (row === undefined) throw new Error("the sequence gave no number");
  return row.last;
}

/** At most `limit` deliveries made before a time; resolves to how many went. */
export async function deleteDeliveriesBefore(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const result = await sql`
    delete from webhook_deliveries where id = any(array(
      select id from webhook_deliveries
       where environment_id = ${environmentId} and created_at < ${before}
       order by created_at limit ${limit}))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** At most `limit` payloads made before a time that no delivery has any more; resolves to how many went. */
export async function deletePayloadsBefore(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const result = await sql`
    delete from webhook_payloads where id = any(array(
      select id from webhook_payloads p
       where environment_id = ${environmentId} and created_at < ${before}
         and not exists (select from webhook_deliveries d where d.payload_id = p.id)
       order by created_at limit ${limit}))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
