import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

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
