import { expect, test } from "vitest";
import {
  findHandMadePolling,
  findPollsOfHooks,
} from "../scripts/checks/of-tests/hand-made-polling.ts";

const loop = (late: string) =>
  `async function until(isSo) {\n  while (!(await isSo())) {\n    ${late}\n    await sleep(20);\n  }\n}`;

test("a loop of a test that sleeps until it is late is found, and only in tests", () => {
  const polling = loop('if (performance.now() > end) throw new Error("late");');
  const found = findHandMadePolling(
    new Map([
      ["tests/proxy/a.test.ts", polling],
      ["packages/server/src/tasks/b.test.ts", polling],
      ["packages/server/src/tasks/c.ts", polling],
      ["tests/outages/load.ts", loop("await call();")],
    ]),
  );

  expect(found).toEqual([
    "tests/proxy/a.test.ts:2: polls by hand; use expect.poll or vi.waitUntil",
    "packages/server/src/tasks/b.test.ts:2: polls by hand; use expect.poll or vi.waitUntil",
  ]);
});

test("expect.poll in a hook of a file is found, and no other", () => {
  const poll = "  await expect.poll(count).toBe(0);\n";
  const found = findPollsOfHooks(
    new Map([
      ["tests/proxy/a.test.ts", `afterAll(async () => {\n${poll}});`],
      [
        "tests/proxy/b.test.ts",
        `afterAll(async () => await end());\ntest("b", async () => {\n${poll}});`,
      ],
      ["tests/proxy/c.test.ts", `afterEach(async () => {\n${poll}});`],
    ]),
  );

  expect(found).toEqual([
    "tests/proxy/a.test.ts:1: polls with expect.poll outside of a test; use vi.waitUntil",
  ]);
});
