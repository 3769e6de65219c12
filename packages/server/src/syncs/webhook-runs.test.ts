import { sql } from "kysely";
import { expect, test } from "vitest";
import { SECOND } from "#foundation";
import { deployFunctions } from "#functions";
import { insertTestConnection } from "#functions/testing";
import { createKeyedWork } from "#tasks";
import { runWebhookHandlers, syncTaskHandlers, webhookLimits } from "./index.ts";
import { listRuns, listWebhooks, takeJobs } from "./testing/index.ts";
import { newSyncUpload } from "./testing/sync-upload.ts";
import { app, connection, ctx, integration, useSyncs } from "./testing/syncs-under-test.ts";

useSyncs();

const ready = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };`;

async function deployHandler(body: string, subscriptions: readonly string[] = ["contact.changed"]) {
  const js = `${ready} module.exports.default = { type: "sync", models: { Contact: any }, exec: async () => {},
    onWebhook: async (svc, payload) => { ${body} } };`;
  const change = { fileBody: { js, ts: "" }, webhookSubscriptions: [...subscriptions] };
  await deployFunctions(ctx, newSyncUpload("", { auto_start: false, ...change }));
}

async function send(types: readonly string[], payload: unknown, connections = [connection.uuid]) {
  return await runWebhookHandlers(ctx, {
    integration,
    connections,
    types,
    payload: Buffer.from(JSON.stringify(payload)),
  });
}

/** Runs what may run now; returns how many. */
async function runReady(): Promise<number> {
  const attempt = { number: 1, isLast: false };
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const jobs = await takeJobs(ctx);
  for (const job of jobs) await syncTaskHandlers.webhook(ctx, job, attempt);
  app.clock.advance(SECOND);
  return jobs.length;
}

async function countInputs(): Promise<number> {
  const { rows } = await sql`select 1 from webhook_inputs`.execute(ctx.db);
  return rows.length;
}

test("webhooks of one connection and sync run one after the other, in the order in which they came", async () => {
  await deployHandler(`await svc.batchSave([{ id: "1", name: payload.name }], "Contact");`);
  const names = ["a", "b", "c"];
  for (const name of names) expect(await send(["other", "contact.changed"], { name })).toBe(1);

  const counts = [await runReady(), await runReady(), await runReady(), await runReady()];

  expect(counts).toEqual([1, 1, 1, 0]);
  expect(await listRuns(ctx)).toMatchObject([
    { state: "success", result: { Contact: { added: 1 } } },
    { state: "success", result: { Contact: { updated: 1 } } },
    { state: "success", result: { Contact: { updated: 1 } } },
  ]);
  expect(await listWebhooks(ctx)).toMatchObject([
    { syncType: "WEBHOOK", success: true, responseResults: { added: 1 } },
    { syncType: "WEBHOOK", success: true, responseResults: { updated: 1 } },
    { syncType: "WEBHOOK", success: true, responseResults: { updated: 1 } },
  ]);
  expect(await countInputs()).toBe(0);
});

test("connections do not wait for each other, and what nobody subscribes to runs nothing", async () => {
  const other = await insertTestConnection(ctx, integration, "customer-2");
  await deployHandler("", ["*"]);

  expect(await send(["anything"], null, [connection.uuid, other.uuid])).toBe(2);
  expect(await runReady()).toBe(2);
  await deployHandler("", ["contact.changed"]);
  expect(await send(["contact.deleted"], {})).toBe(0);
});

test("a failure is reported and the next one runs", async () => {
  await deployHandler(`if (payload === 1) throw new Error("no good");`);
  await send(["contact.changed"], 1);
  await send(["contact.changed"], 2);

  await runReady();
  await runReady();

  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["failed", "success"]);
  expect(await listWebhooks(ctx)).toMatchObject([
    { success: false, syncType: "WEBHOOK", error: { description: "no good" } },
    { success: true },
  ]);
});

test("a run whose worker stops continues elsewhere, and one whose worker dies 5 times ends with an error", async () => {
  await deployHandler(`if (payload === "slow") await new Promise(() => {});`);
  await send(["contact.changed"], "slow");
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("nothing was queued");
  const attempt = { number: 1, isLast: false };
  const stopping = new AbortController();
  const stopped = syncTaskHandlers.webhook({ ...ctx, signal: stopping.signal }, job, attempt);
  await expect.poll(async () => (await listRuns(ctx))[0]?.state).toBe("running");
  stopping.abort();
  await stopped;
  expect(await listRuns(ctx)).toMatchObject([{ state: "waiting", attempts: 0 }]);
  await sql`update runs set attempts = 5, state = 'running' where id = ${job.runId}`.execute(
    ctx.db,
  );

  expect(await runReady()).toBe(1);

  expect(await listRuns(ctx)).toMatchObject([
    { state: "failed", error: { type: "function_runtime_other" } },
  ]);
});

test("what many connections are given is kept once, until the last of them has run", async () => {
  const others = await Promise.all(
    ["customer-2", "customer-3"].map(
      async (name) => (await insertTestConnection(ctx, integration, name)).uuid,
    ),
  );
  await deployHandler(`await svc.batchSave([{ id: "1", name: payload.name }], "Contact");`, ["*"]);

  const queued = await send(["anything"], { name: "a" }, [connection.uuid, ...others]);
  const before = await countInputs();
  await createKeyedWork([webhookLimits]).claim(ctx, () => {});
  const [first, ...rest] = await takeJobs(ctx);
  const run = async (job: NonNullable<typeof first>) =>
    await syncTaskHandlers.webhook(ctx, job, { number: 1, isLast: false });
  if (first !== undefined) await run(first);
  const meanwhile = await countInputs();
  await Promise.all(rest.map(run));

  expect([queued, before, meanwhile, await countInputs()]).toEqual([3, 1, 1, 0]);
  expect((await listRuns(ctx)).map(({ result }) => result)).toEqual(
    Array(3).fill({ Contact: expect.objectContaining({ added: 1 }) }),
  );
});
