import { randomUUID } from "node:crypto";
import type { GrantedRole, meRoutes, Role, RouteInput } from "@jackfield/contract";
import { sql } from "kysely";
import type { Db } from "#foundation/db";

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

type Preferences = RouteInput<typeof meRoutes.setOwnPreferences>["body"];

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

/** For who is named as the first owner; false when there is one. Others wait until the transaction ends. */
export async function claimOwnerless(db: Db, now: Date): Promise<boolean> {
  const row = await tables(db)
    .updateTable("installation")
    .set({ ownerClaimedAt: now })
    .where("ownerClaimedAt", "is", null)
    .returning("ownerClaimedAt")
    .executeTakeFirst();
  return row !== undefined;
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return await tables(db)
    .selectFrom("users")
    .selectAll()
    .where(sql<string>`lower(email)`, "=", email.toLowerCase())
    .executeTakeFirst();
}

/** Names by id, of the users of an account that exist. */
export async function findUserNames(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("users")
    .select(["id", "name"])
    .where("accountId", "=", accountId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
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

/** False when the address is taken. */
export async function insertUser(
  db: Db,
  row: Pick<UserRow, "id" | "accountId" | "email" | "name" | "createdAt">,
): Promise<boolean> {
  const added = await tables(db)
    .insertInto("users")
    .values({
      ...row,
      passwordHash: null,
      passwordChangedAt: null,
      lastSignInAt: null,
      disabledAt: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return added !== undefined;
}

export async function countUsers(db: Db, accountId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("users")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function updateUserRow(
  db: Db,
  id: string,
  row: Pick<UserRow, "name" | "disabledAt">,
): Promise<void> {
  await tables(db).updateTable("users").set(row).where("id", "=", id).execute();
}

export async function setPassword(
  db: Db,
  { id, passwordHash, now }: { id: string; passwordHash: string; now: Date },
): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({ passwordHash, passwordChangedAt: now })
    .where("id", "=", id)
    .execute();
}

/** Removes the row and, by reference, all that belongs to it. */
export async function deleteUserRow(db: Db, id: string): Promise<void> {
  await tables(db).deleteFrom("users").where("id", "=", id).execute();
}

export async function replaceGrants(
  db: Db,
  userId: string,
  { grants, now }: { grants: readonly GrantedRole[]; now: Date },
): Promise<void> {
  await tables(db).deleteFrom("userGrants").where("userId", "=", userId).execute();
  await tables(db)
    .insertInto("userGrants")
    .values(
      grants.map(({ role, environments, environmentId, runsCode }) => ({
        id: randomUUID(),
        userId,
        role,
        environments,
        environmentId: environmentId ?? null,
        runsCode: runsCode ?? false,
        createdAt: now,
      })),
    )
    .execute();
}

/** Whether somebody who can sign in has every right. */
export async function hasEnabledOwner(db: Db, accountId: string): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("users")
    .innerJoin("userGrants", "userGrants.userId", "users.id")
    .select("users.id")
    .where("users.accountId", "=", accountId)
    .where("users.disabledAt", "is", null)
    .where("userGrants.role", "=", "owner")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Oldest first, from just after a position. */
export async function listUserPage(
  db: Db,
  accountId: string,
  { limit, after }: { limit: number; after: { createdAt: Date; id: string } | undefined },
): Promise<UserRow[]> {
  let query = tables(db).selectFrom("users").selectAll().where("accountId", "=", accountId);
  if (after !== undefined) {
    const { createdAt, id } = after;
    query = query.where((where) =>
      where(where.refTuple("createdAt", "id"), ">", where.tuple(createdAt, id)),
    );
  }
  return await query.orderBy("createdAt").orderBy("id").limit(limit).execute();
}

export async function listGrantsOf(db: Db, userIds: readonly string[]): Promise<GrantRow[]> {
  if (userIds.length === 0) return [];
  return await tables(db)
    .selectFrom("userGrants")
    .selectAll()
    .where("userId", "in", userIds)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}

/** Of every account, oldest first: for the operator. */
export async function listAllUsers(db: Db): Promise<UserRow[]> {
  return await tables(db)
    .selectFrom("users")
    .selectAll()
    .orderBy("createdAt")
    .orderBy("id")
    .limit(10_000)
    .execute();
}

/** Makes changes of a user's ways to sign in take turns, until the transaction ends. */
export async function lockUser(db: Db, id: string): Promise<void> {
  await tables(db).selectFrom("users").select("id").where("id", "=", id).forUpdate().execute();
}

/** As text, since names in it are of the dashboard, and not of columns. */
export async function findPreferences(db: Db, id: string): Promise<Preferences | null> {
  const { rows } = await sql<{ text: string | null }>`
    select preferences::text as text from users where id = ${id}`.execute(db);
  const text = rows[0]?.text;
  return text === undefined || text === null ? null : JSON.parse(text);
}

export async function updatePreferences(
  db: Db,
  id: string,
  preferences: Preferences,
): Promise<void> {
  await sql`update users set preferences = ${JSON.stringify(preferences)}::jsonb where id = ${id}`.execute(
    db,
  );
}
