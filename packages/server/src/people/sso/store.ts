import type { ColumnType } from "kysely";
import type { Db } from "#foundation/db";
import type { SentGrant } from "../users/grants.ts";

export interface ProviderRow {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Buffer | null;
  readonly groupClaim: string | null;
  readonly groupGrants: readonly { readonly group: string; readonly grants: SentGrant[] }[];
  readonly addsUsers: boolean;
  readonly defaultGrants: readonly SentGrant[];
  readonly allowedDomains: string[];
  readonly isRequired: boolean;
  readonly updatedAt: Date;
}

type Tables = {
  oidcProviders: Omit<ProviderRow, "groupGrants" | "defaultGrants"> & {
    groupGrants: ColumnType<ProviderRow["groupGrants"], string, string>;
    defaultGrants: ColumnType<ProviderRow["defaultGrants"], string, string>;
  };
  oidcIdentities: { issuer: string; subject: string; userId: string; createdAt: Date };
};

function tables(db: Db) {
  return db.withTables<Tables>();
}

export async function findProvider(db: Db, id: string): Promise<ProviderRow | undefined> {
  return await tables(db)
    .selectFrom("oidcProviders")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function findProviderOf(db: Db, accountId: string): Promise<ProviderRow | undefined> {
  return await tables(db)
    .selectFrom("oidcProviders")
    .selectAll()
    .where("accountId", "=", accountId)
    .executeTakeFirst();
}

/** For the sign-in page. */
export async function listProviderNames(
  db: Db,
  accountId: string,
): Promise<{ id: string; name: string }[]> {
  return await tables(db)
    .selectFrom("oidcProviders")
    .select(["id", "name"])
    .where("accountId", "=", accountId)
    .orderBy("name")
    .limit(100)
    .execute();
}

export async function saveProvider(db: Db, row: ProviderRow): Promise<void> {
  const values = {
    ...row,
    groupGrants: JSON.stringify(row.groupGrants),
    defaultGrants: JSON.stringify(row.defaultGrants),
  };
  await tables(db)
    .insertInto("oidcProviders")
    .values(values)
    .onConflict((conflict) => conflict.column("accountId").doUpdateSet(values))
    .execute();
}

export async function deleteProviderOf(db: Db, accountId: string): Promise<void> {
  await tables(db).deleteFrom("oidcProviders").where("accountId", "=", accountId).execute();
}

export async function findIdentity(
  db: Db,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<string | undefined> {
  const row = await tables(db)
    .selectFrom("oidcIdentities")
    .select("userId")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.userId;
}

export async function insertIdentity(db: Db, row: Tables["oidcIdentities"]): Promise<void> {
  await tables(db)
    .insertInto("oidcIdentities")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Who of these users have signed in by an identity provider. */
export async function listIdentityOwners(
  db: Db,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await tables(db)
    .selectFrom("oidcIdentities")
    .select("userId")
    .distinct()
    .where("userId", "in", userIds)
    .execute();
  return new Set(rows.map(({ userId }) => userId));
}
