import { type ColumnType, sql } from "kysely";
import type { Environment, EnvironmentId } from "#foundation";
import { type Db, runNamed } from "#foundation/db";

interface EnvironmentRow {
  id: EnvironmentId;
  accountId: string;
  name: string;
  isProduction: boolean;
  createdAt: Date;
  deletedAt: Date | null;
}

type EnvironmentTables = {
  environments: EnvironmentRow;
  environmentOldNames: {
    accountId: string;
    name: string;
    environmentId: EnvironmentId;
    renamedAt: Date;
  };
  environmentSettings: {
    environmentId: EnvironmentId;
    settings: ColumnType<Record<string, unknown>, string, string>;
    connectApp: ColumnType<Record<string, unknown> | null, undefined, string | null>;
    updatedAt: Date;
  };
  environmentVariables: {
    environmentId: EnvironmentId;
    name: string;
    value: Buffer;
    updatedAt: Date;
  };
  webhookSettings: {
    environmentId: EnvironmentId;
    updatedAt: Date;
    onAuditSeal: ColumnType<boolean, boolean | undefined, boolean>;
  };
};

function tables(db: Db) {
  return db.withTables<EnvironmentTables>();
}

export type EnvironmentSummary = Omit<EnvironmentRow, "deletedAt">;

/** Adds it with empty settings; false when the account has an environment of that name. */
export async function insertEnvironment(db: Db, row: EnvironmentSummary): Promise<boolean> {
  const added = await tables(db)
    .insertInto("environments")
    .values({ ...row, deletedAt: null })
    .onConflict((conflict) =>
      conflict.columns(["accountId", "name"]).where("deletedAt", "is", null).doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  if (added === undefined) return false;
  const { id: environmentId, createdAt: updatedAt } = row;
  await tables(db)
    .insertInto("environmentSettings")
    .values({ environmentId, settings: "{}", updatedAt })
    .execute();
  await tables(db).insertInto("webhookSettings").values({ environmentId, updatedAt }).execute();
  return true;
}

export async function listEnvironments(db: Db, accountId: string): Promise<EnvironmentSummary[]> {
  return await tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name", "isProduction", "createdAt"])
    .where("accountId", "=", accountId)
    .where("deletedAt", "is", null)
    .orderBy("createdAt")
    .orderBy("name")
    .execute();
}

export async function findEnvironment(
  db: Db,
  id: EnvironmentId,
): Promise<EnvironmentSummary | undefined> {
  const query = tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name", "isProduction", "createdAt"])
    .where("id", "=", id)
    .where("deletedAt", "is", null);
  const [row] = await runNamed(db, "environment_find", query);
  return row;
}

/** By its name, else by its id. */
export async function findEnvironmentNamed(
  db: Db,
  accountId: string,
  name: string,
): Promise<EnvironmentSummary | undefined> {
  const query = tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name", "isProduction", "createdAt"])
    .where("accountId", "=", accountId)
    .where((where) =>
      where.or([where("name", "=", name), where(sql`id::text`, "=", name.toLowerCase())]),
    )
    .where("deletedAt", "is", null)
    .orderBy((order) => order("name", "=", name), "desc")
    .limit(1);
  const [row] = await runNamed(db, "environment_named", query);
  return row;
}

/** Makes those who change the environment's keys, settings or itself take turns, until the transaction ends. */
export async function lockEnvironment(
  db: Db,
  id: EnvironmentId,
): Promise<EnvironmentSummary | undefined> {
  return await tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name", "isProduction", "createdAt"])
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateEnvironmentRow(
  db: Db,
  id: EnvironmentId,
  change: Pick<EnvironmentRow, "name" | "isProduction">,
): Promise<void> {
  await tables(db).updateTable("environments").set(change).where("id", "=", id).execute();
}

/** Remembers a name that an environment had; the one that had it last keeps it. */
export async function rememberName(
  db: Db,
  row: { accountId: string; name: string; environmentId: EnvironmentId; renamedAt: Date },
): Promise<void> {
  const { environmentId, renamedAt } = row;
  await tables(db)
    .insertInto("environmentOldNames")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["accountId", "name"]).doUpdateSet({ environmentId, renamedAt }),
    )
    .execute();
}

/** An environment may be renamed again and again: who looks for an old name has used it lately. */
const MOST_OLD_NAMES = 500;

/** Names that environments of the account had and that none has now, the latest first. */
export async function listOldNames(
  db: Db,
  accountId: string,
): Promise<{ environmentId: EnvironmentId; name: string }[]> {
  return await tables(db)
    .selectFrom("environmentOldNames as o")
    .select(["o.environmentId", "o.name"])
    .where("o.accountId", "=", accountId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("environments as e")
            .select("e.id")
            .whereRef("e.accountId", "=", "o.accountId")
            .whereRef("e.name", "=", "o.name")
            .where("e.deletedAt", "is", null),
        ),
      ),
    )
    .orderBy("o.renamedAt", "desc")
    .limit(MOST_OLD_NAMES)
    .execute();
}

/** Hides the environment and forgets its variables. */
export async function deleteEnvironmentRow(db: Db, id: EnvironmentId, now: Date): Promise<void> {
  await tables(db)
    .updateTable("environments")
    .set({ deletedAt: now })
    .where("id", "=", id)
    .execute();
  await tables(db).deleteFrom("environmentVariables").where("environmentId", "=", id).execute();
}

/** Those of every account that are not deleted, for sweepers. */
export async function listAllEnvironments(db: Db): Promise<Environment[]> {
  return await tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name"])
    .where("deletedAt", "is", null)
    .execute();
}

/** Those whose receivers keep the end of the audit log's chain; a sweeper: it looks at every account. */
export async function listAuditReceivers(db: Db): Promise<Environment[]> {
  return await tables(db)
    .selectFrom("environments")
    .innerJoin("webhookSettings", "webhookSettings.environmentId", "environments.id")
    .select(["environments.id", "environments.accountId", "environments.name"])
    .where("environments.deletedAt", "is", null)
    .where("webhookSettings.onAuditSeal", "=", true)
    .execute();
}

/** Those that are deleted but not yet erased; a sweeper: it looks at every account. */
export async function listDeletedEnvironments(db: Db): Promise<Environment[]> {
  return await tables(db)
    .selectFrom("environments")
    .select(["id", "accountId", "name"])
    .where("deletedAt", "is not", null)
    .execute();
}

/** Removes the row and, by reference, all that belongs to it. */
export async function eraseEnvironmentRow(db: Db, id: EnvironmentId): Promise<void> {
  await tables(db)
    .deleteFrom("environments")
    .where("id", "=", id)
    .where("deletedAt", "is not", null)
    .execute();
}

export async function findSettings(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Record<string, unknown>> {
  const row = await tables(db)
    .selectFrom("environmentSettings")
    .select(["settings", "connectApp"])
    .where("environmentId", "=", environmentId)
    .executeTakeFirst();
  if (row === undefined) return {};
  const { settings, connectApp: app } = row;
  return app === null
    ? settings
    : { ...settings, connect_ui: { ...Object(settings["connect_ui"]), app } };
}

export async function saveSettings(
  db: Db,
  environmentId: EnvironmentId,
  { connect_ui: page, ...settings }: Record<string, unknown>,
  now: Date,
): Promise<void> {
  const { app, ...look }: Record<string, unknown> = Object(page);
  const stored = page === undefined ? settings : { ...settings, connect_ui: look };
  await tables(db)
    .updateTable("environmentSettings")
    .set({
      settings: JSON.stringify(stored),
      connectApp: app === undefined ? null : JSON.stringify(app),
      updatedAt: now,
    })
    .where("environmentId", "=", environmentId)
    .execute();
}

export async function listVariables(
  db: Db,
  environmentId: EnvironmentId,
): Promise<{ name: string; value: Buffer }[]> {
  return await tables(db)
    .selectFrom("environmentVariables")
    .select(["name", "value"])
    .where("environmentId", "=", environmentId)
    .orderBy("name")
    .execute();
}

export async function upsertVariable(
  db: Db,
  environmentId: EnvironmentId,
  variable: { name: string; value: Buffer; updatedAt: Date },
): Promise<void> {
  await tables(db)
    .insertInto("environmentVariables")
    .values({ environmentId, ...variable })
    .onConflict((conflict) =>
      conflict
        .columns(["environmentId", "name"])
        .doUpdateSet({ value: variable.value, updatedAt: variable.updatedAt }),
    )
    .execute();
}

export async function deleteVariable(
  db: Db,
  environmentId: EnvironmentId,
  name: string,
): Promise<boolean> {
  const row = await tables(db)
    .deleteFrom("environmentVariables")
    .where("environmentId", "=", environmentId)
    .where("name", "=", name)
    .returning("name")
    .executeTakeFirst();
  return row !== undefined;
}
