import { expect, test } from "vitest";
import { topPlace } from "./top-place.ts";

test.each([
  ["Error: no\n    at run (crm/syncs/deals.ts:12:5)\n    at x (a.ts:1:1)", "crm/syncs/deals.ts:12"],
  ["TypeError: x\nat async Object.run (crm/a.ts:3:4)", "crm/a.ts:3"],
  ["TypeError: x\n    at crm/a.ts:3:4", "crm/a.ts:3"],
  ["Error: x\n    at JSON.parse (<anonymous>)\n    at run (crm/a.ts:9:1)", "crm/a.ts:9"],
  ["Error: x\n    at f (node:internal/fs:1:2)\n    at run (crm/a.ts:9:1)", "crm/a.ts:9"],
  ["Error: at nothing", ""],
  [undefined, ""],
])("the first frame in a file of %j is %j", (stack, place) => {
  expect(topPlace(stack)).toBe(place);
});

test("a forged frame is cut, and takes no longer than others", () => {
  expect(topPlace(`at ${"(".repeat(20_000)}:1:1`)).toBe("");
  expect(topPlace(`at ${"x".repeat(5000)}.ts:1:1`)).toHaveLength(200);
});
