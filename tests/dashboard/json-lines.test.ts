import fc from "fast-check";
import { expect, test } from "vitest";
import { findLines } from "../../packages/dashboard/src/parts/json/find-lines.ts";
import {
  linesOfJson,
  linesOfText,
  type TextLine,
} from "../../packages/dashboard/src/parts/json/json-lines.ts";

/** The text that its lines are. */
function textOf(lines: Iterable<TextLine>): string {
  return [...lines].map(({ text, isBroken }) => (isBroken ? text : `${text}\n`)).join("");
}

test("lines are what JSON.stringify prints", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(textOf(linesOfJson(value))).toBe(`${JSON.stringify(value, undefined, 2)}\n`);
    }),
  );
  expect(textOf(linesOfJson({ a: undefined, b: [] }))).toBe('{\n  "b": []\n}\n');
});

test("a text keeps its lines, and each of a long line's parts has at most 2,000 characters", () => {
  const long = "a😀".repeat(100_000);
  const lines = [...linesOfText(`first\n${long}\n\nlast`)];

  expect(textOf(lines)).toBe(`first\n${long}\n\nlast\n`);
  expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThanOrEqual(2000);
  expect(lines.every(({ text }) => text.isWellFormed())).toBe(true);
  expect(textOf(linesOfJson({ long }))).toBe(`{\n  "long": "${long}"\n}\n`);
});

test("words are found in any case, and where a line is broken", async () => {
  const lines = [...linesOfText(`Ada\nGrace\n${"x".repeat(1998)}needle and ada`)];
  const find = async (words: string) => await findLines(lines, words, new AbortController().signal);

  expect(await find("ADA")).toEqual([0, 3]);
  expect(await find("needle")).toEqual([2]);
  expect(await find("nothing")).toEqual([]);
  expect(await find("")).toEqual([]);
  expect(await findLines(lines, "ada", AbortSignal.abort())).toBeUndefined();
});
