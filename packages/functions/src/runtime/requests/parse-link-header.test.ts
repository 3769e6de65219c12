import { expect, test } from "vitest";
import { findLink } from "./parse-link-header.ts";
import { readPath } from "./read-path.ts";

test.each([
  ['<https://a.example/?p=2>; rel="next"', "https://a.example/?p=2"],
  ["<https://a.example/?p=2>; rel=next", "https://a.example/?p=2"],
  [
    '<https://a.example/?f=a,b;c&p=1>; rel="prev", </x?p=3>; title="a, <b>"; REL="last Next"',
    "/x?p=3",
  ],
  ['<https://a.example/>; rel="prev"', undefined],
  ["<https://a.example/", undefined],
  [undefined, undefined],
  [['<a>; rel="first"', '<b>; rel="next"'], "b"],
])("finds the next link of %j", (header, link) => {
  expect(findLink(header, "next")).toBe(link);
});

test("takes time in proportion to the header's length", () => {
  const hostile = (length: number) => `${'<a>;"'.repeat(length)}${"; rel =".repeat(length)}`;

  expect(findLink(hostile(100_000), "next")).toBeUndefined();
});

test.each([
  ["", { a: 1 }],
  ["a", 1],
  ["missing.b", undefined],
])("reads the path %j", (path, expected) => {
  expect(readPath({ a: 1 }, path)).toEqual(expected);
});

test("reads members through arrays, and those whose name holds dots", () => {
  const value = { "@odata.nextLink": "n", list: [{ id: 3 }], d: { "x.y": { z: 4 } } };

  expect(readPath(value, "@odata.nextLink")).toBe("n");
  expect(readPath(value, "list.0.id")).toBe(3);
  expect(readPath(value, "d.x.y.z")).toBe(4);
  expect(readPath(value, "constructor.name")).toBeUndefined();
});
