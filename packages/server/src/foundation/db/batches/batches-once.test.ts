import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import type { Db } from "../owned-db.ts";
import { BatchesOnce } from "./batches-once.ts";
import { CountBuffer } from "./count-buffer.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await sql`create table sums (name text primary key, total int not null)`.execute(app.ctx.db);
});
afterAll(async () => await app[Symbol.asyncDispose]());

interface Row {
  readonly name: string;
  readonly total: number;
}

async function add(db: Db, rows: readonly Row[]): Promise<void> {
  for (const { name, total } of rows) {
    await sql`
      insert into sums (name, total) values (${name}, ${total})
      on conflict (name) do update set total = sums.total + excluded.total`.execute(db);
  }
}

const totalOf = async (name: string) => {
  const { rows } = await sql<Row>`select * from sums where name = ${name}`.execute(app.ctx.db);
  return rows[0]?.total;
};

/** A database that commits and then does not say so, as when the connection breaks at that moment. */
function losingAnswers(db: Db, times: number): Db {
  let left = times;
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== "transaction") return Reflect.get(target, name, target);
      return () => ({
        execute: async (work: (db: Db) => Promise<unknown>) => {
          const result = await target.transaction().execute(work);
          left -= 1;
          if (left >= 0) throw new Error("the connection was lost");
          return result;
        },
      });
    },
  });
}

test("a batch whose answer was lost is counted once, and what came meanwhile with it", async () => {
  const batches = new BatchesOnce<Row>(2);
  const db = losingAnswers(app.ctx.db, 2);
  const rows = Array.from({ length: 5 }, () => ({ name: "lost", total: 1 }));

  await expect(batches.write(db, () => rows, add)).rejects.toThrow("lost");
  await expect(batches.write(db, () => [], add)).rejects.toThrow("lost");
  await batches.write(db, () => [{ name: "lost", total: 10 }], add);

  expect(await totalOf("lost")).toBe(15);
});

test("a batch that was not written is written later", async () => {
  const batches = new BatchesOnce<Row>(100);
  const failing = async () => {
    throw new Error("the database is away");
  };

  await expect(
    batches.write(app.ctx.db, () => [{ name: "kept", total: 3 }], failing),
  ).rejects.toThrow("away");
  await batches.write(app.ctx.db, () => [], add);

  expect(await totalOf("kept")).toBe(3);
});

test("a buffer of counts adds none twice when the answer to its commit is lost", async () => {
  const buffer = new CountBuffer<Row>({
    log: app.ctx.log,
    keyOf: ({ name }) => name,
    add: (known, { name, total }) => ({ name, total: known.total + total }),
    write: add,
    delayed: "test.delayed",
  });
  const db = losingAnswers(app.ctx.db, 1);

  buffer.add(db, { name: "buffered", total: 4 });
  await buffer.flush();
  buffer.add(db, { name: "buffered", total: 1 });
  await buffer.flush();

  expect(await totalOf("buffered")).toBe(5);
});

test("a statement that notes its batch by itself gets the same batch again when its answer is lost", async () => {
  const batches = new BatchesOnce<Row>(100);
  const asked: string[] = [];
  const writeAtOnce = async (_db: Db, id: string, rows: readonly Row[]) => {
    asked.push(`${id} ${rows.map(({ name }) => name).join()}`);
    if (asked.length === 1) throw new Error("the connection was lost");
    return asked.length === 2;
  };
  const write = async (take: readonly Row[]) =>
    await batches.write(app.ctx.db, () => take, add, writeAtOnce);

  await expect(write([{ name: "first", total: 1 }])).rejects.toThrow("lost");
  await write([{ name: "second", total: 2 }]);

  expect(asked).toHaveLength(3);
  expect(asked[1]).toBe(asked[0]);
  // The first was written elsewhere; the second was left to a transaction.
  expect([await totalOf("first"), await totalOf("second")]).toEqual([undefined, 2]);
});

test("counts that are added to in place are written as they are then, within the room of their group", async () => {
  let lost = 0;
  const buffer = new CountBuffer<{ readonly name: string; total: number }>({
    log: app.ctx.log,
    keyOf: ({ name }) => name,
    add: (known) => known,
    write: add,
    group: { of: ({ name }) => name.charAt(0), mostWaiting: 1 },
    onLost: () => {
      lost += 1;
    },
    delayed: "sums.delayed",
  });
  const addOne = (name: string) => {
    const count = buffer.at(app.ctx.db, name, () => ({ name, total: 0 }));
    if (count !== undefined) count.total += 1;
  };

  for (const name of ["p1", "p1", "p2"]) addOne(name);
  await buffer.flush();
  addOne("p1");
  await buffer.flush();

  expect([await totalOf("p1"), await totalOf("p2"), lost]).toEqual([3, undefined, 1]);
});

test("a group has room for so many rows, what exceeds it is reported, and others have room", async () => {
  const lost: string[] = [];
  const buffer = new CountBuffer<Row>({
    log: app.ctx.log,
    keyOf: ({ name }) => name,
    add: (known, row) => ({ ...known, total: known.total + row.total }),
    write: add,
    group: { of: ({ name }) => name.charAt(0), mostWaiting: 2 },
    onLost: () => lost.push("one"),
    delayed: "sums.delayed",
  });
  const fill = () => {
    for (const name of ["x1", "x2", "x3", "x1", "y1"]) buffer.add(app.ctx.db, { name, total: 1 });
  };

  fill();
  await buffer.flush();
  fill();
  await buffer.flush();

  const totals = await Promise.all(["x1", "x2", "x3", "y1"].map(totalOf));
  expect(totals).toEqual([4, 2, undefined, 2]);
  expect(lost).toHaveLength(2);
});
