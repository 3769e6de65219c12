import { sql } from "kysely";
import type { Db } from "#foundation/db";

export interface TotpRow {
  readonly userId: string;
  readonly secret: Buffer;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly lastStep: number;
}

type Tables = {
  totpSecrets: TotpRow;
  recoveryCodes: { userId: string; codeHash: Buffer; usedAt: Date | null };
  accounts: { id: string; secondFactorRoles: string[] };
};

function tables(db: Db) {
  return db.withTables<Tables>();
}

export async function findTotp(db: Db, userId: string): Promise<TotpRow | undefined> {
  return await tables(db)
    .selectFrom("totpSecrets")
    .selectAll()
    .where("userId", "=", userId)
    .executeTakeFirst();
}

/** In place of one that is not confirmed; false when one is. */
export async function saveUnconfirmed(
  db: Db,
  row: Pick<TotpRow, "userId" | "secret" | "createdAt">,
): Promise<boolean> {
  const { secret, createdAt } = row;
  const saved = await tables(db)
    .insertInto("totpSecrets")
    .values({ ...row, confirmedAt: null, lastStep: 0 })
    .onConflict((conflict) =>
      conflict
        .column("userId")
        .doUpdateSet({ secret, createdAt, lastStep: 0 })
        .where("totpSecrets.confirmedAt", "is", null),
    )
    .returning("userId")
    .executeTakeFirst();
  return saved !== undefined;
}

/** Takes the code of a period, and the first one makes the secret count; false when it, or a later one, was taken. */
export async function takeStep(
  db: Db,
  { userId, step, now }: { userId: string; step: number; now: Date },
): Promise<boolean> {
  const row = await tables(db)
    .updateTable("totpSecrets")
    .set(({ fn, val }) => ({
      lastStep: step,
      confirmedAt: fn.coalesce("confirmedAt", val(now)),
    }))
    .where("userId", "=", userId)
    .where("lastStep", "<", step)
    .returning("userId")
    .executeTakeFirst();
  return row !== undefined;
}

/** With all recovery codes; false when there was nothing that counted. */
export async function deleteTotpRows(db: Db, userId: string): Promise<boolean> {
  await tables(db).deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
  const row = await tables(db)
    .deleteFrom("totpSecrets")
    .where("userId", "=", userId)
    .returning("confirmedAt")
    .executeTakeFirst();
  return row !== undefined && row.confirmedAt !== null;
}

export async function replaceRecoveryCodeRows(
  db: Db,
  userId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await tables(db).deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
  const rows = codeHashes.map((codeHash) => ({ userId, codeHash, usedAt: null }));
  await tables(db).insertInto("recoveryCodes").values(rows).execute();
}

/** False when there is no such code, or it was used. */
export async function takeRecoveryCode(
  db: Db,
  { userId, codeHash, now }: { userId: string; codeHash: Buffer; now: Date },
): Promise<boolean> {
  const row = await tables(db)
    .updateTable("recoveryCodes")
    .set({ usedAt: now })
    .where("userId", "=", userId)
    .where("codeHash", "=", codeHash)
    .where("usedAt", "is", null)
    .returning("userId")
    .executeTakeFirst();
  return row !== undefined;
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("recoveryCodes")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("userId", "=", userId)
    .where("usedAt", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Who of these users have an authenticator app that counts. */
export async function listTotpOwners(
  db: Db,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await tables(db)
    .selectFrom("totpSecrets")
    .select("userId")
    .where("userId", "in", userIds)
    .where("confirmedAt", "is not", null)
    .execute();
  return new Set(rows.map(({ userId }) => userId));
}

export async function getSecondFactorRoles(db: Db, accountId: string): Promise<string[]> {
  const { secondFactorRoles } = await tables(db)
    .selectFrom("accounts")
    .select("secondFactorRoles")
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return secondFactorRoles;
}

export async function setSecondFactorRoles(
  db: Db,
  accountId: string,
  secondFactorRoles: string[],
): Promise<void> {
  await tables(db)
    .updateTable("accounts")
    .set({ secondFactorRoles })
    .where("id", "=", accountId)
    .execute();
}
