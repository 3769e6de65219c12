import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Connection } from "../connection.ts";
import type { ConnectionState } from "../health/connection-state.ts";
import { isInState, leasedRows } from "../health/store.ts";
import { columns, connectionTables, toConnection } from "../store.ts";

/** Only joined, for fields next to a connection on the wire. */
type JoinedTables = {
  integrations: { id: number; uniqueKey: string; provider: string };
};

export interface ConnectionFilter {
  readonly connectionId: string | undefined;
  readonly integrationIds: readonly number[] | undefined;
  readonly state: ConnectionState | undefined;
  readonly expiresBefore: Date | undefined;
  readonly unusedSince: Date | undefined;
  readonly reauthorizeBefore: Date | undefined;
  readonly search: string | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
  /** Otherwise sealed credentials are left empty. */
  readonly withCredentials: boolean;
  readonly order: ListOrder;
  /** The last connection of the page before. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface ListedConnection {
  readonly connection: Connection;
  readonly integration: { readonly uniqueKey: string; readonly provider: string };
}

export type ListOrder = "created_at" | "expires_at" | "reauthorize_by" | "last_used_at";

export interface ListPosition {
  /** Of what the list is ordered by. */
  readonly at: Date;
  readonly id: number;
}

interface PlacedConnection extends ListedConnection {
  readonly position: ListPosition;
}

/** Each has an index; those of a day stand in the order of their ids. */
const orders = {
  created_at: { column: "created_at", direction: "desc", after: "<" },
  expires_at: { column: "credentials_expire_at", direction: "asc", after: ">" },
  reauthorize_by: { column: "reauthorize_by", direction: "asc", after: ">" },
  last_used_at: { column: "last_used_on", direction: "asc", after: ">" },
} as const satisfies Record<ListOrder, object>;

const plainColumns = columns.filter((name) => name !== "credentials");

export async function listConnectionRows(
  db: Db,
  environmentId: EnvironmentId,
  filter: ConnectionFilter,
): Promise<PlacedConnection[]> {
  const { withCredentials } = filter;
  const { column, direction } = orders[filter.order];
  const orderedBy = sql.raw(`connections.${column}`);
  const dayToTime = filter.order === "last_used_at" ? sql`::timestamp at time zone 'UTC'` : sql``;
  const sealed = withCredentials ? sql<Buffer>`connections.credentials` : sql<Buffer>`''::bytea`;
  const rows = await connectionTables(db)
    .withTables<JoinedTables>()
    .selectFrom("connections")
    .innerJoin("integrations", "integrations.id", "connections.integrationId")
    .select(plainColumns.map((name) => `connections.${name}` as const))
    .select(["integrations.uniqueKey", "integrations.provider", sealed.as("credentials")])
    .select(sql<Date>`${orderedBy}${dayToTime}`.as("position"))
    .where("connections.id", "in", idsOfPage(db, environmentId, filter))
    .orderBy(orderedBy, direction)
    .orderBy("connections.id", direction)
    .execute();
  return rows.map((row) => ({
    connection: toConnection(row),
    integration: { uniqueKey: row.uniqueKey, provider: row.provider },
    position: { at: row.position, id: row.id },
  }));
}

/** By itself it is answered from an index alone: deep pages and searches touch no row that they pass over. */
function idsOfPage(db: Db, environmentId: EnvironmentId, filter: ConnectionFilter) {
  const { connectionId, integrationIds, search, tags, state, after, order } = filter;
  const { expiresBefore, unusedSince, reauthorizeBefore } = filter;
  const { column, direction, after: comparison } = orders[order];
  const orderedBy = sql.raw(`c.${column}`);
  const tables = connectionTables(db);
  const listed =
    connectionId !== undefined
      ? tables.selectFrom(ofId(db, environmentId, connectionId).as("c"))
      : state === "refreshing"
        ? tables.selectFrom(ofLeases(db, environmentId).as("c"))
        : tables
            .selectFrom("connections as c")
            .where("c.environmentId", "=", environmentId)
            .where("c.deletedAt", "is", null);
  return (
    listed
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
      .$if(state !== undefined, (query) => query.where(isInState(state ?? "ok", environmentId)))
      // As the index of that order says.
      .$if(order === "last_used_at", (query) =>
        query.where(sql<boolean>`c.last_used_on > '-infinity'`),
      )
      .$if(order === "expires_at", (query) => query.where("c.credentialsExpireAt", "is not", null))
      .$if(order === "reauthorize_by", (query) =>
        query
          .where("c.reauthorizeBy", "is not", null)
          .where("c.needsReauthorizationAt", "is", null),
      )
      .$if(reauthorizeBefore !== undefined, (query) =>
        query.where(sql<boolean>`c.reauthorize_by < ${reauthorizeBefore}`),
      )
      .$if(expiresBefore !== undefined, (query) =>
        query.where(sql<boolean>`c.credentials_expire_at < ${expiresBefore}`),
      )
      .$if(unusedSince !== undefined, (query) =>
        query.where(sql<boolean>`
        c.last_used_on < (${unusedSince}::timestamptz at time zone 'UTC')::date
        and coalesce(c.last_fetched_at, c.created_at) < ${unusedSince}`),
      )
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`
        (${orderedBy}, c.id) ${sql.raw(comparison)} (${positionOf(order, after)}, ${after?.id}::bigint)`),
      )
      .orderBy(orderedBy, direction)
      .orderBy("c.id", direction)
      .limit(filter.limit)
      .offset(filter.offset)
  );
}

function positionOf(order: ListOrder, after: ListPosition | undefined) {
  if (order === "last_used_at") return sql`(${after?.at}::timestamptz at time zone 'UTC')::date`;
  return sql`${after?.at}::timestamptz`;
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

/** The few that are being refreshed. */
function ofLeases(db: Db, environmentId: EnvironmentId) {
  return connectionTables(db)
    .selectFrom("connections")
    .selectAll()
    .where(sql<boolean>`id = any(array(${leasedRows(environmentId)}))`)
    .where(sql<boolean>`(environment_id = ${environmentId} and deleted_at is null) is true`)
    .offset(0);
}
