import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newTimeId, type RunId } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { runHot } from "../database.ts";
import { createDays } from "./ensure-days.ts";
import { hotStatementOfDay } from "./statement-of-day.ts";

const DAY_MS = 86_400_000;
const table = { name: "things", time: "created_at" };

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await sql`create table things (id uuid not null, created_at timestamptz not null, n integer not null,
              primary key (id, created_at)) partition by range (created_at)`.execute(app.ctx.db);
  await sql`create table things_default partition of things default`.execute(app.ctx.db);
  const days = Array.from({ length: 20 }, (_, n) => new Date(Date.now() + (n - 15) * DAY_MS));
  await createDays(
    app.ctx.db,
    table,
    days.map((day) => day.toISOString().slice(0, 10)),
  );
});
afterAll(async () => await app[Symbol.asyncDispose]());

const findThing = hotStatementOfDay(
  "test_thing",
  (isRow) => `select n from things where ${isRow("things", "$1")}`,
);

async function add(at: Date, n: number): Promise<string> {
  const id = newTimeId<RunId>(at);
  await sql`insert into things values (${id}, ${at}, ${n})`.execute(app.ctx.db);
  return id;
}

async function find(id: string) {
  return await runHot<{ n: number }>(app.ctx.db, findThing(id, [id]));
}

test("a row of any day is found by its id, on both sides of midnight", async () => {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const times = [0, -1, 1, DAY_MS, -DAY_MS, DAY_MS - 1, -9 * DAY_MS, -100 * DAY_MS];
  for (const [n, ms] of times.entries()) {
    const id = await add(new Date(midnight + ms), n);
    expect(await find(id)).toEqual([{ n }]);
  }
  expect(await find(newTimeId<RunId>(new Date()))).toEqual([]);
  const odd = randomUUID();
  await sql`insert into things values (${odd}, now(), 77)`.execute(app.ctx.db);
  expect(await find(odd)).toEqual([{ n: 77 }]);
});

test("a connection keeps its plan of today's rows", async () => {
  const id = await add(new Date(), 5);
  const { plans } = await app.ctx.db.connection().execute(async (db) => {
    for (let n = 0; n < 10; n += 1) await runHot(db, findThing(id, [id]));
    const { rows } = await sql<{ plans: number }>`
      select generic_plans::int as plans from pg_prepared_statements
       where name like 'test_thing@%' order by generic_plans desc limit 1`.execute(db);
    return { plans: rows[0]?.plans ?? 0 };
  });

  expect(plans).toBeGreaterThanOrEqual(5);
});
