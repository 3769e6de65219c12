import { expect, test } from "vitest";
import { findSecondsOfOne } from "../scripts/checks/one-of-each.ts";

const path = "packages/server/src/syncs/x.ts";

test.each([
  "const waitMs = FIRST_MS * 2 ** failures;",
  "await Promise.race([work, late]);",
  "const timer = setTimeout(resolve, ms);",
  "const window = Math.floor(now.getTime() / MINUTE);",
  "interface Circuit { openUntil: number }",
  "const oldest = this.#known.keys().next().value;",
  "const [oldest] = known.keys();",
  'throw new AppError("invalid_cursor", "Start without one.");',
  "this.#worker = new Worker(entry);",
  "this.#timer ??= setTimeout(() => void this.#flush(), 1000).unref();",
])("a second one made by hand is found: %s", (text) => {
  expect(findSecondsOfOne(new Map([[path, text]]))).toHaveLength(1);
});

test("what only looks like one is fine, and so are tests", () => {
  const text =
    "const minute = Math.floor(ms / MINUTE) * MINUTE; const most = 2 ** 32; setTimeout(wake, ms);";

  expect(findSecondsOfOne(new Map([[path, text]]))).toEqual([]);
  const inTest = new Map([["packages/server/src/syncs/x.test.ts", "await Promise.race([a, b]);"]]);
  expect(findSecondsOfOne(inTest)).toEqual([]);
});
