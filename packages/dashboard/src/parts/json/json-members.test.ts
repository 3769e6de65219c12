import { expect, test } from "vitest";
import { isNested, membersOf, openedFirst } from "./json-members.ts";

test("members have paths that no two of them share", () => {
  const { members } = membersOf({ "a/b": 1, a: { b: 2 }, "~": [3], none: undefined }, "/x");

  expect(members.map(({ path }) => path)).toEqual(["/x/a~1b", "/x/a", "/x/~0"]);
  expect(membersOf([4, 5], "").members).toEqual([
    { path: "/0", name: undefined, value: 4 },
    { path: "/1", name: undefined, value: 5 },
  ]);
});

test("what is long is counted instead of shown, and not opened", () => {
  const many = Array.from({ length: 1234 }, (_none, at) => ({ at }));

  expect(membersOf(many, "").left).toBe(1034);
  expect(openedFirst(many)).toEqual([]);
  expect(openedFirst({ many, few: { one: { two: 1 } } })).toEqual([]);
  expect(openedFirst({ few: { one: { two: 1 } }, empty: {} })).toEqual(["/few", "/few/one"]);
  expect(isNested([])).toBe(false);
});
