import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../testing/index.ts";
import { type Database, openDatabase } from "../database.ts";
import { commonDb, type Db, ownDb } from "../owned-db.ts";
import { NoConnection } from "./database-away.ts";

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
beforeAll(async () => {
  home = await createTestDatabase();
  const { connectionString } = home;
  database = openDatabase({
    connectionString,
    maxConnections: 5,
    pooled: false,
    onError: () => {},
  });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

async function readOne(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
  return rows[0]?.one;
}

test("transactions of one environment that continue and on leave connections to another's", async () => {
  const gate = Promise.withResolvers<void>();
  const [greedy, other] = [ownDb(database.db, "greedy"), ownDb(database.db, "other")];
  let open = 0;
  const hold = async () =>
    await greedy.transaction().execute(async (inner) => {
      await readOne(inner);
      open += 1;
      await gate.promise;
    });
  const crowd = Array.from({ length: 10 }, hold);
  await expect.poll(() => open).toBe(4);

  const answers = [await readOne(other), await readOne(database.db), await readOne(other)];

  expect([answers, open]).toEqual([[1, 1, 1], 4]);
  gate.resolve();
  await Promise.all(crowd);
  expect([open, database.pool.totalCount <= 5]).toEqual([10, true]);
});

test("a statement that fails gives its slot back", async () => {
  const own = ownDb(database.db, "clumsy");
  for (let nth = 0; nth < 10; nth += 1) {
    await expect(sql`select no_such_column`.execute(own)).rejects.toThrow("no_such_column");
  }

  expect(await readOne(own)).toBe(1);
});

test("a transaction keeps its handle, and each handle leads back to the common one", async () => {
  const own = ownDb(database.db, "a");

  expect(ownDb(own, "a")).toBe(own);
  expect(ownDb(own, "b")).toBe(ownDb(database.db, "b"));
  expect(commonDb(own)).toBe(database.db);
  await own.transaction().execute(async (inner) => {
    expect(ownDb(inner, "b")).toBe(inner);
    expect(commonDb(inner)).toBe(inner);
  });
});

test("a caller that waits too long for a connection gets an error, and the connection is free again afterwards", async () => {
  const { connectionString } = home;
  const options = { connectionString, maxConnections: 1, pooled: false, onError: () => {} };
  await using busy = openDatabase({ ...options, waitMs: 50 });
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = ownDb(busy.db, "a")
    .transaction()
    .execute(async () => {
      begun.resolve();
      await gate.promise;
    });
  await begun.promise;

  const refused = await readOne(ownDb(busy.db, "b")).catch((error: unknown) => error);
  gate.resolve();
  await holding;

  expect(refused).toBeInstanceOf(NoConnection);
  expect(await readOne(ownDb(busy.db, "b"))).toBe(1);
});
