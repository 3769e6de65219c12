import fc from "fast-check";
import { expect, test } from "vitest";
import { findMainList, readPointer, takeFitting } from "./cut-result.ts";
import { describeShape } from "./describe-shape.ts";
import { shortenResult } from "./present-result.ts";

const LIMIT_BYTES = 4000 * 3.6;

/** Values of any depth, some of them much longer than the limit. */
const long = fc.oneof(
  fc.string({ maxLength: 400, unit: "binary" }).map((text) => text.repeat(500)),
  fc.array(fc.jsonValue(), { maxLength: 8 }).map((items) => Array(300).fill(items).flat()),
  fc.dictionary(fc.string({ maxLength: 400 }), fc.jsonValue()).map((each) => ({
    ...each,
    rows: Array(300).fill(each),
  })),
  fc.jsonValue(),
);

test("the start of any result is within the limit, and says what there is", () => {
  const options = {
    handle: `res_${crypto.randomUUID()}`,
    more: "Call jackfield_read_result with this handle.",
  };

  fc.assert(
    fc.property(long, (value) => {
      const shown = JSON.stringify(shortenResult(value, options));
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(LIMIT_BYTES);
      expect(JSON.parse(shown)).toMatchObject({ handle: options.handle });
    }),
    { numRuns: 10_000 },
  );
}, 120_000);

test("shapes name what some items lack, and what is of several kinds", () => {
  expect(describeShape([{ id: 1, name: "a" }, { id: "2" }])).toBe(
    "{ id: number | string; name?: string }[]",
  );
  expect(describeShape({ "a b": null, list: [] })).toBe('{ "a b": null; list: unknown[] }');
  expect(describeShape([1, "a"])).toBe("(number | string)[]");
});

test("pointers read names with slashes and tildes, and own properties alone", () => {
  const value = { "a/b": [{ "c~d": 7 }] };

  expect(readPointer(value, "/a~1b/0/c~0d")).toBe(7);
  expect(readPointer(value, "/constructor")).toBeUndefined();
  expect(findMainList(value)?.path).toBe("/a~1b");
});

test("only whole items are taken", () => {
  expect(takeFitting(["aaaa", "bbbb", "c"], 16)).toEqual(["aaaa", "bbbb"]);
  expect(takeFitting(["a".repeat(100)], 50)).toEqual([]);
});
