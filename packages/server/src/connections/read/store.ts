import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import {
  type Integration,
  type JoinedIntegration,
  joinedIntegrationColumns,
  readJoinedIntegration,
} from "#integrations";
import type { Connection } from "../connection.ts";
import { connectionByNames } from "../names-store.ts";
import { hotColumns, type Read, toConnection } from "../store.ts";

interface CallRow extends Omit<Read, "id">, JoinedIntegration {
  /** Null where the integration has no connection of that id. */
  readonly id: number | null;
}

// Joins the table of #integrations on purpose: this runs before every proxied request.
const forCall = hotStatement(
  "connection_for_call",
  `select ${joinedIntegrationColumns("i")}, ${hotColumns}
     from integrations i
     left join lateral (${connectionByNames("i.environment_id", "i.id", "$3")}) c on true
    where i.environment_id = $1 and i.unique_key = $2 and i.deleted_at is null`,
);

/** An integration and its connection of that id, in one round trip; each undefined where it is missing. */
export async function findForCall(
  db: Db,
  environmentId: EnvironmentId,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
): Promise<{ integration: Integration | undefined; connection: Connection | undefined }> {
  const query = forCall([environmentId, integrationKey, connectionId]);
  const [row] = await runHot<CallRow>(db, query);
  if (row === undefined) return { integration: undefined, connection: undefined };
  const { id } = row;
  return {
    integration: readJoinedIntegration(row),
    connection: id === null ? undefined : toConnection({ ...row, id }),
  };
}

export async function countConnectionRows(
  db: Db,
  environmentId: EnvironmentId,
  integrationIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ integrationId: number; count: number }>`
    select integration_id, sum(count)::int as count from connection_counts
     where environment_id = ${environmentId} and integration_id = any(${integrationIds})
     group by integration_id having sum(count) > 0`.execute(db);
  return new Map(rows.map(({ integrationId, count }) => [integrationId, count]));
}

/** The newest first. */
export async function listNewestRows(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, limit }: { readonly integrationId: number; readonly limit: number },
): Promise<{ id: number; connectionId: string; createdAt: Date }[]> {
  const { rows } = await sql<{ id: number; connectionId: string; createdAt: Date }>`
    select id, connection_id, created_at from connections
     where environment_id = ${environmentId} and integration_id = ${integrationId}
       and deleted_at is null
     order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

export interface ConnectionName {
  readonly uuid: string;
  readonly connectionId: string;
  readonly integrationId: number;
}

export async function listNamesOf(
  db: Db,
  environmentId: EnvironmentId,
  uuids: readonly string[],
): Promise<ConnectionName[]> {
  const { rows } = await sql<ConnectionName>`
    select uuid, connection_id as "connectionId", integration_id::float8 as "integrationId" from connections
     where uuid = any(${uuids}::uuid[]) and (environment_id = ${environmentId} and deleted_at is null) is true`.execute(
    db.withoutPlugins(),
  );
  return rows;
}
