import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, smallBytes } from "#foundation/db";
import type { DeletedRequests } from "../storage/store.ts";

export interface StoredRequest {
  readonly id: string;
  readonly sequence: number;
  /** Sealed; null where it is large. */
  readonly request: Buffer | null;
}

/** Received webhooks of integrations that have their request, in their order. */
export async function listStoredRequests(
  db: Db,
  environmentId: EnvironmentId,
  {
    integrationIds,
    after,
    limit,
  }: { integrationIds: readonly number[]; after: number; limit: number },
): Promise<StoredRequest[]> {
  const { rows } = await sql<StoredRequest>`
    select id, sequence::float8 as sequence, ${smallBytes("request")} as request from inbound_webhooks
     where environment_id = ${environmentId} and integration_id = any(${integrationIds}::bigint[])
       and request is not null and sequence > ${after}
     order by sequence limit ${limit}`.execute(db);
  return rows;
}

export async function deleteWebhooks(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly string[],
): Promise<DeletedRequests> {
  const { rows } = await sql<DeletedRequests>`
    with gone as (
      delete from inbound_webhooks
       where environment_id = ${environmentId} and id = any(${ids}::uuid[])
      returning octet_length(request) as bytes)
    select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from gone`.execute(db);
  return rows[0] ?? { count: 0, bytes: 0 };
}
