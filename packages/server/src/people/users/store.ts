import type { GrantedRole, Role } from "@jackfield/contract";
import { sql } from "kysely";
import type { Db } from "#platform/db";

export interface UserRow {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly passwordChangedAt: Date | null;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
  readonly disabledAt: Date | null;
}

export interface GrantRow {
  readonly id: string;
  readonly userId: string;
  readonly role: Role;
  readonly environments: "all" | "non-production" | "one";
  readonly environmentId: string | null;
  readonly runsCode: boolean;
  readonly createdAt: Date;
}

type Tables = {
  users: UserRow;
  userGrants: GrantRow;
  installation: { ownerClaimedAt: Date | null };
  accounts: { id: string; name: string };
};

function tables(db: Db) {
  return db.withTables<Tables>();
}

export async function hasOwner(db: Db): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("installation")
    .select("ownerClaimedAt")
    .executeTakeFirst();
  return row !== undefined && row.ownerClaimedAt !== null;
}

export interface NewOwner {
  readonly userId: string;
  readonly grantId: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly now: Date;
}

/**
 * Uses the setup link up and makes the first owner, in one statement: it begins by changing the row of the
 * installation, for which all claims wait, and only the first finds that nobody has claimed it. False for the others.
 */
export async function claimInstallation(
  db: Db,
  tokenHash: Buffer,
  { userId, grantId, email, name, passwordHash, now }: NewOwner,
): Promise<boolean> {
  const { rows } = await sql`
    with link as (
      select account_id from one_time_links
       where token_hash = ${tokenHash} and purpose = 'setup' and used_at is null and expires_at > ${now}
    ), claimed as (
      update installation set owner_claimed_at = ${now}
       where owner_claimed_at is null and exists (select from link)
      returning 1
    ), used as (
      update one_time_links set used_at = ${now}
       where purpose = 'setup' and used_at is null and exists (select from claimed)
    ), made as (
      insert into users (id, account_id, email, name, password_hash, password_changed_at, created_at, last_sign_in_at)
      select ${userId}::uuid, link.account_id, ${email}, ${name}, ${passwordHash}::text,
             case when ${passwordHash}::text is null then null else ${now}::timestamptz end,
             ${now}::timestamptz, ${now}::timestamptz
        from link, claimed
      returning id
    )
    insert into user_grants (id, user_id, role, environments, created_at)
    select ${grantId}::uuid, id, 'owner', 'all', ${now}::timestamptz from made
    returning user_id`.execute(db);
  return rows.length === 1;
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return await tables(db)
    .selectFrom("users")
    .selectAll()
    .where(sql<string>`lower(email)`, "=", email.toLowerCase())
    .executeTakeFirst();
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return await tables(db).selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Oldest first. */
export async function listGrants(db: Db, userId: string): Promise<GrantRow[]> {
  return await tables(db)
    .selectFrom("userGrants")
    .selectAll()
    .where("userId", "=", userId)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}

export async function markSignedIn(db: Db, id: string, now: Date): Promise<void> {
  await tables(db).updateTable("users").set({ lastSignInAt: now }).where("id", "=", id).execute();
}

export async function getAccountName(db: Db, id: string): Promise<string> {
  const row = await tables(db)
    .selectFrom("accounts")
    .select("name")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.name;
}

export async function getUser(db: Db, id: string): Promise<UserRow> {
  const found = await findUser(db, id);
  if (found === undefined) throw new Error(`there is no user ${id}`);
  return found;
}

export function toGrantedRole(row: GrantRow): GrantedRole {
  const { role, environments, environmentId, runsCode } = row;
  return { role, environments, environmentId: environmentId ?? undefined, runsCode };
}

/** The same password under other parameters; a password that was changed meanwhile stays. */
export async function replacePasswordHash(
  db: Db,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({ passwordHash: to })
    .where("id", "=", id)
    .where("passwordHash", "=", from)
    .execute();
}
