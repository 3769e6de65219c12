import { sql } from "kysely";
import {
  type Integration,
  type JoinedIntegration,
  joinedIntegrationColumns,
  readJoinedIntegration,
} from "#integrations";
import type { EnvironmentId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";
import type { Connection } from "../connection.ts";
import { connectionByNames } from "../names-store.ts";
import { columns, connectionTables, hotColumns, type Read, toConnection } from "../store.ts";

/** Only joined, for what stands next to a connection in every call and on the wire. */
type JoinedTables = {
  integrations: { id: number; uniqueKey: string; provider: string };
};

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

export interface ConnectionFilter {
  readonly connectionId: string | undefined;
  readonly integrationIds: readonly number[] | undefined;
  readonly search: string | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
  /** Otherwise sealed credentials are left empty. */
  readonly withCredentials: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface ListedConnection {
  readonly connection: Connection;
  readonly integration: { readonly uniqueKey: string; readonly provider: string };
}

const plainColumns = columns.filter((name) => name !== "credentials");

/** Newest first. */
export async function listConnectionRows(
  db: Db,
  environmentId: EnvironmentId,
  filter: ConnectionFilter,
): Promise<ListedConnection[]> {
  const { withCredentials } = filter;
  const sealed = withCredentials ? sql<Buffer>`connections.credentials` : sql<Buffer>`''::bytea`;
  const rows = await connectionTables(db)
    .withTables<JoinedTables>()
    .selectFrom("connections")
    .innerJoin("integrations", "integrations.id", "connections.integrationId")
    .select(plainColumns.map((name) => `connections.${name}` as const))
    .select(["integrations.uniqueKey", "integrations.provider", sealed.as("credentials")])
    .where("connections.id", "in", idsOfPage(db, environmentId, filter))
    .orderBy("connections.createdAt", "desc")
    .orderBy("connections.id", "desc")
    .execute();
  return rows.map((row) => ({
    connection: toConnection(row),
    integration: { uniqueKey: row.uniqueKey, provider: row.provider },
  }));
}

/** By itself it is answered from an index alone: deep pages and searches touch no row that they pass over. */
function idsOfPage(db: Db, environmentId: EnvironmentId, filter: ConnectionFilter) {
  const { connectionId, integrationIds, search, tags } = filter;
  const tables = connectionTables(db);
  const listed =
    connectionId === undefined
      ? tables
          .selectFrom("connections as c")
          .where("c.environmentId", "=", environmentId)
          .where("c.deletedAt", "is", null)
      : tables.selectFrom(ofId(db, environmentId, connectionId).as("c"));
  return listed
    .select("c.id")
    .$if(integrationIds !== undefined, (query) =>
      query.where("c.integrationId", "in", [...(integrationIds ?? [])]),
    )
    .$if(tags !== undefined, (query) =>
      query.where(sql<boolean>`c.tags @> ${JSON.stringify(tags)}::jsonb`),
    )
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`strpos(c.search_text, lower(${search})) > 0`),
    )
    .orderBy("c.createdAt", "desc")
    .orderBy("c.id", "desc")
    .limit(filter.limit)
    .offset(filter.offset);
}

/** One for each integration at most, found as `connectionByNames` does; the offset keeps the list's order out of it. */
function ofId(db: Db, environmentId: EnvironmentId, connectionId: string) {
  return connectionTables(db)
    .selectFrom("connections")
    .selectAll()
    .where("environmentId", "=", environmentId)
    .where("connectionId", ">=", connectionId)
    .where("connectionId", "<=", connectionId)
    .where("deletedAt", "is", null)
    .orderBy("connectionId")
    .offset(0);
}

export async function countConnectionRows(
  db: Db,
  environmentId: EnvironmentId,
  integrationIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ integrationId: number; count: number }>`
    select integration_id, count(*) as count from connections
     where environment_id = ${environmentId} and integration_id = any(${integrationIds})
       and deleted_at is null
     group by integration_id`.execute(db);
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
