import type { Db } from "#foundation/db";

export interface LinkRow {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly purpose: "setup" | "invitation" | "reset" | "sign-in";
  readonly accountId: string;
  readonly userId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  /** Its holder needs no code of an authenticator app, and starts without one. */
  readonly dropsSecondFactor: boolean;
}

function tables(db: Db) {
  return db.withTables<{ oneTimeLinks: LinkRow }>();
}

type NewLinkRow = Omit<LinkRow, "usedAt" | "dropsSecondFactor"> &
  Partial<Pick<LinkRow, "dropsSecondFactor">>;

export async function insertLink(db: Db, row: NewLinkRow): Promise<void> {
  await tables(db)
    .insertInto("oneTimeLinks")
    .values({ dropsSecondFactor: false, ...row, usedAt: null })
    .execute();
}

export async function endSetupLinks(db: Db, now: Date): Promise<void> {
  await tables(db)
    .updateTable("oneTimeLinks")
    .set({ usedAt: now })
    .where("purpose", "=", "setup")
    .where("usedAt", "is", null)
    .execute();
}

/** One that can be used. */
export async function findLink(
  db: Db,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<LinkRow | undefined> {
  return await tables(db)
    .selectFrom("oneTimeLinks")
    .selectAll()
    .where("tokenHash", "=", tokenHash)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .executeTakeFirst();
}

export async function endLinksOf(db: Db, userId: string, now: Date): Promise<void> {
  await tables(db)
    .updateTable("oneTimeLinks")
    .set({ usedAt: now })
    .where("userId", "=", userId)
    .where("usedAt", "is", null)
    .execute();
}

/** False when somebody else has used it, or it has expired. */
export async function useLink(db: Db, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const row = await tables(db)
    .updateTable("oneTimeLinks")
    .set({ usedAt: now })
    .where("id", "=", id)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteLinksBefore(db: Db, before: Date): Promise<void> {
  await tables(db).deleteFrom("oneTimeLinks").where("expiresAt", "<", before).execute();
}
