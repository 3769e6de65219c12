import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTestContext } from "#foundation/testing";
import { RunTimer } from "./run-timer.ts";

test("saves that overlap count once, and other calls not at all", async () => {
  await using app = await createTestContext();
  const timer = new RunTimer(app.ctx, { queueMs: 7 });
  const since = performance.now();
  timer.begin({ waitMs: 1, startMs: 2, isCold: false });
  const wait = async () => await sleep(60);

  await Promise.all(
    ["batchSave", "batchUpdate", "batchDelete"].map((each) => timer.pass(each, wait)),
  );
  await timer.pass("log", async () => await sleep(120));
  const timing = timer.end(since);

  expect(timing).toMatchObject({ queueMs: 7, waitMs: 1, startMs: 2, saves: { count: 3 } });
  expect(timing.saves?.ms).toBeGreaterThan(50);
  expect(timing.saves?.ms).toBeLessThan((timing.functionMs ?? 0) - 100);
});

test("a save that failed has an end, too", async () => {
  await using app = await createTestContext();
  const timer = new RunTimer(app.ctx, {});
  const since = performance.now();
  timer.begin({ waitMs: 0, startMs: 0, isCold: true });

  const failing = timer.pass("batchSave", async () => {
    await sleep(20);
    throw new Error("refused");
  });
  await expect(failing).rejects.toThrow("refused");
  await sleep(200);

  expect(timer.end(since).saves?.ms).toBeLessThan(150);
});
