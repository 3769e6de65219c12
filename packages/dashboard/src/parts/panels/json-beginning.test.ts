import { expect, test } from "vitest";
import { jsonBeginning } from "./json-beginning.ts";

const samples = [
  null,
  'a\n"b"',
  0.5,
  [],
  {},
  [1, [2, { three: [null, undefined] }]],
  { a: { b: [] }, "c d": true, left: undefined, last: "é" },
];

test.each(samples)("%j is printed as JSON.stringify prints it", (value) => {
  expect(jsonBeginning(value, 10_000)).toBe(JSON.stringify(value, undefined, 2));
});

test("of a long value only the beginning is looked at", () => {
  let looked = 0;
  const rows = Array.from({ length: 100_000 }, (_, place) => ({
    get id() {
      looked += 1;
      return place;
    },
  }));

  const text = jsonBeginning(rows, 1000);

  expect(JSON.stringify(rows.slice(0, 100), undefined, 2).startsWith(text)).toBe(true);
  expect(text.length).toBeGreaterThanOrEqual(1000);
  expect(text.length).toBeLessThan(1100);
  expect(looked).toBeLessThan(400);
  expect(jsonBeginning("x".repeat(1_000_000), 1000).length).toBeLessThan(1100);
});

test("a value of any depth is printed", () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];

  expect(jsonBeginning(deep, 1_000_000)).toContain("…");
});
