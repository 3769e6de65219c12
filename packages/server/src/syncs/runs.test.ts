import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { HOUR, newTimeId, type OperationId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { countRecords, recordRuntime } from "#records";
import type { RunIdentity } from "#slice";
import { openEgress } from "#slice/testing";
import { deleteCheckpointsOf } from "./checkpoints/store.ts";
import { claimDueSyncs, runSync, syncRuntime } from "./index.ts";
import { beginRun } from "./runs/begin-run.ts";
import { endRun } from "./runs/end-run.ts";
import { deleteSyncs } from "./schedule/create-syncs.ts";
import { forgetOldRuns, sweepRuns } from "./sweeping/sweep-runs.ts";
import {
  hasCheckpoints,
  listRuns,
  listSyncRows,
  listWebhooks,
  markConnectionDeleted,
  takeJobs,
} from "./testing/index.ts";
import {
  app,
  connection,
  ctx,
  deploy,
  readStatus,
  runDue,
  runQueued,
  trigger,
  twoContacts,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

const countingPages = `
  const { page = 0 } = (await svc.getCheckpoint()) ?? {};
  await svc.batchSave([{ id: "page-" + page }], "Contact");
  await svc.saveCheckpoint({ page: page + 1 });`;

test("a trigger continues from the checkpoint, a reset starts over, emptyCache drops the records", async () => {
  await deploy(countingPages);
  await runDue();
  await trigger();
  await runQueued();
  expect(await readStatus()).toMatchObject({
    checkpoint: { page: 2 },
    recordCount: { Contact: 2 },
  });

  await trigger({ opts: { reset: true, emptyCache: false } });
  await runQueued();
  expect(await readStatus()).toMatchObject({
    checkpoint: { page: 1 },
    recordCount: { Contact: 2 },
    type: "INITIAL",
  });

  await trigger({ sync_mode: "full_refresh_and_clear_cache" });
  await runQueued();
  expect(await readStatus()).toMatchObject({
    checkpoint: { page: 1 },
    recordCount: { Contact: 1 },
  });
});

test("a reset stops the run in progress and runs again after it", async () => {
  await deploy(`
    if (svc.lastSyncDate === undefined && (await svc.getCheckpoint()) === null) {
      await svc.saveCheckpoint({ started: true });
      for (;;) await new Promise((resolve) => setTimeout(resolve, 20));
    }`);
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("no run was queued");
  const running = runSync(ctx, job);
  await expect.poll(async () => (await readStatus()).checkpoint, { interval: 2 }).not.toBeNull();

  await trigger({ opts: { reset: true, emptyCache: true } });
  await running;

  expect(await readStatus()).toMatchObject({ status: "RUNNING", checkpoint: null });
  await claimDueSyncs(ctx);
  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["cancelled", "waiting"]);
});

test("what an attempt writes after another has taken its run over is refused", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("no run was queued");
  const old = await beginRun(ctx, job.runId);
  const current = await beginRun(ctx, job.runId);
  if (old === undefined || current === undefined) throw new Error("the run did not begin");
  expect(current.run.fence).toBeGreaterThan(old.run.fence);

  const call = (fence: number) => ({
    run: identityOf(old.run.id, old.run.functionId, fence),
    params: { model: "Contact", ids: ["1"] },
    body: Buffer.from('{"id":"1"}'),
  });
  const refused = { error: { type: "script_aborted" } };
  await expect(recordRuntime.batchSave(ctx, call(old.run.fence))).rejects.toMatchObject(refused);
  await expect(recordRuntime.batchDelete(ctx, call(old.run.fence))).rejects.toMatchObject(refused);
  const checkpoint = { ...call(old.run.fence), params: { checkpoint: { page: 1 } } };
  await expect(syncRuntime.saveCheckpoint(ctx, checkpoint)).rejects.toMatchObject(refused);
  await endRun(ctx, { lease: old, subject: undefined, outcome: { kind: "success" } });

  expect(await recordRuntime.batchSave(ctx, call(current.run.fence))).toMatchObject({
    value: { added: 1 },
  });
  expect(await listRuns(ctx)).toMatchObject([{ state: "running", attempts: 2 }]);
});

function identityOf(
  runId: RunIdentity["runId"],
  functionId: number,
  fence: number | undefined,
): RunIdentity {
  return {
    runId,
    operationId: newTimeId<OperationId>(new Date()),
    functionId,
    kind: fence === undefined ? "action" : "sync",
    connection: connection.uuid,
    integration: "crm",
    variant: "base",
    models: ["Contact"],
    egress: openEgress,
    fence,
  };
}

test("an action saves no checkpoint for a connection that is deleted meanwhile", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  const begun = job && (await beginRun(ctx, job.runId));
  if (begun === undefined) throw new Error("no run was queued");
  const run = identityOf(begun.run.id, begun.run.functionId, undefined);
  const body = Buffer.alloc(0);
  const save = async () =>
    await syncRuntime.saveCheckpoint(ctx, { run, body, params: { checkpoint: { page: 1 } } });
  await save();

  const { saving } = await withTransaction(ctx, async (ctx) => {
    await markConnectionDeleted(ctx, connection.uuid);
    await deleteCheckpointsOf(ctx.db, ctx.environment.id, [connection.uuid]);
    const saving = save().catch((error: unknown) => error);
    await Promise.race([saving, setTimeout(200)]);
    return { saving };
  });

  expect(await saving).toMatchObject({ error: { type: "script_aborted" } });
  expect(await hasCheckpoints(ctx)).toBe(false);
});

test("a run whose worker stops continues elsewhere from its checkpoint", async () => {
  await deploy(`
    const { page = 0 } = (await svc.getCheckpoint()) ?? {};
    await svc.batchSave([{ id: "page-" + page }], "Contact");
    await svc.saveCheckpoint({ page: page + 1 });
    while (page === 0) await new Promise((resolve) => setTimeout(resolve, 20));`);
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("no run was queued");
  const stopping = new AbortController();
  const running = runSync({ ...ctx, signal: stopping.signal }, job);
  await expect.poll(async () => (await readStatus()).checkpoint, { interval: 2 }).not.toBeNull();
  stopping.abort();
  await running;
  expect(await listRuns(ctx)).toMatchObject([{ state: "waiting", attempts: 0 }]);

  expect(await runQueued()).toBe(1);

  expect(await listRuns(ctx)).toMatchObject([
    { state: "success", attempts: 1, result: { Contact: { added: 2 } } },
  ]);
});

test("a run whose worker dies again and again ends as failed", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("no run was queued");
  for (let death = 0; death < 5; death += 1) await beginRun(ctx, job.runId);

  await runSync(ctx, job);
  await runSync(ctx, job);

  expect(await listRuns(ctx)).toMatchObject([
    { state: "failed", error: { type: "function_runtime_other" } },
  ]);
  expect(await listWebhooks(ctx)).toHaveLength(1);
});

test("a run that pauses itself continues at once, and the date of the last sync is its first start", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  const lease = job && (await beginRun(ctx, job.runId));
  if (lease === undefined) throw new Error("the run did not begin");
  const firstStart = app.clock.now();
  app.clock.advance(HOUR);

  await endRun(ctx, { lease, subject: undefined, outcome: { kind: "interrupted" } });

  expect((await listSyncRows(ctx))[0]?.lastSyncDate).toBeNull();
  expect(await runQueued()).toBe(1);
  expect((await listSyncRows(ctx))[0]?.lastSyncDate).toEqual(firstStart);
});

test("runs of an action that share a checkpoint do not overwrite each other", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  const [run] = await listRuns(ctx);
  const job = run && (await beginRun(ctx, run.id));
  if (job === undefined) throw new Error("the run did not begin");
  const { id, functionId } = job.run;
  const [one, two] = [identityOf(id, functionId, undefined), identityOf(id, functionId, undefined)];
  const body = Buffer.alloc(0);
  const save = async (identity: RunIdentity, page: number) =>
    await syncRuntime.saveCheckpoint(ctx, {
      run: identity,
      params: { checkpoint: { page } },
      body,
    });
  const read = async (identity: RunIdentity) =>
    (await syncRuntime.getCheckpoint(ctx, { run: identity, params: {}, body })).value;

  expect(await read(one)).toBeNull();
  expect(await read(two)).toBeNull();
  await save(one, 1);
  await expect(save(two, 2)).rejects.toMatchObject({ code: "checkpoint_conflict" });
  expect(await read(two)).toEqual({ page: 1 });
  await save(two, 3);
  await syncRuntime.clearCheckpoint(ctx, { run: two, params: {}, body });
  await expect(save(one, 4)).rejects.toMatchObject({ code: "checkpoint_conflict" });
  expect(await read(one)).toBeNull();
});

test("a model that the sync does not declare is refused", async () => {
  await deploy(`await svc.batchSave([{ id: "1" }], "Other");`);

  await runDue();

  expect(await listRuns(ctx)).toMatchObject([{ state: "failed" }]);
  expect(await countRecords(ctx, { connections: [connection.uuid] })).toEqual([]);
});

test("old runs are forgotten but for the latest of each sync, and deleted syncs with all of theirs", async () => {
  await deploy(twoContacts);
  await runDue();
  app.clock.advance(HOUR);
  await runDue();
  app.clock.advance(8 * 24 * HOUR);
  const both = await listRuns(ctx);

  await forgetOldRuns(ctx);
  const latest = await listRuns(ctx);
  await deleteSyncs(ctx, { connections: [connection.uuid] });
  await forgetOldRuns(ctx);
  const gone = await listRuns(ctx);
  app.clock.advance(8 * 24 * HOUR);
  await forgetOldRuns(ctx);

  expect(latest).toEqual(both.slice(1));
  expect(gone).toEqual([]);
  const { rows } =
    await sql`select 1 from syncs where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  expect(rows).toEqual([]);
});

test("a run that the queue has lost is queued again, and a lease without a run is given back", async () => {
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  await takeJobs(ctx);

  await sweepRuns(ctx);
  await sweepRuns(ctx);
  expect(await runQueued()).toBe(1);
  await sql`update syncs set running_run_id = ${randomUUID()}
    where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await sweepRuns(ctx);
  app.clock.advance(HOUR);

  expect(await runDue()).toBe(1);
  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["success", "success"]);
});
