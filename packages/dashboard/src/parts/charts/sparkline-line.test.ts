import { expect, test } from "vitest";
import { lineOf } from "./sparkline-line.ts";

test("the line goes from the lowest to the highest value, and has gaps", () => {
  expect(lineOf([0, 4, null, 2])).toBe("M0.0 22.0h0L33.3 2.0M100.0 12.0h0");
  expect(lineOf([0, 0])).toBe("M0.0 22.0h0L100.0 22.0");
  expect(lineOf([])).toBe("");
});
