import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("a file for spreadsheets has a head, a line for each row, and no formula", () => {
  const text = toCsv(
    ["name", "count"],
    [
      ['a "b", c', 1],
      ["=1+1", null],
      ["two\nlines", -3],
    ],
  );

  expect(text).toBe('name,count\r\n"a ""b"", c",1\r\n\'=1+1,\r\n"two\nlines",-3\r\n');
});
