import type { AuthModeId } from "@jackfield/catalogue";
import { type ColumnType, sql } from "kysely";
import type { ProviderAccount } from "#auth-modes";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { ActiveError, Connection, Frozen, RefreshProblem } from "./connection.ts";
import { connectionByNames } from "./names-store.ts";
import type { IdleSchedule } from "./renewal-times.ts";

type Json<T> = ColumnType<T, string, string>;

interface ConnectionRow {
  id: ColumnType<number, never, never>;
  uuid: ConnectionUuid;
  environmentId: EnvironmentId;
  integrationId: number;
  connectionId: string;
  authMode: AuthModeId;
  metadata: ColumnType<Record<string, unknown> | null, string, string | null>;
  tags: Json<Record<string, string>>;
  connectionConfig: Json<Record<string, string>>;
  webhookUrlOverride: string | null;
  errors: ColumnType<ActiveError[], string | undefined, string>;
  fromSession: boolean;
  isPending: ColumnType<boolean, boolean, boolean>;
  account: ColumnType<ProviderAccount | null, undefined, string | null>;
  credentials: Buffer;
  webhookSecret: ColumnType<Buffer | null, undefined, Buffer | null>;
  credentialVersion: ColumnType<number, number | undefined, number>;
  heldTokenHash: Buffer | null;
  credentialsIssuedAt: Date | null;
  credentialsExpireAt: Date | null;
  reauthorizeBy: ColumnType<Date | null, Date | null | undefined, Date | null>;
  refreshFence: ColumnType<number, number | undefined, number>;
  refreshLeaseUntil: ColumnType<Date | null, undefined, Date | null>;
  refreshOwner: ColumnType<string | null, undefined, string | null>;
  refreshFailures: ColumnType<number, undefined, number>;
  refreshNotBefore: ColumnType<Date | null, undefined, Date | null>;
  refreshError: ColumnType<RefreshProblem | null, undefined, string | null>;
  needsReauthorizationAt: ColumnType<Date | null, undefined, Date | null>;
  nextRefreshAt: ColumnType<Date | null, undefined, Date | null>;
  frozenBy: ColumnType<string | null, undefined, string | null>;
  frozenAt: ColumnType<Date | null, undefined, Date | null>;
  readThrough: ColumnType<string | null, string | null | undefined, string | null>;
  lastFetchedAt: ColumnType<Date | null, undefined, Date | null>;
  lastUsedOn: ColumnType<never, string, string>;
  endUserHash: ColumnType<Buffer | null, undefined, Buffer | null>;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: ColumnType<Date | null, undefined, Date | null>;
}

type ConnectionTables = {
  connections: ConnectionRow;
};

export function connectionTables(db: Db) {
  return db.withTables<ConnectionTables>();
}

/** Columns that a Connection is read from. */
export const columns = [
  "id",
  "uuid",
  "environmentId",
  "integrationId",
  "connectionId",
  "authMode",
  "metadata",
  "tags",
  "connectionConfig",
  "webhookUrlOverride",
  "errors",
  "fromSession",
  "account",
  "credentials",
  "webhookSecret",
  "credentialVersion",
  "credentialsIssuedAt",
  "credentialsExpireAt",
  "refreshFence",
  "refreshFailures",
  "refreshNotBefore",
  "refreshError",
  "needsReauthorizationAt",
  "frozenBy",
  "frozenAt",
  "readThrough",
  "lastFetchedAt",
  "createdAt",
  "updatedAt",
] as const;

type Column = (typeof columns)[number];
type Selected<Row> = {
  readonly [Name in keyof Row]: Row[Name] extends ColumnType<infer Value, infer _I, infer _U>
    ? Value
    : Row[Name];
};
export type Read = Pick<Selected<ConnectionRow>, Column>;

export function toConnection(row: Read): Connection {
  return {
    id: row.id,
    uuid: row.uuid,
    environmentId: row.environmentId,
    integrationId: row.integrationId,
    connectionId: row.connectionId,
    authMode: row.authMode,
    metadata: row.metadata ?? undefined,
    tags: row.tags,
    connectionConfig: row.connectionConfig,
    webhookUrlOverride: row.webhookUrlOverride ?? undefined,
    errors: row.errors,
    fromSession: row.fromSession,
    account: row.account ?? undefined,
    sealedCredentials: row.credentials,
    sealedWebhookSecret: row.webhookSecret ?? undefined,
    credentialVersion: row.credentialVersion,
    credentialsIssuedAt: row.credentialsIssuedAt ?? undefined,
    credentialsExpireAt: row.credentialsExpireAt ?? undefined,
    refresh: {
      fence: row.refreshFence,
      failures: row.refreshFailures,
      notBefore: row.refreshNotBefore ?? undefined,
      failure: row.refreshError ?? undefined,
      needsReauthorizationAt: row.needsReauthorizationAt ?? undefined,
    },
    frozen: toFrozen(row),
    readThrough: row.readThrough ?? undefined,
    lastFetchedAt: row.lastFetchedAt ?? undefined,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function toFrozen({ frozenBy: by, frozenAt: at }: Read): Frozen | undefined {
  return by === null || at === null ? undefined : { by, at };
}

/** A SELECT of connections that are not deleted. */
export function liveOf(db: Db, environmentId: EnvironmentId) {
  return connectionTables(db)
    .selectFrom("connections")
    .select(columns)
    .where("connections.environmentId", "=", environmentId)
    .where("connections.deletedAt", "is", null);
}

/** An UPDATE of one connection that is not deleted. */
export function changeOf(db: Db, environmentId: EnvironmentId, uuid: ConnectionUuid) {
  return connectionTables(db)
    .updateTable("connections")
    .where("environmentId", "=", environmentId)
    .where("uuid", "=", uuid)
    .where("deletedAt", "is", null);
}

/** The columns as a hot statement writes them, of a table called c. */
export const hotColumns = columns
  .map(
    (name) => `c.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`,
  )
  .join(", ");

const byIntegration = hotStatement(
  "connection_by_integration",
  `select ${hotColumns} from (${connectionByNames("$1", "$2", "$3")}) c`,
);

export async function findConnection(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, connectionId }: { integrationId: number; connectionId: string },
): Promise<Connection | undefined> {
  const [row] = await runHot<Read>(db, byIntegration([environmentId, integrationId, connectionId]));
  return row === undefined ? undefined : toConnection(row);
}

// `is true` leaves the UUID alone to find it by: while the table has no statistics, Postgres would take an index of
// the environment for as short a way, and read all of its connections.
const byUuid = hotStatement(
  "connection_by_uuid",
  `select ${hotColumns} from connections c
    where c.uuid = $2 and (c.environment_id = $1 and c.deleted_at is null) is true`,
);

export async function findConnectionByUuid(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<Connection | undefined> {
  const [row] = await runHot<Read>(db, byUuid([environmentId, uuid]));
  return row === undefined ? undefined : toConnection(row);
}

const withoutAuthErrors = sql<string>`(
  select coalesce(jsonb_agg(entry), '[]') from jsonb_array_elements(errors) as entry
   where entry ->> 'type' <> 'auth')`;

/** What fresh credentials put right. */
export const healthy = {
  errors: withoutAuthErrors,
  refreshFailures: 0,
  refreshNotBefore: null,
  refreshError: null,
  needsReauthorizationAt: null,
};

/**
 * First slot of the row's own at or after the earliest time. Rows of neighbouring ids lie far from
 * each other (golden ratio), so that all are spread evenly.
 */
export function slotAfter({ earliest, slotsMs }: IdleSchedule) {
  const distance = sql`${slotsMs / 1000}::float8`;
  const own = sql`(id * 0.6180339887498949::float8 - floor(id * 0.6180339887498949::float8))`;
  const past = sql`extract(epoch from ${earliest}::timestamptz)::float8 / ${distance}`;
  return sql<Date>`to_timestamp((ceil(${past} - ${own}) + ${own}) * ${distance})`;
}

export async function storeNextRefresh(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
  schedule: IdleSchedule,
): Promise<void> {
  await changeOf(db, environmentId, uuid)
    .set({ nextRefreshAt: slotAfter(schedule) })
    .execute();
}

export async function markFetched(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
  now: Date,
): Promise<void> {
  await changeOf(db, environmentId, uuid)
    .set({ lastFetchedAt: now, lastUsedOn: toDay(now) })
    .execute();
}

/** The day in UTC, as `last_used_on` has it. */
export function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Writes what is given; false when the connection is gone. */
export async function changeAttribution(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
  change: {
    tags: Readonly<Record<string, string>> | undefined;
    webhookUrlOverride: string | undefined;
    /** Null: none. */
    webhookSecret: Buffer | null | undefined;
    now: Date;
  },
): Promise<boolean> {
  const { tags, webhookUrlOverride, webhookSecret, now } = change;
  const row = await changeOf(db, environmentId, uuid)
    .set({
      updatedAt: now,
      ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
      ...(webhookUrlOverride === undefined
        ? {}
        : { webhookUrlOverride: webhookUrlOverride || null }),
      ...(webhookSecret === undefined ? {} : { webhookSecret }),
    })
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** False where there is a secret already, also under its older name in the metadata. */
export async function storeFirstWebhookSecret(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
  { sealed, now }: { sealed: Buffer; now: Date },
): Promise<boolean> {
  const row = await changeOf(db, environmentId, uuid)
    .set({ webhookSecret: sealed, updatedAt: now })
    .where("webhookSecret", "is", null)
    .where(sql<boolean>`not coalesce(metadata, '{}') ? 'webhookSecret'`)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** The connection's configuration, locked until the transaction ends. */
export async function lockConnectionConfig(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<Readonly<Record<string, string>> | undefined> {
  const row = await liveOf(db, environmentId)
    .where("uuid", "=", uuid)
    .forUpdate()
    .executeTakeFirst();
  return row?.connectionConfig;
}

export async function storeConnectionConfig(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
  { config, now }: { config: Readonly<Record<string, string>>; now: Date },
): Promise<void> {
  await changeOf(db, environmentId, uuid)
    .set({ connectionConfig: JSON.stringify(config), updatedAt: now })
    .execute();
}

// Any number that no other lock of ours has.
const CREATION_LOCK = 7_263_894_411;

/** Whether there are fewer than `limit` connections; the caller's transaction has the answer to itself. */
export async function hasRoom(db: Db, limit: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${CREATION_LOCK})`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::int as count from connection_counts`.execute(db);
  return (rows[0]?.count ?? 0) < limit;
}
