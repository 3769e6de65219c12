import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLogger } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { bindTasks, defineTask, enqueueTask, startWorkers } from "./index.ts";

const tasks = {
  remove: defineTask<{ of: string }>({ name: "remove", queue: "chores", maxAttempts: 3 }),
};

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("chores of one environment that continue and on leave slots to another's", async () => {
  const [greedy, other] = [await app.addEnvironment(), await app.addEnvironment()];
  const gate = Promise.withResolvers<void>();
  const started: string[] = [];
  const add = async (ctx: typeof greedy, of: string) =>
    await enqueueTask(ctx, tasks.remove, { of }, { environmentId: ctx.environment.id });
  for (let nth = 0; nth < 60; nth += 1) await add(greedy, "greedy");
  const workers = await startWorkers({
    connectionString: app.database.connectionString,
    pooled: false,
    log: createLogger("silent"),
    makeContext: (signal) => ({ ...app.ctx, signal }),
    tasks: bindTasks(tasks, {
      remove: async (_ctx, { of }) => {
        started.push(of);
        if (of === "greedy") await gate.promise;
      },
    }),
    due: [],
    daily: [],
  });
  onTestFinished(async () => await workers[Symbol.asyncDispose]());
  await expect.poll(() => started.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(8);

  await add(other, "other");
  await expect.poll(() => started, { timeout: 10_000 }).toContain("other");
  const held = started.filter((of) => of === "greedy").length;
  gate.resolve();
  await expect.poll(() => started.length, { timeout: 20_000 }).toBe(61);

  // Of 16 slots.
  expect(held).toBeLessThanOrEqual(12);
}, 60_000);
