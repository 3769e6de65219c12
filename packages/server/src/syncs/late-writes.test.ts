import { expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { clearRecords, countRecords } from "#records";
import { createKeyedWork } from "#tasks";
import { countRunning } from "./claim/store.ts";
import {
  claimDueSyncs,
  deleteSyncsOfConnections,
  deleteSyncsOfEnvironment,
  runSync,
  runWebhookHandlers,
  syncTaskHandlers,
  webhookLimits,
} from "./index.ts";
import { beginRun } from "./runs/begin-run.ts";
import { emptyCache } from "./runs/empty-cache.ts";
import { findSubject } from "./runs/run-subject.ts";
import {
  hasCheckpoints,
  listRuns,
  listWebhooks,
  markEnvironmentDeleted,
  takeJobs,
} from "./testing/index.ts";
import { newSyncUpload } from "./testing/sync-upload.ts";
import {
  app,
  connection,
  ctx,
  deploy,
  integration,
  runQueued,
  trigger,
  twoContacts,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

// What a run does after it was taken over or cancelled, or after what it works on has gone.

const endless = `
  for (let page = 0; page < 100_000; page += 1) {
    await svc.batchSave([{ id: String(page) }], "Contact");
    await svc.saveCheckpoint({ page });
  }`;

async function countStored(): Promise<number> {
  return (await countRecords(ctx, { connections: [connection.uuid] }))[0]?.count ?? 0;
}

async function takeJob() {
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("nothing was queued");
  return job;
}

test("an attempt that was taken over does not empty what its successor has saved", async () => {
  await deploy(twoContacts);
  await runQueued();
  await trigger({ opts: { reset: true, emptyCache: true } });
  await claimDueSyncs(ctx);
  const { runId } = await takeJob();
  const zombie = await beginRun(ctx, runId);
  if (zombie === undefined) throw new Error("there is no run");
  const subject = await findSubject(ctx, zombie.run);
  if (subject === undefined) throw new Error("there is no connection");
  await runSync(ctx, { environmentId: ctx.environment.id, runId });

  await expect(emptyCache(ctx, zombie, subject)).rejects.toThrow("taken over");

  expect(await countStored()).toBe(2);
});

const goConnection = async () => {
  const gone = { ...connection, integrationId: integration.id } as never;
  await deleteSyncsOfConnections(ctx, { connections: [gone], integration } as never);
};

test.for([
  ["connection", goConnection],
  ["environment", async () => await deleteSyncsOfEnvironment(ctx)],
] as const)(
  "a run whose %s is deleted saves nothing from then on, and is no failure",
  async ([, remove]) => {
    await deploy(endless);
    await claimDueSyncs(ctx);
    const running = runSync(ctx, await takeJob());
    await expect.poll(countStored, { interval: 2 }).toBeGreaterThan(0);

    await remove();
    const stored = await countStored();
    await running;

    expect(await countStored()).toBe(stored);
    expect(await listRuns(ctx)).toMatchObject([{ state: "cancelled" }]);
    expect(await listWebhooks(ctx)).toEqual([]);
    expect(await claimDueSyncs(ctx)).toMatchObject({ claimed: 0 });
  },
);

test("a webhook's handler whose connection is deleted saves nothing from then on", async () => {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
    module.exports.default = { type: "sync", models: { Contact: any }, exec: async () => {}, onWebhook: async (svc) => { ${endless} } };`;
  const change = { fileBody: { js, ts: "" }, webhookSubscriptions: ["*"], auto_start: false };
  await deployFunctions(ctx, newSyncUpload("", change));
  await runWebhookHandlers(ctx, {
    integration,
    connections: [connection.uuid],
    types: ["any"],
    payload: Buffer.from("{}"),
  });
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const attempt = { number: 1, isLast: false };
  const running = syncTaskHandlers.webhook(ctx, await takeJob(), attempt);
  await expect.poll(countStored, { interval: 2 }).toBeGreaterThan(0);

  await goConnection();
  const stored = await countStored();
  await running;

  expect(await countStored()).toBe(stored);
  expect(await listRuns(ctx)).toMatchObject([{ state: "cancelled" }]);
  expect(await hasCheckpoints(ctx)).toBe(false);
});

test("runs of an environment that was deleted hold no slots, and none is added", async () => {
  const before = await countRunning(app.ctx.db);
  await deploy(twoContacts);
  await claimDueSyncs(ctx);
  const job = await takeJob();

  await markEnvironmentDeleted(ctx);
  await runSync(ctx, job);

  expect(await countRunning(app.ctx.db)).toBe(before);
  expect(await listRuns(ctx)).toMatchObject([{ state: "cancelled" }]);
});

test("what an environment would save after it was deleted is refused", async () => {
  await deploy(endless);
  await claimDueSyncs(ctx);
  const running = runSync(ctx, await takeJob());
  await expect.poll(countStored, { interval: 2 }).toBeGreaterThan(0);

  await markEnvironmentDeleted(ctx);
  const stored = await countStored();
  await running;

  expect(await countStored()).toBe(stored);
  const clearing = clearRecords(ctx, { connection: connection.uuid, models: ["Contact"] });
  await expect(clearing).rejects.toMatchObject({ code: "unknown_environment" });
});

test("calls that a run makes at once do not wait for each other", async () => {
  await deploy(`for (let round = 0; round < 40; round += 1) {
    await Promise.all([
      svc.batchSave([{ id: "a", round }], "Contact"),
      svc.trackDeletesStart("Contact"),
      svc.batchSave([{ id: "b", round }], "Contact"),
      svc.trackDeletesStart("Contact"),
    ]);
  }`);

  await claimDueSyncs(ctx);
  await runQueued();

  expect(await listRuns(ctx)).toMatchObject([{ state: "success", error: null }]);
});
