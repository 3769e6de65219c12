import { type ColumnType, sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { CustomProvider, ProviderEntry } from "./custom-provider.ts";

interface CustomProviderRow {
  environmentId: EnvironmentId;
  slug: string;
  version: number;
  replacesBuiltIn: boolean;
  entry: ColumnType<ProviderEntry, string, string>;
  createdAt: Date;
  updatedAt: Date;
}

function tables(db: Db) {
  return db.withTables<{ customProviders: CustomProviderRow }>();
}

const columns = ["slug", "version", "replacesBuiltIn", "entry", "createdAt", "updatedAt"] as const;

export async function listCustomProviderRows(
  db: Db,
  environmentId: EnvironmentId,
): Promise<CustomProvider[]> {
  return await tables(db)
    .selectFrom("customProviders")
    .select(columns)
    .where("environmentId", "=", environmentId)
    .orderBy("slug")
    .execute();
}

export async function findCustomProviderRow(
  db: Db,
  environmentId: EnvironmentId,
  slug: string,
): Promise<CustomProvider | undefined> {
  return await tables(db)
    .selectFrom("customProviders")
    .select(columns)
    .where("environmentId", "=", environmentId)
    .where("slug", "=", slug)
    .executeTakeFirst();
}

/** How many there are; until the caller's transaction ends nobody else counts those of the environment. */
export async function countCustomProvidersAlone(
  db: Db,
  environmentId: EnvironmentId,
): Promise<number> {
  const lock = `custom providers of ${environmentId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db);
  const { count } = await tables(db)
    .selectFrom("customProviders")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("environmentId", "=", environmentId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Adds the row; undefined when the slug is taken. */
export async function insertCustomProvider(
  db: Db,
  environmentId: EnvironmentId,
  { entry, ...row }: CustomProvider,
): Promise<CustomProvider | undefined> {
  return await tables(db)
    .insertInto("customProviders")
    .values({ environmentId, ...row, entry: JSON.stringify(entry) })
    .onConflict((conflict) => conflict.columns(["environmentId", "slug"]).doNothing())
    .returning(columns)
    .executeTakeFirst();
}

/** Puts a new version in the place of the old one; undefined where there is none. */
export async function replaceCustomProvider(
  db: Db,
  environmentId: EnvironmentId,
  { slug, entry, now }: { slug: string; entry: ProviderEntry; now: Date },
): Promise<CustomProvider | undefined> {
  return await tables(db)
    .updateTable("customProviders")
    .set((build) => ({
      entry: JSON.stringify(entry),
      version: build("version", "+", 1),
      updatedAt: now,
    }))
    .where("environmentId", "=", environmentId)
    .where("slug", "=", slug)
    .returning(columns)
    .executeTakeFirst();
}

/** Whether there was one to delete. */
export async function deleteCustomProviderRow(
  db: Db,
  environmentId: EnvironmentId,
  slug: string,
): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("customProviders")
    .where("environmentId", "=", environmentId)
    .where("slug", "=", slug)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
