import { expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "#foundation";
import { listRuns, listSyncRows, listWebhooks } from "./testing/index.ts";
import {
  app,
  ctx,
  deploy,
  pause,
  readStatus,
  runDue,
  start,
  trigger,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

// A name that does not resolve is a failure that time may mend.
const unreachable = `throw Object.assign(new Error("no answer"), { code: "ECONNREFUSED" });`;
const passing = `await svc.uncontrolledFetch({ url: new URL("http://127.0.0.1:1/") });`;

// No slot comes before the retries, regardless of where in the interval the grid begins.
const rarely = { runs: "every month" };

test("a slot whose failures pass by themselves is tried 4 times and reported once", async () => {
  await deploy(passing, rarely);
  await runDue();
  expect(await readStatus()).toMatchObject({ status: "ERROR" });

  const waits = [];
  while ((await listWebhooks(ctx)).length === 0) {
    const [sync] = await listSyncRows(ctx);
    const waitMs = (sync?.nextRunAt.getTime() ?? 0) - app.clock.now().getTime();
    waits.push(waitMs);
    app.clock.advance(waitMs);
    await runDue();
  }

  expect(waits).toEqual([10 * SECOND, MINUTE, 5 * MINUTE]);
  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(Array(4).fill("failed"));
  expect((await listSyncRows(ctx))[0]).toMatchObject({ consecutiveFailures: 1 });
});

test("what failed tries have saved is reported with the try that succeeds", async () => {
  const save = (id: string) => `await svc.batchSave([{ id: "${id}" }], "Contact");`;
  await deploy(save("1") + passing, rarely);
  const startedAt = app.clock.now();
  await runDue();
  app.clock.advance(10 * SECOND);
  await deploy(save("1") + save("2"), rarely);
  await runDue();

  expect(await listWebhooks(ctx)).toMatchObject([
    {
      success: true,
      modifiedAfter: startedAt.toISOString(),
      responseResults: { added: 2, updated: 0, deleted: 0 },
    },
  ]);
  expect((await listSyncRows(ctx))[0]?.lastSyncDate).toEqual(startedAt);
});

test("what runs that failed or were stopped have saved is reported with the next success", async () => {
  const save = (id: string) => `await svc.batchSave([{ id: "${id}" }], "Contact");`;
  await deploy(`${save("1")} throw new Error("mine");`, { runs: "every hour" });
  const startedAt = app.clock.now();
  await runDue();
  app.clock.advance(HOUR);
  await deploy(`${save("2")} await new Promise(() => {});`, { runs: "every hour" });
  const running = runDue();
  const count = async () => (await readStatus()).recordCount["Contact"];
  await expect.poll(count, { timeout: 10_000 }).toBe(2);
  await pause();
  await running;
  await start();
  await deploy(save("3"), { runs: "every hour" });
  app.clock.advance(HOUR);
  await runDue();

  const [failed, success] = await listWebhooks(ctx);
  expect(failed).toMatchObject({ success: false });
  expect(success).toMatchObject({
    success: true,
    modifiedAfter: startedAt.toISOString(),
    responseResults: { added: 3, updated: 0, deleted: 0 },
  });
  app.clock.advance(HOUR);
  await runDue();
  expect((await listWebhooks(ctx)).at(-1)).toMatchObject({
    modifiedAfter: app.clock.now().toISOString(),
    responseResults: { added: 0, updated: 0, deleted: 0 },
  });
});

test("a run that continues from a checkpoint counts as synced from the start of the one that left it", async () => {
  await deploy('await svc.saveCheckpoint({ page: 1 }); throw new Error("mine");');
  const brokeOffAt = app.clock.now();
  await runDue();
  app.clock.advance(HOUR);
  await deploy("await svc.clearCheckpoint();");
  await runDue();
  const [goneOn] = await listSyncRows(ctx);
  app.clock.advance(HOUR);
  await runDue();
  const [begunAnew] = await listSyncRows(ctx);

  expect(goneOn?.lastSyncDate).toEqual(brokeOffAt);
  expect(begunAnew?.lastSyncDate).toEqual(app.clock.now());
});

test("a failure of the function itself waits for its slot; the fifth in a row says so", async () => {
  await deploy(unreachable.replace("ECONNREFUSED", "E_OWN"), { runs: "every hour" });
  for (let slot = 0; slot < 5; slot += 1) {
    await runDue();
    const [sync] = await listSyncRows(ctx);
    app.clock.advance((sync?.nextRunAt.getTime() ?? 0) - app.clock.now().getTime());
  }

  const reported = (await listWebhooks(ctx)).map((webhook) => webhook["consecutive_failures"]);
  expect(reported).toEqual([undefined, undefined, undefined, undefined, 5]);
  expect(await readStatus()).toMatchObject({ status: "ERROR", consecutive_failures: 5 });
  expect((await readStatus()).nextScheduledSyncAt).not.toBeNull();
});

test("a trigger comes before a retry that waits", async () => {
  await deploy(passing, { runs: "every hour" });
  await runDue();

  await trigger();
  expect(await readStatus()).toMatchObject({ status: "RUNNING" });
  expect(await runDue()).toBe(1);

  expect(await listRuns(ctx)).toHaveLength(2);
});
