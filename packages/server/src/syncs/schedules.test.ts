import { expect, test } from "vitest";
import { type ConnectionUuid, HOUR, MINUTE } from "#foundation";
import { deployedFunctionHandlers } from "#functions";
import { insertTestConnection } from "#functions/testing";
import { flushLogs } from "#logs";
import { claimDueSyncs, createSyncsOfConnection, deleteSyncsOfConnections } from "./index.ts";
import { listRuns, listSyncOperations, listSyncRows, listWebhooks } from "./testing/index.ts";
import {
  app,
  begun,
  connection,
  ctx,
  deploy,
  enterOtherEnvironment,
  integration,
  pause,
  readStatus,
  runDue,
  runQueued,
  setWebhooks,
  start,
  trigger,
  twoContacts,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

async function setEnabled(enabled: boolean): Promise<void> {
  const params = { uniqueKey: "crm", name: "contacts" };
  const body = { enabled };
  await deployedFunctionHandlers.updateFunction(ctx, {
    query: {},
    headers: undefined,
    params,
    body,
  });
}

test("a deployed sync runs at once, then on its grid; a second run finds its records unchanged", async () => {
  await deploy(twoContacts);

  expect(await runDue()).toBe(1);
  const [first] = await listSyncRows(ctx);
  const waitMs = (first?.nextRunAt.getTime() ?? 0) - ctx.clock.now().getTime();
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(5 * MINUTE);
  expect(await runDue()).toBe(0);
  app.clock.advance(waitMs);
  expect(await runDue()).toBe(1);

  const runs = await listRuns(ctx);
  expect(runs.map(({ state, result }) => [state, result["Contact"]])).toEqual([
    ["success", { added: 2, updated: 0, deleted: 0, unchanged: 0 }],
    ["success", { added: 0, updated: 0, deleted: 0, unchanged: 2 }],
  ]);
  const [again] = await listSyncRows(ctx);
  expect((again?.nextRunAt.getTime() ?? 0) - (first?.nextRunAt.getTime() ?? 0)).toBe(5 * MINUTE);
});

test("a run leaves its status, its operation and a webhook for each model that changed", async () => {
  await setWebhooks({ on_sync_completion_always: false });
  await deploy(`${twoContacts} await svc.saveCheckpoint({ page: 3 });`);
  const startedAt = app.clock.now().toISOString();

  await runDue();

  expect(await readStatus()).toEqual({
    id: expect.any(String),
    connection_id: "customer-1",
    name: "contacts",
    variant: "base",
    type: "INITIAL",
    status: "SUCCESS",
    frequency: "every 5 minutes",
    finishedAt: startedAt,
    nextScheduledSyncAt: expect.any(String),
    latestResult: { Contact: { added: 2, updated: 0, deleted: 0 } },
    latestExecutionStatus: "SUCCESS",
    recordCount: { Contact: 2 },
    checkpoint: { page: 3 },
  });
  expect(await listWebhooks(ctx)).toEqual([
    {
      from: "svc",
      type: "sync",
      connectionId: "customer-1",
      providerConfigKey: "crm",
      syncName: "contacts",
      syncVariant: "base",
      model: "Contact",
      syncType: "INITIAL",
      success: true,
      modifiedAfter: startedAt,
      queryTimeStamp: startedAt,
      responseResults: { added: 2, updated: 0, deleted: 0 },
      checkpoints: { from: null, to: { page: 3 } },
      sequence: 1,
    },
  ]);
  await flushLogs(ctx);
  expect(await listSyncOperations(ctx)).toMatchObject([
    { action: "init", state: "success" },
    { action: "run", state: "success", meta: { trigger: "schedule", attempts: 1 } },
  ]);

  await trigger();
  await runQueued();
  expect(await listWebhooks(ctx)).toHaveLength(1);
});

test("a function knows when its last successful run began", async () => {
  await deploy(`const name = String(svc.lastSyncDate?.toISOString());
    await svc.batchSave([{ id: name }], "Contact");`);
  const began = app.clock.now();
  await runDue();
  app.clock.advance(HOUR);
  await runDue();

  const [sync] = await listSyncRows(ctx);
  expect(sync?.lastSyncDate).toEqual(app.clock.now());
  const saved = await listRuns(ctx);
  expect(saved.map(({ result }) => result["Contact"]?.["added"])).toEqual([1, 1]);
  expect(began.getTime()).toBeLessThan(app.clock.now().getTime());
});

test("schedules made together spread over their interval", async () => {
  for (let number = 2; number <= 40; number += 1) {
    await insertTestConnection(ctx, integration, `customer-${number}`);
  }
  await deploy("", { runs: "every hour" });
  await claimDueSyncs(ctx);

  const rows = await listSyncRows(ctx);

  const slots = rows.map(({ nextRunAt }) => nextRunAt.getTime() - ctx.clock.now().getTime());
  expect(slots).toHaveLength(40);
  expect(slots.every((ms) => ms > 0 && ms <= HOUR)).toBe(true);
  const quarters = new Set(slots.map((ms) => Math.floor((ms - 1) / (HOUR / 4))));
  expect(quarters.size).toBe(4);
});

test("claims at the same time start one run", async () => {
  await deploy(twoContacts);

  const claims = await Promise.all(Array.from({ length: 5 }, () => claimDueSyncs(ctx)));

  expect(claims.reduce((total, { claimed }) => total + claimed, 0)).toBe(1);
  expect(await listRuns(ctx)).toHaveLength(1);
});

test("triggers during a run lead to one run after it", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  await Promise.all([trigger(), trigger(), trigger()]);
  expect(await readStatus()).toMatchObject({ status: "RUNNING" });

  expect(await runQueued()).toBe(2);

  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["success", "success"]);
  expect(await readStatus()).toMatchObject({ status: "SUCCESS", type: "INCREMENTAL" });
});

test("a sync without autoStart waits to be started, and a trigger runs it once", async () => {
  await deploy(twoContacts, { auto_start: false });

  expect(await runDue()).toBe(0);
  await trigger({ syncs: [{ name: "contacts", variant: "base" }] });
  expect(await runQueued()).toBe(1);
  expect(await readStatus()).toMatchObject({ status: "PAUSED", nextScheduledSyncAt: null });
  app.clock.advance(HOUR);
  expect(await runDue()).toBe(0);
  await start();
  expect(await runDue()).toBe(1);
});

test("pausing cancels the run in progress and takes the sync off its schedule", async () => {
  await deploy("for (;;) await new Promise((resolve) => setTimeout(resolve, 20));");
  await claimDueSyncs(ctx);
  const running = runQueued();
  await begun();

  await pause();
  await running;

  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["cancelled"]);
  expect(await readStatus()).toMatchObject({ status: "PAUSED", latestExecutionStatus: "STOPPED" });
  expect(await listWebhooks(ctx)).toEqual([]);
  app.clock.advance(HOUR);
  expect(await runDue()).toBe(0);
  await flushLogs(ctx);
  expect(await listSyncOperations(ctx)).toContainEqual(
    expect.objectContaining({ action: "run", state: "cancelled" }),
  );
});

test("a disabled sync keeps its schedule, and its slots and triggers pass without a run", async () => {
  await deploy(twoContacts);
  await runDue();
  await setEnabled(false);
  app.clock.advance(HOUR);
  const whileDisabled = [await runDue(), await readStatus()];
  await trigger();
  const triggered = await runDue();
  await setEnabled(true);
  const enabled = await readStatus();
  app.clock.advance(HOUR);

  expect(whileDisabled).toMatchObject([
    0,
    { status: "PAUSED", latestExecutionStatus: "SUCCESS", nextScheduledSyncAt: null },
  ]);
  expect(triggered).toBe(0);
  expect(enabled).toMatchObject({ status: "SUCCESS", nextScheduledSyncAt: expect.any(String) });
  expect(await runDue()).toBe(1);
  expect(await listRuns(ctx)).toMatchObject([{ state: "success" }, { state: "success" }]);
});

test("a failure is stored and reported once, and the schedule continues", async () => {
  await deploy(`await svc.batchSave([{ id: "1" }], "Contact"); throw new Error("no such page");`);

  await runDue();

  const [run] = await listRuns(ctx);
  expect(run).toMatchObject({ state: "failed", error: { message: "no such page" } });
  expect(await readStatus()).toMatchObject({
    status: "ERROR",
    latestExecutionStatus: "STOPPED",
    nextScheduledSyncAt: expect.any(String),
    recordCount: { Contact: 1 },
  });
  const [sync] = await listSyncRows(ctx);
  expect(sync).toMatchObject({ consecutiveFailures: 1, runningRunId: null, lastSyncDate: null });
  expect(await listWebhooks(ctx)).toMatchObject([
    {
      success: false,
      model: "Contact",
      error: { type: "script_error", description: "no such page" },
      startedAt: app.clock.now().toISOString(),
      failedAt: app.clock.now().toISOString(),
    },
  ]);
  await setWebhooks({ on_sync_error: false });
  app.clock.advance(HOUR);
  await runDue();
  expect(await listWebhooks(ctx)).toHaveLength(1);
  expect((await listSyncRows(ctx))[0]).toMatchObject({ consecutiveFailures: 2 });
});

test("a deployment moves schedules to a new interval and removes those of a removed sync", async () => {
  await deploy(twoContacts);
  await runDue();
  await deploy(twoContacts, { runs: "every hour" });

  const [moved] = await listSyncRows(ctx);
  expect(moved?.intervalMs).toBe(HOUR);
  const waitMs = (moved?.nextRunAt.getTime() ?? 0) - ctx.clock.now().getTime();
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(HOUR);

  await deploy(twoContacts, { syncName: "others" });
  expect(await listSyncRows(ctx)).toHaveLength(1);
  expect(await readStatus()).toMatchObject({ name: "others" });
});

test("a connection brings its syncs, and takes them along when it goes", async () => {
  await deploy(twoContacts);
  const other = await insertTestConnection(ctx, integration, "customer-2");
  const reported = { connection: asConnection(other), integration: asIntegration() };
  const created = { ...reported, operation: "creation", environment: ctx.environment } as const;
  const leaving = { connections: [asConnection(other)], integration: asIntegration() };

  await createSyncsOfConnection(ctx, created);
  await createSyncsOfConnection(ctx, created);
  expect(await listSyncRows(ctx)).toHaveLength(2);
  await claimDueSyncs(ctx);
  await deleteSyncsOfConnections(ctx, leaving);
  await runQueued();

  expect((await listSyncRows(ctx)).map((row) => row.connectionUuid)).toEqual([connection.uuid]);
  const states = (await listRuns(ctx)).map(({ state }) => state);
  expect(states.toSorted()).toEqual(["cancelled", "success"]);
});

// The hooks' answers read the ids and the key, which is all that these rows have.
function asConnection(row: { uuid: ConnectionUuid }) {
  return row as Parameters<typeof createSyncsOfConnection>[1]["connection"];
}

function asIntegration() {
  return integration as Parameters<typeof createSyncsOfConnection>[1]["integration"];
}

test("calls that name what is not there, or mix old and new options, are refused", async () => {
  await deploy(twoContacts);

  const unknown = { syncs: [{ name: "others", variant: "base" }] };
  await expect(trigger(unknown)).rejects.toMatchObject({ code: "no_syncs_found" });
  const variant = { syncs: [{ name: "contacts", variant: "eu" }] };
  await expect(trigger(variant)).rejects.toMatchObject({ code: "no_syncs_found" });
  const elsewhere = { provider_config_key: "none" };
  await expect(trigger(elsewhere)).rejects.toMatchObject({ code: "unknown_provider_config" });
  const nobody = { connection_id: "nobody" };
  await expect(trigger(nobody)).rejects.toMatchObject({ code: "unknown_connection" });
  const mixed = { sync_mode: "incremental", opts: { reset: true, emptyCache: false } } as const;
  await expect(trigger(mixed)).rejects.toMatchObject({ code: "invalid_body" });
  await enterOtherEnvironment();
  await expect(trigger()).rejects.toMatchObject({ code: "unknown_provider_config" });
});

test("50 triggers and the schedule at once lead to one run and one that follows (J6)", async () => {
  await deploy(twoContacts);
  const triggers = Array.from({ length: 50 }, async () => await trigger());
  const claims = Array.from({ length: 5 }, async () => await claimDueSyncs(ctx));

  await Promise.all([...triggers, ...claims]);
  await claimDueSyncs(ctx);

  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["waiting"]);
  expect(await runQueued()).toBeLessThanOrEqual(2);
  expect(await runQueued()).toBe(0);
});
