import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { openDatabase, withSnapshot, withTransaction } from "../database.ts";
import { guardWhereDistributed, isDistributed } from "./is-distributed.ts";

// What Citus does with the guard, `scripts/with-citus.sh` shows: here is that it is sent.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await app.database.pool.query(`
    create table if not exists two_phase_guard (id integer primary key);
    create table guarded (transaction bigint);
    create function note_guard() returns trigger language plpgsql as $$
    begin insert into guarded values (txid_current()); return null; end $$;
    create trigger note after delete on two_phase_guard for each statement execute function note_guard()`);
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function countGuarded(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from guarded`.execute(
    app.ctx.db,
  );
  return rows[0]?.count ?? Number.NaN;
}

test("plain PostgreSQL is not taken for a cluster, and its transactions have no guard", async () => {
  const { ctx } = app;

  await withTransaction(ctx, async ({ db }) => await sql`select 1`.execute(db));

  expect(await isDistributed(ctx.db)).toBe(false);
  expect(await countGuarded()).toBe(0);
});

test("on a cluster the first statement of each transaction is the guard, and others have none", async () => {
  const { ctx, database } = app;
  database.guardCommits();
  const before = await countGuarded();

  const guarded = await withTransaction(ctx, async ({ db }) => {
    const { rows } = await sql<{ isGuarded: boolean }>`
      select exists (select from guarded where transaction = txid_current()) as is_guarded`.execute(
      db,
    );
    return rows[0]?.isGuarded;
  });
  await sql`select 1`.execute(ctx.db);

  expect(guarded).toBe(true);
  expect(await countGuarded()).toBe(before + 1);
});

test("a transaction that only reads has no guard, which would be refused there", async () => {
  const { ctx, database } = app;
  database.guardCommits();
  const before = await countGuarded();

  const read = await withSnapshot(ctx, async ({ db }) => {
    return (await sql`select 1 as one`.execute(db)).rows;
  });

  expect(read).toEqual([{ one: 1 }]);
  expect(await countGuarded()).toBe(before);
});

test("a database that Citus distributes is recognized by its catalogue, and its transactions get the guard", async () => {
  await app.database.pool.query(`
    set allow_system_table_mods = on;
    insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
      select 99999, 'citus', extowner, extnamespace, false, '13.0-1' from pg_extension limit 1;
    create table pg_dist_partition (logicalrelid regclass);
    insert into pg_dist_partition values ('two_phase_guard')`);
  const { connectionString } = app.database;
  const options = { maxConnections: 1, pooled: false, onError: () => undefined };
  await using database = openDatabase({ connectionString, ...options });
  const before = await countGuarded();

  const isCluster = await guardWhereDistributed(database);
  await withTransaction({ db: database.db }, async ({ db }) => await sql`select 1`.execute(db));

  expect(isCluster).toBe(true);
  expect(await countGuarded()).toBe(before + 1);
});
