import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import type { ActiveError, Connection, RefreshProblem } from "../connection.ts";
import { changeOf, columns, connectionTables, healthy, toConnection } from "../store.ts";

/**
 * Takes the lease of the one refresh that may run, by the database's clock; undefined when another
 * attempt holds it, the credentials are no longer of that version, or (unless forced) it is too early.
 */
export async function claimRefresh(
  db: Db,
  environmentId: EnvironmentId,
  wanted: { uuid: ConnectionUuid; version: number; leaseMs: number; now: Date; force: boolean },
): Promise<Connection | undefined> {
  const row = await changeOf(db, environmentId, wanted.uuid)
    .set({
      refreshFence: sql<number>`refresh_fence + 1`,
      refreshLeaseUntil: sql<Date>`clock_timestamp() + ${wanted.leaseMs} * interval '1 millisecond'`,
    })
    .where("credentialVersion", "=", wanted.version)
    .where(sql<boolean>`(refresh_lease_until is null or refresh_lease_until < clock_timestamp())`)
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
}

/** How the refresh of a connection stands; undefined when the connection is gone. */
export async function findRefresh(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<WatchedRefresh | undefined> {
  const row = await connectionTables(db)
    .selectFrom("connections")
    .select(columns)
    .select(sql<boolean>`coalesce(refresh_lease_until >= clock_timestamp(), false)`.as("isRunning"))
    .where("environmentId", "=", environmentId)
    .where("uuid", "=", uuid)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { connection: toConnection(row), isRunning: row.isRunning };
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

/** Stores renewed credentials and nothing else of the row; undefined when they come too late. */
export async function storeRenewed(
  db: Db,
  environmentId: EnvironmentId,
  attempt: Attempt,
  renewed: {
    sealedCredentials: Buffer;
    issuedAt: Date;
    expiresAt: Date | undefined;
    capturedConfig: Readonly<Record<string, string>>;
  },
): Promise<Connection | undefined> {
  const captured = JSON.stringify(renewed.capturedConfig);
  const row = await changeByAttempt(db, environmentId, attempt)
    .set({
      credentials: renewed.sealedCredentials,
      credentialVersion: sql<number>`credential_version + 1`,
      credentialsIssuedAt: renewed.issuedAt,
      credentialsExpireAt: renewed.expiresAt ?? null,
      connectionConfig: sql<string>`connection_config || ${captured}::jsonb`,
      refreshLeaseUntil: null,
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
  failed: { problem: RefreshProblem; notBefore: Date },
): Promise<Connection | undefined> {
  const row = await changeByAttempt(db, environmentId, attempt)
    .set({
      refreshFailures: sql<number>`refresh_failures + 1`,
      refreshNotBefore: failed.notBefore,
      refreshError: JSON.stringify(failed.problem),
      refreshLeaseUntil: null,
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
    .set({ refreshError: JSON.stringify(failed.problem), refreshLeaseUntil: null })
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
    .set({ refreshLeaseUntil: null })
    .where("refreshFence", "=", fence)
    .execute();
}
