import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, DAY } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { type DayTable, dayOf } from "./day-table.ts";
import { dropOldDays } from "./drop-old-days.ts";
import { createDays, ensureDays } from "./ensure-days.ts";
import { listDays } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

/** A table of its own, with a reference to environments. */
async function makeTable(name: string): Promise<DayTable> {
  const { db } = app.ctx;
  await sql`
    create table ${sql.table(name)} (
      id int not null, environment_id uuid not null references environments (id) on delete cascade,
      open boolean not null, made_at timestamptz not null, primary key (id, made_at))
      partition by range (made_at)`.execute(db);
  await sql`create table ${sql.table(`${name}_default`)} partition of ${sql.table(name)} default`.execute(
    db,
  );
  return { name, time: "made_at" };
}

async function insert({ name }: DayTable, id: number, madeAt: Date, open = false): Promise<void> {
  await sql`
    insert into ${sql.table(name)} values (${id}, ${app.ctx.environment.id}, ${open}, ${madeAt})`.execute(
    app.ctx.db,
  );
}

async function placesOf({ name }: DayTable): Promise<Record<number, string>> {
  const { rows } = await sql<{ id: number; place: string }>`
    select id, tableoid::regclass::text as place from ${sql.table(name)} order by id`.execute(
    app.ctx.db,
  );
  return Object.fromEntries(rows.map(({ id, place }) => [id, place.slice(name.length + 1)]));
}

function named(time: Date): string {
  return dayOf(time).replaceAll("-", "");
}

test("an old day is dropped as a whole; what is needed of it is found in the default partition", async () => {
  const table = await makeTable("kept");
  const now = app.clock.now();
  const days = [-3, -2, -1, 0].map((at) => addMs(now, at * DAY));
  await createDays(app.ctx.db, table, days.map(dayOf));
  for (const [id, day] of days.entries()) {
    await insert(table, id, day);
    await insert(table, id + 10, day, true);
  }

  const before = addMs(now, -DAY);
  await dropOldDays(app.ctx, table, { before, needed: sql<boolean>`t.open` });

  expect(await placesOf(table)).toEqual({
    ...{ 2: named(addMs(now, -DAY)), 3: named(now), 12: named(addMs(now, -DAY)), 13: named(now) },
    ...{ 10: "default", 11: "default" },
  });
  expect((await listDays(app.ctx.db, table)).map(({ day }) => day)).toEqual([
    dayOf(addMs(now, -DAY)),
    dayOf(now),
  ]);
});

test("a day that is being read for long stays, and goes the next time", async () => {
  const table = await makeTable("read_long");
  const now = app.clock.now();
  await createDays(app.ctx.db, table, [dayOf(addMs(now, -DAY))]);
  await insert(table, 1, addMs(now, -DAY));

  await app.ctx.db.transaction().execute(async (db) => {
    await sql`select from ${sql.table(table.name)}`.execute(db);
    await dropOldDays(app.ctx, table, { before: now });
  });
  const kept = await placesOf(table);
  await dropOldDays(app.ctx, table, { before: now });

  expect(kept).toEqual({ 1: named(addMs(now, -DAY)) });
  expect(await placesOf(table)).toEqual({});
});

test("processes that drop the same days at once drop each, and keep what is needed once", async () => {
  const table = await makeTable("dropped_twice");
  const now = app.clock.now();
  const days = [-4, -3, -2, -1].map((at) => addMs(now, at * DAY));
  await createDays(app.ctx.db, table, days.map(dayOf));
  for (const [id, day] of days.entries()) await insert(table, id, day, id === 0);
  const kept: string[] = [];
  const log = { ...app.ctx.log, info: () => {}, warn: (event: string) => void kept.push(event) };

  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const ctx = { db: app.ctx.db, log };
      await dropOldDays(ctx, table, { before: now, needed: sql<boolean>`t.open` });
    }),
  );

  expect(await placesOf(table)).toEqual({ 0: "default" });
  expect(await listDays(app.ctx.db, table)).toEqual([]);
  expect(kept).toEqual([]);
});

test("no day is made that the table from before its days has; the next one is, and both are dropped", async () => {
  const table = await makeTable("with_first");
  const now = app.clock.now();
  const bound = addMs(now, 2 * DAY);
  await sql`
    create table ${sql.table(`${table.name}_until_${named(bound)}`)} partition of ${sql.table(table.name)}
      for values from (minvalue) to (${sql.lit(`${dayOf(bound)}T00:00:00Z`)})`.execute(app.ctx.db);

  await ensureDays(app.ctx, [table]);
  const made = await listDays(app.ctx.db, table);
  await insert(table, 1, now);
  await insert(table, 2, bound);
  const places = await placesOf(table);
  await dropOldDays(app.ctx, table, { before: addMs(bound, DAY) });

  expect(made.map(({ day, until }) => [day, until])).toEqual([
    [undefined, dayOf(bound)],
    [dayOf(bound), dayOf(addMs(bound, DAY))],
    [dayOf(addMs(bound, DAY)), dayOf(addMs(bound, 2 * DAY))],
  ]);
  expect(places).toEqual({ 1: `until_${named(bound)}`, 2: named(bound) });
  expect(await placesOf(table)).toEqual({});
});

test("days are made and dropped while transactions write to several tables in any order", async () => {
  const tables = [await makeTable("one"), await makeTable("two")];
  const { ctx } = app;
  const now = ctx.clock.now();
  for (const table of tables) {
    for (let day = 0; day < 12; day += 1) await insert(table, day, addMs(now, day * DAY));
  }
  let isOver = false;
  let written = 0;
  const write = async (order: readonly DayTable[], writer: number) => {
    for (let n = 0; !isOver; n += 1) {
      const at = addMs(now, (n % 12) * DAY);
      await ctx.db.transaction().execute(async (db) => {
        for (const { name } of order) {
          await sql`
            insert into ${sql.table(name)} values (${(writer + 1) * 1e6 + n}, ${ctx.environment.id}, false, ${at})`.execute(
            db,
          );
          await sql`update ${sql.table(name)} set open = true where id = ${(writer + 1) * 1e6 + n}`.execute(
            db,
          );
        }
      });
      await sql`update environments set name = name where id = ${ctx.environment.id}`.execute(
        ctx.db,
      );
      written += 1;
    }
  };
  const writers = [tables, tables.toReversed(), tables].map(write);

  for (let day = 0; day < 12; day += 1) {
    for (const table of tables) await createDays(ctx.db, table, [dayOf(addMs(now, day * DAY))]);
  }
  for (const table of tables) await dropOldDays(ctx, table, { before: addMs(now, 20 * DAY) });
  isOver = true;
  // A deadlock would have made one of them fail.
  await Promise.all(writers);

  expect(written).toBeGreaterThan(10);
  for (const table of tables) expect((await listDays(ctx.db, table)).length).toBeLessThan(12);
});
