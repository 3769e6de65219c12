import { expect, test } from "vitest";
import * as z from "zod";
import { cpuMsOf } from "../../../../../tests/cpu-time.ts";
import { testRun } from "../testing/test-run.ts";
import { toLine } from "./record-lines.ts";
import { sampleFields } from "./sample-fields.ts";

const schemas = { models: { Contact: z.looseObject({ id: z.string() }) } };

function sample(records: readonly object[]) {
  const { run } = testRun({ schemas });
  const stored = records.map((fields, at) => ({ id: String(at), fields }));
  const found = sampleFields(run, "Contact", stored) ?? [];
  return Object.fromEntries(found.map(({ pointer, type, count }) => [`${pointer} ${type}`, count]));
}

test("a save carries the types of its fields, and nothing of what looks like data", async () => {
  const { svc, calls } = testRun({ schemas });

  await svc.batchSave(
    [
      {
        id: "1",
        name: "Ada",
        at: new Date(0),
        lines: [{ price: 1 }, { price: "2" }],
        gone: undefined,
      },
      { id: "2", name: null, byMail: { "ada@example.com": true } },
    ],
    "Contact",
  );

  const { fields } = Object(calls[0]?.params);
  expect(fields).toEqual([
    { pointer: "", type: "object", count: 2 },
    { pointer: "/id", type: "string", count: 2 },
    { pointer: "/name", type: "string", count: 1 },
    { pointer: "/name", type: "null", count: 1 },
    { pointer: "/at", type: "string", count: 1 },
    { pointer: "/lines", type: "array", count: 1 },
    { pointer: "/lines/*", type: "object", count: 2 },
    { pointer: "/lines/*/price", type: "number", count: 1 },
    { pointer: "/lines/*/price", type: "string", count: 1 },
    { pointer: "/byMail", type: "object", count: 1 },
    { pointer: "/byMail/*", type: "boolean", count: 1 },
  ]);
});

test("one of fifty records is looked at, at least 20 and at most 200", () => {
  const counts = [1, 20, 1000, 5000, 100_000].map(
    (count) => sample(Array.from({ length: count }, () => ({ id: "x" })))[" object"],
  );

  expect(counts).toEqual([1, 20, 20, 100, 200]);
});

test("hostile records end: circles, depth, thousands of names, getters that throw", () => {
  const circle: Record<string, unknown> = { id: "a" };
  circle["self"] = circle;
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, n]));
  const branching = (depth: number): object =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [String(n), depth === 0 ? 1 : branching(depth - 1)]),
    );
  const throwing = Object.defineProperty({ id: "t" }, "bad", {
    enumerable: true,
    get: () => {
      throw new RangeError("no");
    },
  });

  const found = sample([circle, wide, branching(3), throwing, JSON.parse('{"__proto__":{"a":1}}')]);

  const pointers = new Set(Object.keys(found).map((key) => key.split(" ")[0]));
  expect(pointers.size).toBeLessThanOrEqual(200);
  expect(Math.max(...[...pointers].map((each = "") => each.split("/").length - 1))).toBe(5);
});

test("a dry run takes no sample, and a run of single saves takes few after the first", () => {
  const { run } = testRun({ schemas, facts: { isDryRun: true } });
  const { run: long } = testRun({ schemas });
  const one = [{ id: "1", fields: { id: "1" } }];
  const taken = Array.from({ length: 2000 }, () => sampleFields(long, "Contact", one));

  expect(sampleFields(run, "Contact", one)).toBeUndefined();
  expect(taken.filter((each) => each !== undefined)).toHaveLength(290);
});

test("the sample costs less than a twentieth of writing the records as JSON", async () => {
  const records = Array.from({ length: 20_000 }, (_, n) => ({
    id: String(n),
    fields: { id: String(n), name: `row ${n}`, lines: [{ price: n }], text: "x".repeat(900) },
  }));
  const { run } = testRun({ schemas });
  const writes: number[] = [];
  const takes: number[] = [];
  // The least of several: what else the machine does adds to some of them.
  for (let round = 0; round < 5; round += 1) {
    writes.push(
      await cpuMsOf(() => {
        for (const record of records) toLine(record);
      }),
    );
    takes.push(
      await cpuMsOf(() => {
        for (let from = 0; from < records.length; from += 1000) {
          sampleFields(run, "Contact", records.slice(from, from + 1000));
        }
      }),
    );
  }

  expect(Math.min(...takes)).toBeLessThan(Math.min(...writes) / 20);
});
