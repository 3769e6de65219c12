import { sql } from "kysely";
import { addMs, type EnvironmentId, type KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import {
  type ConnectSession,
  SESSION_LIFE_MS,
  type SessionError,
  type SessionSettings,
} from "../session.ts";

export interface ListedSession extends KeysetPosition {
  readonly state: ConnectSession["state"];
  readonly settings: SessionSettings;
  readonly isReconnect: boolean;
  readonly error: SessionError | null;
  readonly expiresAt: Date;
}

interface SessionPage {
  /** Undefined: open and ended ones. */
  readonly isOpen: boolean | undefined;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
  readonly now: Date;
}

/** Newest first. Open sessions are young, which bounds what is read of the others. */
export async function listSessions(
  db: Db,
  environmentId: EnvironmentId,
  { isOpen, after, limit, now }: SessionPage,
): Promise<ListedSession[]> {
  const wanted = [sql`environment_id = ${environmentId}`];
  if (after !== undefined) wanted.push(sql`(created_at, id) < (${after.createdAt}, ${after.id})`);
  if (isOpen === true) {
    wanted.push(sql`expires_at > ${now}`, sql`created_at > ${addMs(now, -SESSION_LIFE_MS)}`);
  }
  if (isOpen === false) wanted.push(sql`expires_at <= ${now}`);
  const { rows } = await sql<ListedSession>`
    select id, state, settings, error, created_at, expires_at,
           reconnect_connection is not null as is_reconnect
      from connect_sessions
     where ${sql.join(wanted, sql` and `)}
     order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}
