import { type ColumnType, sql, type Updateable } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";
import type { ConnectSession, SessionError, SessionSettings } from "./session.ts";

interface SessionRow {
  id: string;
  environmentId: EnvironmentId;
  tokenHash: Buffer;
  settings: ColumnType<SessionSettings, string, never>;
  defaults: Buffer | null;
  reconnectConnection: ConnectionUuid | null;
  state: ColumnType<ConnectSession["state"], undefined, ConnectSession["state"]>;
  connectionUuid: ColumnType<ConnectionUuid | null, undefined, ConnectionUuid | null>;
  isPending: ColumnType<boolean, undefined, boolean>;
  error: ColumnType<SessionError | null, undefined, string | null>;
  attemptId: ColumnType<string | null, undefined, string | null>;
  createdAt: Date;
  expiresAt: Date;
}

function tables(db: Db) {
  return db.withTables<{ connectSessions: SessionRow }>();
}

const columns = [
  "id",
  "environmentId",
  "settings",
  "defaults",
  "reconnectConnection",
  "state",
  "connectionUuid",
  "isPending",
  "error",
  "attemptId",
  "expiresAt",
] as const;

function toSession(row: {
  id: string;
  environmentId: EnvironmentId;
  settings: SessionSettings;
  defaults: Buffer | null;
  reconnectConnection: ConnectionUuid | null;
  state: ConnectSession["state"];
  connectionUuid: ConnectionUuid | null;
  isPending: boolean;
  error: SessionError | null;
  attemptId: string | null;
  expiresAt: Date;
}): ConnectSession {
  const { defaults, reconnectConnection, ...same } = row;
  return {
    ...same,
    sealedDefaults: defaults ?? undefined,
    reconnects: reconnectConnection ?? undefined,
    connectionUuid: row.connectionUuid ?? undefined,
    error: row.error ?? undefined,
    attemptId: row.attemptId ?? undefined,
  };
}

export interface NewSession {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly tokenHash: Buffer;
  readonly settings: SessionSettings;
  readonly sealedDefaults: Buffer | undefined;
  readonly reconnects: ConnectionUuid | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const insert = hotStatement(
  "insert_sessions",
  `with quickly as materialized (select set_config('synchronous_commit', 'off', true))
   insert into connect_sessions
     (id, environment_id, token_hash, settings, defaults, reconnect_connection, created_at, expires_at)
   select t.* from quickly,
          unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::jsonb[], $5::bytea[], $6::uuid[],
                 $7::timestamptz[], $8::timestamptz[]) as t`,
);

/** Not forced to the disk at once: after a power failure a session of the last moment is made anew. */
export async function insertSessions(db: Db, rows: readonly NewSession[]): Promise<void> {
  await runHot(
    db,
    insert([
      rows.map(({ id }) => id),
      rows.map(({ environmentId }) => environmentId),
      rows.map(({ tokenHash }) => tokenHash),
      rows.map(({ settings }) => JSON.stringify(settings)),
      rows.map(({ sealedDefaults }) => sealedDefaults ?? null),
      rows.map(({ reconnects }) => reconnects ?? null),
      rows.map(({ createdAt }) => createdAt.toISOString()),
      rows.map(({ expiresAt }) => expiresAt.toISOString()),
    ]),
  );
}

/** The one look-up that does not know its environment yet: the token names it. Ended sessions too. */
export async function findSessionByHash(
  db: Db,
  tokenHash: Buffer,
): Promise<ConnectSession | undefined> {
  const row = await tables(db)
    .selectFrom("connectSessions")
    .select(columns)
    .where("tokenHash", "=", tokenHash)
    .executeTakeFirst();
  return row === undefined ? undefined : toSession(row);
}

export async function findSession(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<ConnectSession | undefined> {
  const row = await tables(db)
    .selectFrom("connectSessions")
    .select(columns)
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? undefined : toSession(row);
}

/** Ends the session at once. */
export async function endSession(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await tables(db)
    .updateTable("connectSessions")
    .set({ expiresAt: now })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("expiresAt", ">", now)
    .execute();
}

/**
 * Gives the session its one connection, still unannounced; false when another attempt has it, or when it was ended
 * since it was read.
 */
export async function claimSession(
  db: Db,
  environmentId: EnvironmentId,
  { id, expiresAt }: Pick<ConnectSession, "id" | "expiresAt">,
  connectionUuid: ConnectionUuid,
): Promise<boolean> {
  const row = await tables(db)
    .updateTable("connectSessions")
    .set({ connectionUuid })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("connectionUuid", "is", null)
    // An end moves it; time that runs out meanwhile does not, and the code is spent by now.
    .where("expiresAt", "=", expiresAt)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Says that the claimed connection is made. */
export async function completeSession(
  db: Db,
  environmentId: EnvironmentId,
  done: { id: string; isPending: boolean; attemptId: string | undefined },
): Promise<void> {
  const { isPending, attemptId = null } = done;
  await tables(db)
    .updateTable("connectSessions")
    .set({ state: "success", isPending, error: null, attemptId })
    .where("environmentId", "=", environmentId)
    .where("id", "=", done.id)
    .execute();
}

/** Of sessions that made this connection: it is pending no more. Resolves to their ids. */
export async function settleSessions(
  db: Db,
  environmentId: EnvironmentId,
  connectionUuid: ConnectionUuid,
): Promise<string[]> {
  return await endPending(db, environmentId, connectionUuid, { isPending: false });
}

/** The connection that they wait for was refused: they may make another. Resolves to their ids. */
export async function failSessions(
  db: Db,
  environmentId: EnvironmentId,
  connectionUuid: ConnectionUuid,
  error: SessionError,
): Promise<string[]> {
  return await endPending(db, environmentId, connectionUuid, {
    isPending: false,
    connectionUuid: null,
    state: "error",
    error: JSON.stringify(error),
  });
}

async function endPending(
  db: Db,
  environmentId: EnvironmentId,
  connectionUuid: ConnectionUuid,
  change: Updateable<SessionRow>,
): Promise<string[]> {
  const rows = await tables(db)
    .updateTable("connectSessions")
    .set(change)
    .where("environmentId", "=", environmentId)
    .where("connectionUuid", "=", connectionUuid)
    .where("isPending", "=", sql.lit(true))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes the claim back: the connection was refused. */
export async function releaseSession(
  db: Db,
  environmentId: EnvironmentId,
  { id, connectionUuid }: { id: string; connectionUuid: ConnectionUuid },
): Promise<void> {
  await tables(db)
    .updateTable("connectSessions")
    .set({ connectionUuid: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("connectionUuid", "=", connectionUuid)
    .where("state", "!=", "success")
    .execute();
}

/** Notes how an attempt failed, or that a new one has begun; a success stays. */
export async function setAttempt(
  db: Db,
  environmentId: EnvironmentId,
  attempt: { id: string; attemptId: string | undefined; error: SessionError | undefined },
): Promise<void> {
  const { id, attemptId = null, error } = attempt;
  await tables(db)
    .updateTable("connectSessions")
    .set({
      state: error === undefined ? "waiting" : "error",
      error: error === undefined ? null : JSON.stringify(error),
      attemptId,
    })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("state", "!=", "success")
    .execute();
}

export async function deleteSessionsBefore(db: Db, time: Date): Promise<void> {
  await tables(db).deleteFrom("connectSessions").where("expiresAt", "<", time).execute();
}
