import type { Role } from "@jackfield/contract";
import { sql } from "kysely";
import { type Db, hotStatement, runHot } from "#foundation/db";

export interface SessionRow {
  readonly id: string;
  readonly userId: string;
  readonly tokenHash: Buffer;
  readonly via: "setup" | "password" | "link" | "passkey" | "sso";
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly elevatedUntil: Date | null;
  /** Whether more than a password was shown. */
  readonly hasSecondFactor: boolean;
  readonly endedAt: Date | null;
}

function tables(db: Db) {
  return db.withTables<{ userSessions: SessionRow }>();
}

export async function insertSession(db: Db, row: Omit<SessionRow, "endedAt">): Promise<void> {
  await tables(db)
    .insertInto("userSessions")
    .values({ ...row, endedAt: null })
    .execute();
}

export interface GrantJson {
  readonly role: Role;
  readonly environments: "all" | "non-production" | "one";
  readonly environment_id: string | null;
  readonly runs_code: boolean;
}

export interface FoundSession {
  readonly id: string;
  readonly last_used_at: Date;
  readonly expires_at: Date;
  readonly elevated_until: Date | null;
  readonly user_id: string;
  readonly account_id: string;
  readonly has_second_factor: boolean;
  readonly second_factor_roles: readonly string[];
  readonly name: string;
  readonly grants: readonly GrantJson[];
}

const sessionByHash = hotStatement(
  "user_session_by_hash",
  `select s.id, s.last_used_at, s.expires_at, s.elevated_until, s.has_second_factor, u.id as user_id, u.account_id,
          u.name, a.second_factor_roles,
          (select coalesce(jsonb_agg(jsonb_build_object('role', g.role, 'environments', g.environments,
                  'environment_id', g.environment_id, 'runs_code', g.runs_code)), '[]')
             from user_grants g where g.user_id = u.id) as grants
     from user_sessions s join users u on u.id = s.user_id join accounts a on a.id = u.account_id
    where s.token_hash = $1 and s.ended_at is null and u.disabled_at is null`,
);

/** Neither ended nor of a user who is disabled; the caller looks at the times. */
export async function findSessionByHash(
  db: Db,
  tokenHash: Buffer,
): Promise<FoundSession | undefined> {
  const [row] = await runHot<FoundSession>(db, sessionByHash([tokenHash]));
  return row;
}

export async function markSessionUsed(db: Db, id: string, usedAt: Date): Promise<void> {
  await tables(db)
    .updateTable("userSessions")
    .set({ lastUsedAt: usedAt })
    .where("id", "=", id)
    .execute();
}

/** False when it had ended before. */
export async function endSessionRow(
  db: Db,
  { id, userId, now }: { id: string; userId: string; now: Date },
): Promise<boolean> {
  const row = await tables(db)
    .updateTable("userSessions")
    .set({ endedAt: now })
    .where("id", "=", id)
    .where("userId", "=", userId)
    .where("endedAt", "is", null)
    .returning(sql<number>`1`.as("one"))
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteSessionsBefore(db: Db, before: Date): Promise<void> {
  await tables(db).deleteFrom("userSessions").where("expiresAt", "<", before).execute();
}

export async function getSession(db: Db, id: string): Promise<SessionRow> {
  return await tables(db)
    .selectFrom("userSessions")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
}

/** All of a user, but perhaps one. */
export async function endSessionsOf(
  db: Db,
  { userId, now, but }: { userId: string; now: Date; but?: string },
): Promise<void> {
  let query = tables(db)
    .updateTable("userSessions")
    .set({ endedAt: now })
    .where("userId", "=", userId)
    .where("endedAt", "is", null);
  if (but !== undefined) query = query.where("id", "!=", but);
  await query.execute();
}

/** Those that can still be used, newest first. */
export async function listSessions(
  db: Db,
  userId: string,
  { now, usedSince, limit }: { now: Date; usedSince: Date; limit: number },
): Promise<SessionRow[]> {
  return await tables(db)
    .selectFrom("userSessions")
    .selectAll()
    .where("userId", "=", userId)
    .where("endedAt", "is", null)
    .where("expiresAt", ">", now)
    .where("lastUsedAt", ">", usedSince)
    .orderBy("createdAt", "desc")
    .limit(limit)
    .execute();
}

/** Under a new secret; false when it has ended. */
export async function renewSessionRow(
  db: Db,
  { id, ...change }: Pick<SessionRow, "id" | "tokenHash" | "elevatedUntil" | "hasSecondFactor">,
): Promise<boolean> {
  const row = await tables(db)
    .updateTable("userSessions")
    .set(change)
    .where("id", "=", id)
    .where("endedAt", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Of one session, or of all of a user that a password or a link began. */
export async function markSecondFactor(
  db: Db,
  marked: { readonly has: boolean } & ({ readonly id: string } | { readonly userId: string }),
): Promise<void> {
  const query = tables(db).updateTable("userSessions").set({ hasSecondFactor: marked.has });
  const ofThose =
    "id" in marked
      ? query.where("id", "=", marked.id)
      : query
          .where("userId", "=", marked.userId)
          .where("via", "in", ["password", "link", "setup"])
          .where("endedAt", "is", null);
  await ofThose.execute();
}
