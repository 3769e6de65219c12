import { expect, test } from "vitest";

test("no statement is sent", () => {
  expect(1 + 1).toBe(2);
});
