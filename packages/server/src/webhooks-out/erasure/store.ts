import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import { type Db, smallBytes } from "#platform/db";

interface Connections {
  readonly uuids: readonly ConnectionUuid[];
  readonly names: readonly string[];
}

/** Deletes some deliveries about connections, sent or not, with their attempts; resolves to how many. */
export async function deleteDeliveriesOf(
  db: Db,
  environmentId: EnvironmentId,
  { uuids, names, limit }: Connections & { readonly limit: number },
): Promise<number> {
  const result = await sql`
    delete from webhook_deliveries d using (
      select id, created_at from webhook_deliveries
       where environment_id = ${environmentId}
         and (connection_uuid = any(${uuids}::uuid[]) or connection_id = any(${names}::text[]))
       limit ${limit}) found
     where d.id = found.id and d.created_at = found.created_at`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
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
  }: {
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
      from webhook_deliveries d left join webhook_payloads p on p.id = d.payload_id
     where d.environment_id = ${environmentId} and ${isAfter}
       and (d.connection_uuid is null and d.connection_id is null
            or d.type = 'forward' and d.integration_key = any(${integrationKeys}::text[]))
     order by d.created_at desc, d.id desc limit ${limit}`.execute(db);
  return rows;
}

/** With their attempts; resolves to how many there were. */
export async function deleteDeliveries(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const result = await sql`
    delete from webhook_deliveries
     where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** Deletes what deliveries had in common and none needs any more. */
export async function deleteUnusedPayloads(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`
    delete from webhook_payloads p
     where environment_id = ${environmentId} and not exists (
       select from webhook_deliveries d
        where d.payload_id = p.id
          and d.created_at >= p.created_at and d.created_at < p.created_at + interval '1 day')`.execute(
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
