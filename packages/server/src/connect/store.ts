import { type ColumnType, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type {
  AttemptName,
  ConnectSession,
  SessionAttempt,
  SessionError,
  SessionSettings,
} from "./session.ts";

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
  "createdAt",
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
  createdAt: Date;
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

/** Not forced to the disk at once: after a power failure a session of the last moment is made again. */
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

/** The one query that does not know its environment yet: the token names it. Finds ended sessions too. */
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

/** Ends sessions that made these connections, or authorize them again; resolves to how many. */
export async function endSessionsOf(
  db: Db,
  environmentId: EnvironmentId,
  { connections, now }: { connections: readonly ConnectionUuid[]; now: Date },
): Promise<number> {
  const result = await sql`
    update connect_sessions s set expires_at = ${now}
     where s.environment_id = ${environmentId} and s.expires_at > ${now}
       and (s.connection_uuid = any(${connections}::uuid[]) or s.reconnect_connection = any(${connections}::uuid[])
            or exists (select from connect_attempts a
                        where a.session_id = s.id and a.connection_uuid = any(${connections}::uuid[])))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}

export async function deleteSessionsBefore(db: Db, time: Date): Promise<void> {
  await tables(db).deleteFrom("connectSessions").where("expiresAt", "<", time).execute();
}

// The session's row mirrors its latest attempt, by which servers of earlier releases go.

type AttemptRow = Omit<SessionAttempt, "connectionUuid" | "error" | "attemptId"> & {
  readonly connectionUuid: ConnectionUuid | null;
  readonly error: SessionError | null;
  readonly attemptId: string | null;
};

function toAttempt(row: AttemptRow): SessionAttempt {
  const { state, isPending } = row;
  return {
    state,
    isPending,
    connectionUuid: row.connectionUuid ?? undefined,
    error: row.error ?? undefined,
    attemptId: row.attemptId ?? undefined,
  };
}

const attemptColumns = sql`state, connection_uuid, is_pending, error, attempt_id`;

/** The latest attempt that the client calls so. */
export async function findAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, attemptId }: { sessionId: string; attemptId: string },
): Promise<SessionAttempt | undefined> {
  const { rows } = await sql<AttemptRow>`
    select ${attemptColumns} from connect_attempts
     where environment_id = ${environmentId} and session_id = ${sessionId}
       and attempt_id = ${attemptId}
     order by created_at desc, id desc limit 1`.execute(db);
  return rows[0] && toAttempt(rows[0]);
}

/** The latest attempts, newest first. */
export async function listAttempts(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, limit }: { sessionId: string; limit: number },
): Promise<SessionAttempt[]> {
  const { rows } = await sql<AttemptRow>`
    select ${attemptColumns} from connect_attempts
     where environment_id = ${environmentId} and session_id = ${sessionId}
     order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows.map(toAttempt);
}

/** How many connections the session has made. */
export async function countMade(
  db: Db,
  environmentId: EnvironmentId,
  sessionId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from connect_attempts
     where environment_id = ${environmentId} and session_id = ${sessionId}
       and connection_uuid is not null`.execute(db);
  return rows[0]?.count ?? 0;
}

interface Claim extends AttemptName {
  readonly session: Pick<ConnectSession, "id" | "expiresAt">;
  readonly connectionUuid: ConnectionUuid;
  readonly limit: number;
  readonly now: Date;
}

/**
 * Gives the attempt its connection, still unannounced, in the caller's transaction: `ended` when the session was
 * ended since it was read, `full` when it has made as many as it may.
 */
export async function claimAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { session, id, attemptId, connectionUuid, limit, now }: Claim,
): Promise<"claimed" | "ended" | "full"> {
  // An end moves `expires_at`; time that runs out meanwhile does not, and the code is spent by now.
  const mirrored = await sql`
    update connect_sessions
       set connection_uuid = ${connectionUuid}, state = 'waiting', is_pending = false,
           error = null, attempt_id = ${attemptId ?? null}
     where environment_id = ${environmentId} and id = ${session.id}
       and expires_at = ${session.expiresAt}
    returning id`.execute(db);
  if (mirrored.rows.length === 0) return "ended";
  // The session's row is locked: attempts that end together count each other.
  const claimed = await sql`
    insert into connect_attempts
      (id, session_id, environment_id, attempt_id, connection_uuid, created_at)
    select ${id}, ${session.id}, ${environmentId}, ${attemptId ?? null}, ${connectionUuid}, ${now}
     where (select count(*) from connect_attempts
             where session_id = ${session.id} and connection_uuid is not null and id <> ${id}) < ${limit}
    on conflict (id) do update
       set connection_uuid = excluded.connection_uuid, state = 'waiting', error = null
    returning id`.execute(db);
  return claimed.rows.length === 0 ? "full" : "claimed";
}

/** Says that the claimed connection is made. */
export async function completeAttempt(
  db: Db,
  environmentId: EnvironmentId,
  done: AttemptName & { readonly sessionId: string; readonly isPending: boolean },
): Promise<void> {
  const { sessionId, id, isPending, attemptId } = done;
  await sql`
    with made as (
      update connect_attempts set state = 'success', is_pending = ${isPending}, error = null
       where environment_id = ${environmentId} and id = ${id}
      returning connection_uuid)
    update connect_sessions
       set state = 'success', is_pending = ${isPending}, error = null, attempt_id = ${attemptId ?? null},
           connection_uuid = (select connection_uuid from made)
     where environment_id = ${environmentId} and id = ${sessionId}`.execute(db);
}

/** Takes the claim back: the connection was refused. */
export async function releaseAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { id, sessionId, connectionUuid }: Claimed,
): Promise<void> {
  await sql`
    with released as (
      update connect_attempts set connection_uuid = null
       where environment_id = ${environmentId} and id = ${id} and state <> 'success')
    update connect_sessions set connection_uuid = null
     where environment_id = ${environmentId} and id = ${sessionId}
       and connection_uuid = ${connectionUuid} and state <> 'success'`.execute(db);
}

interface Claimed {
  readonly id: string;
  readonly sessionId: string;
  readonly connectionUuid: ConnectionUuid;
}

interface Progress extends AttemptName {
  readonly sessionId: string;
  readonly error: SessionError | undefined;
  readonly now: Date;
}

/** Notes how an attempt failed, or that it has begun; its own success stays. */
export async function setAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { id, sessionId, attemptId, error, now }: Progress,
): Promise<void> {
  const state = error === undefined ? "waiting" : "error";
  const details = error === undefined ? null : JSON.stringify(error);
  await sql`
    with noted as (
      insert into connect_attempts (id, session_id, environment_id, attempt_id, state, error, created_at)
      values (${id}, ${sessionId}, ${environmentId}, ${attemptId ?? null}, ${state}, ${details}, ${now})
      on conflict (id) do update set state = excluded.state, error = excluded.error
       where connect_attempts.state <> 'success'
      returning id)
    update connect_sessions
       set state = ${state}, error = ${details}, attempt_id = ${attemptId ?? null}, connection_uuid = null,
           is_pending = false
     where environment_id = ${environmentId} and id = ${sessionId}
       and exists (select from noted)`.execute(db);
}

/** The connection is pending no more: resolves to the sessions that made it. */
export async function settleAttempts(
  db: Db,
  environmentId: EnvironmentId,
  connectionUuid: ConnectionUuid,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with attempts as (
      update connect_attempts set is_pending = false
       where environment_id = ${environmentId} and connection_uuid = ${connectionUuid} and is_pending
      returning session_id as id),
    sessions as (
      update connect_sessions set is_pending = false
       where environment_id = ${environmentId} and connection_uuid = ${connectionUuid} and is_pending
      returning id)
    select id from attempts union select id from sessions`.execute(db);
  return rows.map(({ id }) => id);
}

/** The connection that was pending was refused: resolves to the sessions that waited for it. */
export async function failAttempts(
  db: Db,
  environmentId: EnvironmentId,
  connectionUuid: ConnectionUuid,
  error: SessionError,
): Promise<string[]> {
  const details = JSON.stringify(error);
  const { rows } = await sql<{ id: string }>`
    with attempts as (
      update connect_attempts
         set is_pending = false, connection_uuid = null, state = 'error', error = ${details}
       where environment_id = ${environmentId} and connection_uuid = ${connectionUuid} and is_pending
      returning session_id as id),
    sessions as (
      update connect_sessions
         set is_pending = false, connection_uuid = null, state = 'error', error = ${details}
       where environment_id = ${environmentId} and connection_uuid = ${connectionUuid} and is_pending
      returning id)
    select id from attempts union select id from sessions`.execute(db);
  return rows.map(({ id }) => id);
}
