import { expect, test } from "vitest";
import { fitsPattern } from "./pattern.ts";

test.each([
  ["^[a-z]+$", "acme", true],
  ["^[a-z]+$", "acme.evil", false],
  ["^[a-z]+$", "acme\n", false],
  ["[a-z]+|[0-9]+", "a1", false],
  ["^\\p{L}+$", "Ärzte", true],
  ["^.$", "😀", true],
])("%s of %j: %s", (pattern, text, fits) => {
  expect(fitsPattern(pattern, text)).toBe(fits);
});

test("a pattern that makes others count for ever is answered at once", () => {
  expect(fitsPattern("^(a+)+$", `${"a".repeat(5000)}!`)).toBe(false);
});
