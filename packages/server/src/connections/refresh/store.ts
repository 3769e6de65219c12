import { sql } from "kysely";
import type { Minted } from "#auth-modes";
import { addMs, type ConnectionUuid, type EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { ActiveError, Connection, RefreshProblem } from "../connection.ts";
import type { IdleSchedule } from "../renewal-times.ts";
import { changeOf, columns, connectionTables, healthy, slotAfter, toConnection } from "../store.ts";

export interface LeaseRequest {
  readonly uuid: ConnectionUuid;
  readonly version: number;
  readonly leaseMs: number;
  readonly owner: string;
  /** Its lease counts for nothing. */
  readonly deadOwner: string | undefined;
  readonly now: Date;
  readonly force: boolean;
}

const isFree = sql<boolean>`(refresh_lease_until is null or refresh_lease_until < clock_timestamp())`;

/**
 * Takes the lease of the one refresh that may run, by the database's clock; undefined when another
 * attempt holds it, the credentials are no longer of that version, or (unless forced) it is too early.
 */
export async function claimRefresh(
  db: Db,
  environmentId: EnvironmentId,
  wanted: LeaseRequest,
): Promise<Connection | undefined> {
  const row = await changeOf(db, environmentId, wanted.uuid)
    .set({
      refreshFence: sql<number>`refresh_fence + 1`,
      refreshLeaseUntil: sql<Date>`clock_timestamp() + ${wanted.leaseMs} * interval '1 millisecond'`,
      refreshOwner: wanted.owner,
    })
    .where("credentialVersion", "=", wanted.version)
    .where("frozenBy", "is", null)
    .where((where) => where.or([isFree, where("refreshOwner", "=", wanted.deadOwner ?? "")]))
    .$if(!wanted.force, (query) =>
      query
        .where("needsReauthorizationAt", "is", null)
        .where((where) =>
          where.or([
            where("refreshNotBefore", "is", null),
            where("refreshNotBefore", "<=", wanted.now),
          ]),
        ),
    )
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
}

export interface WatchedRefresh {
  readonly connection: Connection;
  readonly isRunning: boolean;
  /** Who runs it. */
  readonly owner: string | undefined;
}

/** State of a connection's refresh; undefined when the connection is gone. */
export async function findRefresh(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<WatchedRefresh | undefined> {
  const row = await connectionTables(db)
    .selectFrom("connections")
    .select(columns)
    .select(sql<boolean>`coalesce(refresh_lease_until >= clock_timestamp(), false)`.as("isRunning"))
    .select("refreshOwner")
    .where("environmentId", "=", environmentId)
    .where("uuid", "=", uuid)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { isRunning, refreshOwner: owner } = row;
  return { connection: toConnection(row), isRunning, owner: owner ?? undefined };
}

/** Which attempt writes: nothing is written once another has replaced the credentials. */
export interface Attempt {
  readonly uuid: ConnectionUuid;
  readonly version: number;
  readonly fence: number;
}

function changeByAttempt(db: Db, environmentId: EnvironmentId, attempt: Attempt) {
  return changeOf(db, environmentId, attempt.uuid)
    .where("credentialVersion", "=", attempt.version)
    .where("refreshFence", "=", attempt.fence);
}

/**
 * Stores renewed credentials and nothing else of the row; undefined when the credentials were replaced,
 * or when a later attempt is asking the provider right now.
 */
export async function storeRenewed(
  db: Db,
  environmentId: EnvironmentId,
  attempt: Attempt,
  renewed: {
    sealedCredentials: Buffer;
    heldTokenHash: Buffer | null;
    issuedAt: Date;
    expiresAt: Date | undefined;
    reauthorizeBy: Minted["reauthorizeBy"];
    capturedConfig: Readonly<Record<string, string>>;
    idle: IdleSchedule | undefined;
    /** Who refreshes from now on: an old platform, or this server (null); undefined: who does so far. */
    readThrough?: string | null;
  },
): Promise<Connection | undefined> {
  const captured = JSON.stringify(renewed.capturedConfig);
  const row = await changeOf(db, environmentId, attempt.uuid)
    .where("credentialVersion", "=", attempt.version)
    .where((where) => where.or([isFree, where("refreshFence", "=", attempt.fence)]))
    .set({
      credentials: renewed.sealedCredentials,
      isPending: false,
      heldTokenHash: renewed.heldTokenHash,
      credentialVersion: sql<number>`credential_version + 1`,
      credentialsIssuedAt: renewed.issuedAt,
      credentialsExpireAt: renewed.expiresAt ?? null,
      ...(renewed.reauthorizeBy === "as_before"
        ? {}
        : { reauthorizeBy: renewed.reauthorizeBy ?? null }),
      connectionConfig: sql<string>`connection_config || ${captured}::jsonb`,
      refreshLeaseUntil: null,
      refreshOwner: null,
      nextRefreshAt: renewed.idle === undefined ? null : slotAfter(renewed.idle),
      ...(renewed.readThrough === undefined ? {} : { readThrough: renewed.readThrough }),
      ...healthy,
    })
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
}

/** Keeps a failure that may pass, and when to try again. */
export async function storeFailure(
  db: Db,
  environmentId: EnvironmentId,
  attempt: Attempt,
  failed: { problem: RefreshProblem; notBefore: Date; isCounted: boolean; nextIdleAt: Date },
): Promise<Connection | undefined> {
  const row = await changeByAttempt(db, environmentId, attempt)
    .set({
      refreshFailures: sql<number>`refresh_failures + ${failed.isCounted ? 1 : 0}::int`,
      refreshNotBefore: failed.notBefore,
      refreshError: JSON.stringify(failed.problem),
      refreshLeaseUntil: null,
      refreshOwner: null,
      nextRefreshAt: sql<Date>`
        case when next_refresh_at is not null then greatest(next_refresh_at, ${failed.nextIdleAt}) end`,
    })
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
}

/** Marks that only the end user can help, once: `isFirst` tells whether this call has done it. */
export async function storeRevocation(
  db: Db,
  environmentId: EnvironmentId,
  attempt: Attempt,
  failed: { problem: RefreshProblem; error: ActiveError; now: Date },
): Promise<{ connection: Connection; isFirst: boolean } | undefined> {
  const isFirst = await changeByAttempt(db, environmentId, attempt)
    .set({
      needsReauthorizationAt: failed.now,
      errors: sql<string>`errors || ${JSON.stringify([failed.error])}::jsonb`,
      updatedAt: failed.now,
    })
    .where("needsReauthorizationAt", "is", null)
    .returning("id")
    .executeTakeFirst();
  const row = await changeByAttempt(db, environmentId, attempt)
    .set({
      refreshError: JSON.stringify(failed.problem),
      refreshLeaseUntil: null,
      refreshOwner: null,
      nextRefreshAt: null,
    })
    .returning(columns)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { connection: toConnection(row), isFirst: isFirst !== undefined };
}

export async function releaseRefresh(
  db: Db,
  environmentId: EnvironmentId,
  { uuid, fence }: Attempt,
): Promise<void> {
  await changeOf(db, environmentId, uuid)
    .set({ refreshLeaseUntil: null, refreshOwner: null })
    .where("refreshFence", "=", fence)
    .execute();
}

export interface IdleConnection {
  readonly uuid: ConnectionUuid;
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
}

// As the index connections_next_refresh has it.
const waiting = sql`
  deleted_at is null and needs_reauthorization_at is null and next_refresh_at is not null`;

/**
 * Connections whose time has come, oldest first, at most `limit` in all; nobody else gets them for
 * `heldMs`. Those that are in a back-off wait for its end. A sweeper: it looks at every environment.
 */
export async function claimIdle(
  db: Db,
  options: {
    readonly now: Date;
    readonly limit: number;
    readonly heldMs: number;
    readonly busy: readonly number[];
    readonly crowded: readonly EnvironmentId[];
  },
): Promise<IdleConnection[]> {
  const { now, limit, heldMs, busy, crowded } = options;
  const { rows } = await sql<IdleConnection>`
    with due as (
      select uuid from connections
       where ${waiting} and next_refresh_at <= ${now} and integration_id <> all(${busy}::bigint[])
         and environment_id <> all(${crowded}::uuid[])
       order by next_refresh_at limit ${limit} for update skip locked)
    update connections
       set next_refresh_at = greatest(${addMs(now, heldMs)}, refresh_not_before)
     where uuid in (select uuid from due)
    returning uuid, environment_id, integration_id`.execute(db);
  return rows;
}

export async function findNextIdle(
  db: Db,
  {
    busy,
    crowded,
  }: { readonly busy: readonly number[]; readonly crowded: readonly EnvironmentId[] },
): Promise<Date | undefined> {
  const { rows } = await sql<{ nextDueAt: Date | null }>`
    select next_refresh_at as next_due_at from connections
     where ${waiting} and integration_id <> all(${busy}::bigint[])
       and environment_id <> all(${crowded}::uuid[])
     order by next_refresh_at limit 1`.execute(db);
  return rows[0]?.nextDueAt ?? undefined;
}
