import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { DatabaseAway } from "../db/index.ts";
import { BatchWriter, RowsInOrder } from "./index.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

interface Row {
  readonly name: string;
}

/** A writer whose batches are noted, and fail where one of their rows is named so. */
function startWriter(options: { most?: number; splits?: boolean; error?: Error } = {}) {
  const batches: string[][] = [];
  const { most = 10, splits = true, error = new Error("refused") } = options;
  const writer = new BatchWriter<Row, string>({
    queue: new RowsInOrder(most),
    write: async (_ctx, rows) => {
      batches.push(rows.map(({ name }) => name));
      if (rows.some(({ name }) => name === "bad")) throw error;
      return ({ name }) => `stored ${name}`;
    },
    splits,
  });
  const write = async (...names: string[]) =>
    await Promise.allSettled(names.map(async (name) => await writer.write(app.ctx, { name })));
  return { batches, write };
}

test("what comes together is written together, at most so many at once, and each hears its own", async () => {
  const { batches, write } = startWriter({ most: 2 });

  const results = await write("a", "b", "c");
  const alone = await write("d");

  expect(batches).toEqual([["a", "b"], ["c"], ["d"]]);
  expect([...results, ...alone].map((it) => it.status === "fulfilled" && it.value)).toEqual([
    "stored a",
    "stored b",
    "stored c",
    "stored d",
  ]);
});

test("one that cannot be stored fails alone, where batches are split", async () => {
  const split = startWriter();
  const whole = startWriter({ splits: false });

  const one = await split.write("a", "bad", "c");
  const all = await whole.write("a", "bad", "c");

  expect(split.batches).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
  expect(one.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
});

test("while the database is away nothing is tried alone", async () => {
  const { batches, write } = startWriter({ error: new DatabaseAway({ didNotRun: true }) });

  await write("a", "bad", "c");

  expect(batches).toEqual([["a", "bad", "c"]]);
});
