import { sql } from "kysely";
import type { Db } from "#foundation/db";

export interface PasskeyRow {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: string[];
  readonly name: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

type Tables = {
  passkeys: PasskeyRow;
  usedChallenges: { challengeHash: Buffer; usedAt: Date };
};

function tables(db: Db) {
  return db.withTables<Tables>();
}

/** False when it was used before. */
export async function insertUsedChallenge(db: Db, row: Tables["usedChallenges"]): Promise<boolean> {
  const added = await tables(db)
    .insertInto("usedChallenges")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("usedAt")
    .executeTakeFirst();
  return added !== undefined;
}

export async function deleteUsedChallengesBefore(db: Db, before: Date): Promise<void> {
  await tables(db).deleteFrom("usedChallenges").where("usedAt", "<", before).execute();
}

/** False when somebody has it already. */
export async function insertPasskey(db: Db, row: Omit<PasskeyRow, "lastUsedAt">): Promise<boolean> {
  const added = await tables(db)
    .insertInto("passkeys")
    .values({ ...row, lastUsedAt: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return added !== undefined;
}

/** Oldest first. */
export async function listPasskeyRows(db: Db, userId: string): Promise<PasskeyRow[]> {
  return await tables(db)
    .selectFrom("passkeys")
    .selectAll()
    .where("userId", "=", userId)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}

/** Who of these users have one. */
export async function listPasskeyOwners(
  db: Db,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await tables(db)
    .selectFrom("passkeys")
    .select("userId")
    .distinct()
    .where("userId", "in", userIds)
    .execute();
  return new Set(rows.map(({ userId }) => userId));
}

export async function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return await tables(db)
    .selectFrom("passkeys")
    .selectAll()
    .where("credentialId", "=", credentialId)
    .executeTakeFirst();
}

export async function markPasskeyUsed(
  db: Db,
  { id, counter, now }: { id: string; counter: number; now: Date },
): Promise<void> {
  await tables(db)
    .updateTable("passkeys")
    .set({ counter, lastUsedAt: now })
    .where("id", "=", id)
    .execute();
}

/** False when the user has no such passkey. */
export async function deletePasskeyRow(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const row = await tables(db)
    .deleteFrom("passkeys")
    .where("id", "=", id)
    .where("userId", "=", userId)
    .returning(sql<number>`1`.as("one"))
    .executeTakeFirst();
  return row !== undefined;
}
