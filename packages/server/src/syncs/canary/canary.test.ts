import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { environments } from "#environments";
import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  on,
} from "#foundation";
import {
  canaryRolledBack,
  canaryStarted,
  deployFunctions,
  functions,
  functionsDeployed,
} from "#functions";
import {
  checkCanaries,
  insertTestConnection,
  insertTestIntegration,
  promoteByHand,
  readCanary,
  rollBackByHand,
  startTestCanary,
} from "#functions/testing";
import { records, recordsChanged } from "#records";
import { createKeyedWork } from "#tasks";
import { type TestApp, testApp } from "#testing";
import {
  claimDueSyncs,
  countChanges,
  countRunsBefore,
  createSyncsOfFunctions,
  runSync,
  runWebhookHandlers,
  syncTaskHandlers,
  takeBackCanary,
  webhookLimits,
} from "../index.ts";
import { syncs } from "../slice.ts";
import {
  listWebhooks,
  readState,
  saveWebhookSettings,
  takeJobs,
  takeUndoings,
} from "../testing/store.ts";
import { newSyncUpload } from "../testing/sync-upload.ts";
import { undoCanary } from "./undo-canary.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let integration: Awaited<ReturnType<typeof insertTestIntegration>>;
let all: ConnectionUuid[];

beforeAll(async () => {
  app = await testApp({
    slices: [environments, functions, records, syncs],
    runsFunctions: true,
    hooks: [
      on(functionsDeployed, createSyncsOfFunctions),
      on(canaryStarted, countRunsBefore),
      on(canaryRolledBack, takeBackCanary),
      on(recordsChanged, countChanges),
    ],
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());

const good = `
  await svc.batchSave([{ id: "1", name: "a" }, { id: "2", name: "b" }], "Contact");
  await svc.saveCheckpoint({ page: 1 });`;
const better = good.replaceAll('name: "a"', 'name: "A"');
/** Writes another model, a record that there is not, and a checkpoint in another format; and fails. */
const bad = `
  await svc.batchSave([{ id: "1", name: "wrong" }, { id: "made-up", name: "x" }], "Contact");
  await svc.batchSave([{ id: "d1", name: "x" }], "Deal");
  await svc.saveCheckpoint({ cursor: "of the new format" });
  throw new Error("broken");`;
const twoModels = {
  models: ["Contact", "Deal"],
  models_json_schema: { definitions: { Contact: { type: "object" }, Deal: { type: "object" } } },
};

function withDeals(upload: ReturnType<typeof newSyncUpload>) {
  const flowConfigs = upload.flowConfigs.map((flow) => {
    const js = flow.fileBody.js.replace("models: {", "models: { Deal: any,");
    return { ...flow, fileBody: { ...flow.fileBody, js } };
  });
  return { ...upload, flowConfigs };
}

beforeEach(async () => {
  ctx = await app.addEnvironment();
  await saveWebhookSettings(ctx, { primary_url: "http://127.0.0.1:9/hook" });
  integration = await insertTestIntegration(ctx, "crm");
  all = [];
  for (let n = 0; n < 8; n += 1) {
    all.push((await insertTestConnection(ctx, integration, `customer-${n}`)).uuid);
  }
  await deployFunctions(ctx, newSyncUpload(good));
  await runAll();
});

/** Lets every schedule run once. */
async function runAll(): Promise<void> {
  app.clock.advance(HOUR);
  await claimDueSyncs(ctx);
  for (const job of await takeJobs(ctx)) await runSync(ctx, job);
}

async function chosenOf(id: string): Promise<ConnectionUuid[]> {
  const { rows } = await sql<{ connectionUuid: ConnectionUuid }>`
    select connection_uuid from canary_connections where canary_id = ${id}`.execute(ctx.db);
  return rows.map(({ connectionUuid }) => connectionUuid);
}

async function start(body: string, change: Parameters<typeof newSyncUpload>[1] = {}) {
  const upload = withDeals(newSyncUpload(body, change));
  const canary = await startTestCanary(ctx, upload, { connections: { percent: 25 } });
  const chosen = await chosenOf(canary.id);
  return { canary, chosen, others: all.filter((uuid) => !chosen.includes(uuid)) };
}

async function undo(): Promise<void> {
  for (const payload of await takeUndoings(ctx)) await undoCanary(ctx, payload);
}

const contacts = ["Contact 1", "Contact 2"];

test("a bad version is rolled back by itself, and what it left behind is taken back", async () => {
  const { canary, chosen, others } = await start(bad, twoModels);
  await runAll();
  const during = await readState(ctx, others);
  const spoilt = await readState(ctx, chosen);
  await runAll();
  await checkCanaries(ctx);
  // 4 failures of 4 may still be chance, as far as 20 runs of the old version say.
  const doubtful = await readCanary(ctx, canary.id);
  await runAll();
  await checkCanaries(ctx);
  const schedules = (await readState(ctx, others)).schedules;
  await undo();
  const after = await readState(ctx, others);
  const undone = await readState(ctx, chosen);
  await claimDueSyncs(ctx);
  for (const job of await takeJobs(ctx)) await runSync(ctx, job);
  const restored = await readState(ctx, chosen);
  const ended = await readCanary(ctx, canary.id);

  expect(doubtful).toMatchObject({ state: "running", verdict: "unclear" });
  expect(chosen).toHaveLength(2);
  expect(spoilt.records).toEqual(expect.arrayContaining(["Contact made-up", "Deal d1"]));
  // Others never ran it, and the rollback leaves them alone.
  for (const state of [during, after]) {
    expect(new Set(state.records)).toEqual(new Set(contacts));
    expect(JSON.stringify(state.checkpoints)).not.toContain("new format");
  }
  expect(after.schedules).toEqual(schedules);
  expect(ended).toMatchObject({
    state: "rolled_back",
    by_itself: true,
    functions: [{ verdict: "worse", canary: { runs: 6, failures: 6 }, outside: { failures: 0 } }],
  });
  expect(ended.message).toContain(
    "crm/contacts is worse than the deployed version: 6 of 6 runs failed",
  );
  // The made-up record is marked as deleted, the new model is gone, and a full run corrects the rest.
  expect(undone.records.filter((record) => record.startsWith("Deal"))).toEqual([]);
  expect(undone.checkpoints).toEqual([]);
  expect(restored.records).toEqual([
    "Contact 1",
    "Contact 2",
    "Contact made-up deleted",
    ...contacts,
    "Contact made-up deleted",
  ]);
  expect(restored.checkpoints).toMatchObject([
    { checkpoint: { page: 1 } },
    { checkpoint: { page: 1 } },
  ]);
  expect((await listWebhooks(ctx)).filter(({ type }) => type === "canary")).toMatchObject([
    { operation: "rolled_back", canary: { id: canary.id, by_itself: true } },
  ]);
});

test("a good version is promoted for all after its time, and not before", async () => {
  const { canary, chosen, others } = await start(better);
  for (let round = 0; round < 5; round += 1) {
    await runAll();
    if (round === 0) {
      app.clock.advance(-MINUTE * 59);
      await checkCanaries(ctx);
      expect((await readCanary(ctx, canary.id)).state).toBe("running");
      app.clock.advance(MINUTE * 59);
    }
  }
  const before = await readCanary(ctx, canary.id);
  await checkCanaries(ctx);
  const ended = await readCanary(ctx, canary.id);
  await runAll();

  expect([chosen.length, others.length]).toEqual([2, 6]);
  expect(before.functions[0]?.canary).toMatchObject({ runs: 10, failures: 0, synced_runs: 10 });
  expect(ended).toMatchObject({ state: "promoted", by_itself: true, runs: 10 });
  const { rows } = await sql`
    select d.way, f.version from deployments d, functions f
     where d.id = ${ended.deployment_id} and f.environment_id = d.environment_id and f.deleted_at is null`.execute(
    ctx.db,
  );
  expect(rows).toEqual([{ way: "canary", version: "2" }]);
});

test("a webhook runs the version of its connection, whose old checkpoint returns with the rollback", async () => {
  const handler = (version: string) => {
    const any =
      "{ safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) }";
    const js = `module.exports.default = { type: "sync", models: { Contact: ${any} }, exec: async () => {},
      onWebhook: async (svc) => {
        await svc.batchSave([{ id: "of ${version}" }], "Contact");
        await svc.saveCheckpoint({ version: "${version}" });
      } };`;
    const change = { fileBody: { js, ts: js }, webhookSubscriptions: ["*"], auto_start: false };
    return newSyncUpload("", change);
  };
  await deployFunctions(ctx, handler("old"));
  await send();
  const canary = await startTestCanary(ctx, handler("new"), { connections: { percent: 25 } });
  const chosen = await chosenOf(canary.id);
  const others = all.filter((uuid) => !chosen.includes(uuid));
  await send();
  const during = await readState(ctx, chosen);
  const untouched = await readState(ctx, others);
  const counted = await readCanary(ctx, canary.id);
  await rollBackByHand(ctx, canary.id);
  await undo();
  const after = await readState(ctx, chosen);
  await send();

  expect(during.records).toEqual(expect.arrayContaining(["Contact of new", "Contact of old"]));
  expect(JSON.stringify(during.checkpoints)).toContain("new");
  expect(JSON.stringify(untouched)).not.toContain("of new");
  expect(counted.functions[0]).toMatchObject({ canary: { runs: 2 }, outside: { runs: 6 } });
  expect(JSON.stringify(after.checkpoints)).not.toContain("new");
  expect(after.records).toContain("Contact of new deleted");
  expect((await readState(ctx, chosen)).checkpoints).toMatchObject([
    { checkpoint: { version: "old" } },
    { checkpoint: { version: "old" } },
  ]);
});

/** One webhook for each connection, which its handler has dealt with. */
async function send(): Promise<void> {
  const payload = Buffer.from("{}");
  await runWebhookHandlers(ctx, { integration, connections: all, types: ["changed"], payload });
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const attempt = { number: 1, isLast: false };
  for (const job of await takeJobs(ctx)) await syncTaskHandlers.webhook(ctx, job, attempt);
}

test("few runs do not promote; after 7 days the version goes", async () => {
  const { canary } = await start(better);
  await runAll();
  await runAll();
  await checkCanaries(ctx);
  const waiting = await readCanary(ctx, canary.id);
  app.clock.advance(7 * DAY);
  await checkCanaries(ctx);

  expect(waiting).toMatchObject({ state: "running", runs: 4 });
  expect(waiting.message).toContain("after 10 runs of the new version; there were 4");
  expect(await readCanary(ctx, canary.id)).toMatchObject({
    state: "rolled_back",
    message: "After 7 days the new version had run only 4 times.",
  });
});

test("nothing else is deployed or started meanwhile, and an end holds", async () => {
  const { canary } = await start(better);

  await expect(deployFunctions(ctx, newSyncUpload(bad))).rejects.toMatchObject({
    code: "canary_running",
  });
  await expect(start(bad)).rejects.toMatchObject({ code: "canary_running" });
  await rollBackByHand(ctx, canary.id);
  await expect(promoteByHand(ctx, canary.id)).rejects.toMatchObject({ code: "canary_ended" });
  await deployFunctions(ctx, newSyncUpload(better));
});

test("a version that changed no record leaves checkpoint and date as they were", async () => {
  const idle = `await svc.saveCheckpoint({ cursor: "of the new format" });`;
  const { canary, chosen } = await start(idle);
  const before = await readState(ctx, chosen);
  const dateOf = async () =>
    (
      await sql`select last_sync_date from syncs where connection_uuid = ${chosen[0]}`.execute(
        ctx.db,
      )
    ).rows;
  const date = await dateOf();
  await runAll();
  const during = await readState(ctx, chosen);
  await rollBackByHand(ctx, canary.id);
  await undo();
  const after = await readState(ctx, chosen);
  await claimDueSyncs(ctx);

  expect(during.checkpoints).not.toEqual(before.checkpoints);
  expect(after.checkpoints).toEqual(before.checkpoints);
  expect(after.records).toEqual(before.records);
  expect(await dateOf()).toEqual(date);
  expect(await takeJobs(ctx)).toEqual([]);
});

test("a run in progress is stopped by the rollback, and writes nothing more", async () => {
  const endless = `
    for (let page = 0; page < 100_000; page += 1) {
      await svc.batchSave([{ id: "endless-" + page }], "Contact");
    }`;
  const { canary, chosen } = await start(endless);
  app.clock.advance(HOUR);
  await claimDueSyncs(ctx);
  const runs = (await takeJobs(ctx)).map(async (job) => await runSync(ctx, job));
  await expect.poll(async () => (await readState(ctx, chosen)).records.length).toBeGreaterThan(8);
  await rollBackByHand(ctx, canary.id);
  await undo();
  await Promise.all(runs);
  await claimDueSyncs(ctx);
  for (const job of await takeJobs(ctx)) await runSync(ctx, job);
  const { records: left } = await readState(ctx, chosen);

  expect(left.filter((record) => !record.endsWith("deleted"))).toEqual([...contacts, ...contacts]);
});

test.each(["canaries.sync_stopped", "canaries.records_taken_back"])(
  "undoing continues after a death at %s",
  async (place) => {
    const { canary, chosen } = await start(bad, twoModels);
    await runAll();
    await rollBackByHand(ctx, canary.id);
    const [payload] = await takeUndoings(ctx);
    if (payload === undefined) throw new Error("nothing was queued");
    const died = {
      ...ctx,
      failpoints: {
        hit: async (at: string) => (at === place ? Promise.reject(new Error("died")) : undefined),
      },
    };
    await expect(undoCanary(died, payload)).rejects.toThrow("died");
    await undoCanary(ctx, payload);
    await claimDueSyncs(ctx);
    for (const job of await takeJobs(ctx)) await runSync(ctx, job);
    const { records: left, checkpoints } = await readState(ctx, chosen);

    expect(left.filter((record) => !record.endsWith("deleted"))).toEqual([
      ...contacts,
      ...contacts,
    ]);
    expect(JSON.stringify(checkpoints)).not.toContain("new format");
  },
);

test("a process that hears late of the end runs the deployed version", async () => {
  const { canary, chosen } = await start(bad, twoModels);
  app.clock.advance(HOUR);
  await claimDueSyncs(ctx);
  const jobs = await takeJobs(ctx);
  // Ended in the table alone: what this process remembers is older.
  await sql`update canaries set state = 'rolled_back', ended_at = ${addMs(ctx.clock.now(), 0)} where id = ${canary.id}`.execute(
    ctx.db,
  );
  for (const job of jobs) await runSync(ctx, job);

  expect(new Set((await readState(ctx, chosen)).records)).toEqual(new Set(contacts));
});
