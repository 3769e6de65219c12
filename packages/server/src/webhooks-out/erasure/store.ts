import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, smallBytes } from "#foundation/db";
import { type GoneDelivery, isOwn, isUsed } from "../store.ts";

interface Connections {
  readonly uuids: readonly ConnectionUuid[];
  readonly names: readonly string[];
}

/** Deletes some deliveries about connections, sent or not; resolves to them. */
export async function deleteDeliveriesOf(
  db: Db,
  environmentId: EnvironmentId,
  {
    uuids,
    names,
    limit,
    isPrepared,
  }: Connections & { readonly limit: number; readonly isPrepared: boolean },
): Promise<GoneDelivery[]> {
  const { rows } = await sql<GoneDelivery>`
    delete from webhook_deliveries d using (
      select id, created_at from webhook_deliveries
       where environment_id = ${environmentId}
         and (connection_uuid = any(${uuids}::uuid[]) or connection_id = any(${names}::text[]))
       limit ${limit}) found
     where ${isOwn("d", environmentId, isPrepared)} and d.id = found.id and d.created_at = found.created_at
    returning d.id, d.created_at, d.receiver_id`.execute(db);
  return rows;
}

export interface Position {
  readonly createdAt: string;
  readonly id: string;
}

/** Sealed; `body` and `payload` are null where they are large, and `payload` also where there is none. */
export interface SealedDelivery extends Position {
  readonly body: Buffer | null;
  readonly payloadId: string | null;
  readonly payload: Buffer | null;
}

/** Deliveries about no connection, and webhooks of integrations that were passed on, the newest first. */
export async function listThatMayName(
  db: Db,
  environmentId: EnvironmentId,
  {
    integrationKeys,
    after,
    limit,
    isPrepared,
  }: {
    readonly isPrepared: boolean;
    readonly integrationKeys: readonly string[];
    readonly after: Position | undefined;
    readonly limit: number;
  },
): Promise<SealedDelivery[]> {
  const isAfter =
    after === undefined
      ? sql`true`
      : sql`(d.created_at, d.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<SealedDelivery>`
    select d.id, d.created_at::text as created_at, ${smallBytes("d.body")} as body, d.payload_id,
           ${smallBytes("p.body")} as payload
      from webhook_deliveries d left join webhook_payloads p on ${isOwn("p", environmentId, isPrepared)} and p.id = d.payload_id
     where d.environment_id = ${environmentId} and ${isAfter}
       and (d.connection_uuid is null and d.connection_id is null
            or d.type = 'forward' and d.integration_key = any(${integrationKeys}::text[]))
     order by d.created_at desc, d.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Resolves to those that there were. */
export async function deleteDeliveries(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly string[],
): Promise<GoneDelivery[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<GoneDelivery>`
    delete from webhook_deliveries
     where environment_id = ${environmentId} and id = any(${ids}::uuid[])
    returning id, created_at, receiver_id`.execute(db);
  return rows;
}

/** Deletes what deliveries had in common and none needs any more. */
export async function deleteUnusedPayloads(
  db: Db,
  environmentId: EnvironmentId,
  isPrepared: boolean,
): Promise<void> {
  await sql`
    delete from webhook_payloads p
     where environment_id = ${environmentId} and not ${isUsed(environmentId, isPrepared)}`.execute(
    db,
  );
}

export async function deleteSequences(
  db: Db,
  environmentId: EnvironmentId,
  uuids: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    delete from webhook_sequences
     where environment_id = ${environmentId} and connection_uuid = any(${uuids}::uuid[])`.execute(
    db,
  );
}
