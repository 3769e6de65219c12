import type { ColumnType } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import type { ConnectSession, SessionError, SessionSettings } from "./session.ts";

interface SessionRow {
  id: string;
  environmentId: EnvironmentId;
  tokenHash: Buffer;
  settings: ColumnType<SessionSettings, string, never>;
  state: ColumnType<ConnectSession["state"], undefined, ConnectSession["state"]>;
  connectionUuid: ColumnType<ConnectionUuid | null, undefined, ConnectionUuid>;
  error: ColumnType<SessionError | null, undefined, string | null>;
  createdAt: Date;
  expiresAt: Date;
}

interface FlowRow {
  id: string;
  stateHash: Buffer;
  environmentId: EnvironmentId;
  integrationId: number;
  connectSessionId: string;
  secrets: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

type ConnectTables = { connectSessions: SessionRow; authorizationFlows: FlowRow };

function tables(db: Db) {
  return db.withTables<ConnectTables>();
}

const sessionColumns = [
  "id",
  "environmentId",
  "settings",
  "state",
  "connectionUuid",
  "error",
  "expiresAt",
] as const;

function toSession(row: {
  id: string;
  environmentId: EnvironmentId;
  settings: SessionSettings;
  state: ConnectSession["state"];
  connectionUuid: ConnectionUuid | null;
  error: SessionError | null;
  expiresAt: Date;
}): ConnectSession {
  return {
    ...row,
    connectionUuid: row.connectionUuid ?? undefined,
    error: row.error ?? undefined,
  };
}

export async function insertSession(
  db: Db,
  environmentId: EnvironmentId,
  row: {
    id: string;
    tokenHash: Buffer;
    settings: SessionSettings;
    createdAt: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await tables(db)
    .insertInto("connectSessions")
    .values({ ...row, environmentId, settings: JSON.stringify(row.settings) })
    .execute();
}

/** The one look-up that does not know its environment yet: the token names it. */
export async function findSessionByHash(
  db: Db,
  tokenHash: Buffer,
  now: Date,
): Promise<ConnectSession | undefined> {
  const row = await tables(db)
    .selectFrom("connectSessions")
    .select(sessionColumns)
    .where("tokenHash", "=", tokenHash)
    .where("expiresAt", ">", now)
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
    .select(sessionColumns)
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? undefined : toSession(row);
}

/** Gives the session its one connection; false when it already has it. */
export async function completeSession(
  db: Db,
  environmentId: EnvironmentId,
  { id, connectionUuid }: { id: string; connectionUuid: ConnectionUuid },
): Promise<boolean> {
  const row = await tables(db)
    .updateTable("connectSessions")
    .set({ state: "success", connectionUuid, error: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("state", "!=", "success")
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes how the last attempt failed, or that a new one has begun; a success stays. */
export async function setSessionError(
  db: Db,
  environmentId: EnvironmentId,
  { id, error }: { id: string; error: SessionError | undefined },
): Promise<void> {
  await tables(db)
    .updateTable("connectSessions")
    .set({
      state: error === undefined ? "waiting" : "error",
      error: error === undefined ? null : JSON.stringify(error),
    })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("state", "!=", "success")
    .execute();
}

export async function insertFlow(
  db: Db,
  environmentId: EnvironmentId,
  row: Omit<FlowRow, "environmentId">,
): Promise<void> {
  await tables(db)
    .insertInto("authorizationFlows")
    .values({ ...row, environmentId })
    .execute();
}

export interface TakenFlow {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  readonly connectSessionId: string;
  readonly secrets: Buffer;
  readonly expiresAt: Date;
}

/** Takes the flow out, so that its state works once; the state names the environment. */
export async function takeFlow(db: Db, stateHash: Buffer): Promise<TakenFlow | undefined> {
  return await tables(db)
    .deleteFrom("authorizationFlows")
    .where("stateHash", "=", stateHash)
    .returning(["id", "environmentId", "integrationId", "connectSessionId", "secrets", "expiresAt"])
    .executeTakeFirst();
}
