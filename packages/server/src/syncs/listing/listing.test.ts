import { sql } from "kysely";
import { expect, test } from "vitest";
import { type EnvironmentContext, HOUR, MINUTE } from "#foundation";
import { insertTestConnection } from "#functions/testing";
import { syncHandlers } from "../routes.ts";
import {
  app,
  begun,
  ctx,
  deploy,
  integration,
  pause,
  runDue,
  twoContacts,
  useSyncs,
} from "../testing/syncs-under-test.ts";
import { noteQuotaWait } from "./note-quota-wait.ts";

useSyncs();

const hourly = { runs: "every hour" };
const broken = `throw new Error("mine");`;
const none = { params: undefined, headers: undefined, body: undefined };

type Query = Parameters<typeof syncHandlers.listSyncs>[1]["query"];

async function list(query: Query = {}, of: EnvironmentContext = ctx) {
  return await syncHandlers.listSyncs(of, { ...none, query });
}

async function runsOf(id: string, query: { limit?: number; cursor?: string } = {}) {
  return await syncHandlers.listSyncRuns(ctx, { ...none, params: { id }, query });
}

test("a sync is listed with its integration, connection, state and times", async () => {
  await deploy(twoContacts, hourly);
  await runDue();

  const { data, next_cursor } = await list();

  expect(next_cursor).toBeNull();
  expect(data).toEqual([
    {
      id: expect.any(String),
      name: "contacts",
      variant: "base",
      provider_config_key: "crm",
      connection_id: "customer-1",
      state: "ok",
      reason: null,
      frequency: "every hour",
      last_success_at: app.clock.now().toISOString(),
      next_run_at: expect.any(String),
      lag_seconds: 0,
      running_run_id: null,
      consecutive_failures: 0,
      refused_deletes: {},
      delay: null,
    },
  ]);
});

test("a list has the latest runs of each sync where they are asked for", async () => {
  await deploy(twoContacts, hourly);
  await runDue();
  app.clock.advance(HOUR);
  await runDue();

  const { data } = await list({ include: ["runs"] });

  const run = { state: "success", id: expect.any(String), created_at: expect.any(String) };
  const expected = { ...run, operation_id: expect.any(String) };
  expect(data[0]?.latest_runs).toEqual([expected, expected]);
  const [newest, oldest] = data[0]?.latest_runs ?? [];
  expect(Date.parse(newest?.created_at ?? "")).toBeGreaterThan(
    Date.parse(oldest?.created_at ?? ""),
  );
});

test("states are filters, and say why", async () => {
  await deploy(broken, hourly);
  await runDue();
  const failing = await list({ state: "failing" });
  const fine = await list({ state: "ok" });
  await pause();
  const paused = await list({ state: "paused", provider_config_key: "crm" });
  await sql`update functions set enabled = false where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  const disabled = await list({ state: "disabled" });
  const noLonger = await list({ state: "paused" });

  expect(failing.data).toMatchObject([
    { state: "failing", consecutive_failures: 1, reason: { message: "mine" } },
  ]);
  expect(fine.data).toEqual([]);
  expect(paused.data).toMatchObject([{ state: "paused", next_run_at: null }]);
  expect(disabled.data).toMatchObject([{ state: "disabled", next_run_at: null }]);
  expect(noLonger.data).toEqual([]);
});

test("what is due and not begun has a lag", async () => {
  await deploy("", hourly);
  await runDue();
  app.clock.advance(2 * HOUR);

  const [sync] = (await list()).data;

  expect(sync?.lag_seconds).toBeGreaterThanOrEqual(HOUR / 1000);
});

test("filters name integration, connection and sync, and a cursor leads through all", async () => {
  for (let n = 2; n <= 5; n += 1) await insertTestConnection(ctx, integration, `customer-${n}`);
  await deploy("", hourly);
  await sql`
    update syncs set created_at = created_at + interval '1 second'
     where environment_id = ${ctx.environment.id} and connection_uuid in (
       select uuid from connections where connection_id in ('customer-2', 'customer-4'))`.execute(
    ctx.db,
  );

  for (const query of [
    {},
    { name: "contacts" },
    { provider_config_key: "crm", state: "ok" },
  ] as const) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({
        ...query,
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      });
      seen.push(...page.data.map(({ connection_id }) => connection_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen.slice(0, 2).toSorted()).toEqual(["customer-2", "customer-4"]);
    expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `customer-${n}`));
  }
  const one = await list({ connection_id: "customer-3", name: "contacts" });
  expect(one.data.map(({ connection_id }) => connection_id)).toEqual(["customer-3"]);
  expect((await list({ connection_id: "nobody" })).data).toEqual([]);
  expect((await list({ name: "others" })).data).toEqual([]);
  await expect(list({ provider_config_key: "nobody" })).rejects.toThrow("nobody");
  await expect(list({ cursor: "x" })).rejects.toMatchObject({ code: "invalid_cursor" });
});

test("a list by connection has all syncs of the newest connection first, page after page", async () => {
  for (let n = 2; n <= 4; n += 1) await insertTestConnection(ctx, integration, `customer-${n}`);
  await sql`
    update connections set created_at = created_at + right(connection_id, 1)::int * interval '1 minute'
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await deploy("", hourly);
  for (const variant of ["b", "a"]) {
    const params = { name: "contacts", variant };
    const body = { provider_config_key: "crm", connection_id: "customer-2" };
    await syncHandlers.createSyncVariant(ctx, { ...none, query: undefined, params, body });
  }
  const named = ({ connection_id, variant }: { connection_id: string; variant: string }) =>
    `${connection_id} ${variant}`;
  const all = [
    ...["customer-4 base", "customer-3 base", "customer-2 a", "customer-2 b"],
    ...["customer-2 base", "customer-1 base"],
  ];

  for (const limit of [1, 2, 4, 100]) {
    for (const query of [{}, { provider_config_key: "crm" }, { name: "contacts" }]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({
          ...{ ...query, sort: "connection", limit },
          ...(cursor === null ? {} : { cursor }),
        });
        seen.push(...page.data.map(named));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(all);
    }
  }
  const one = await list({ sort: "connection", connection_id: "customer-2" });
  expect(one.data.map(named)).toEqual(["customer-2 a", "customer-2 b", "customer-2 base"]);
  expect((await list({ sort: "connection", state: "paused" })).data).toEqual([]);
});

test("a list has the records of each sync and what its latest run did, where they are asked for", async () => {
  await deploy(twoContacts, hourly);
  await runDue();
  const params = { name: "contacts", variant: "eu" };
  const body = { provider_config_key: "crm", connection_id: "customer-1" };
  await syncHandlers.createSyncVariant(ctx, { ...none, query: undefined, params, body });

  const { data } = await list({ include: ["results"], sort: "connection" });

  const changes = { added: 2, updated: 0, deleted: 0 };
  expect(data).toMatchObject([
    { variant: "base", record_count: 2, latest_result: changes },
    { variant: "eu", record_count: 0, latest_result: null },
  ]);
});

test("runs tell what they did, how long it took, and why they failed", async () => {
  await deploy(twoContacts, hourly);
  await runDue();
  app.clock.advance(HOUR);
  await deploy(broken, hourly);
  await runDue();
  const [sync] = (await list()).data;
  const id = sync?.id ?? "";

  const first = await runsOf(id, { limit: 1 });
  const second = await runsOf(id, { limit: 1, cursor: first.next_cursor ?? "" });

  expect(first.data).toMatchObject([
    { state: "failed", trigger: "schedule", full_run: false, error: { message: "mine" } },
  ]);
  expect(second.data).toMatchObject([
    {
      state: "success",
      full_run: true,
      attempts: 1,
      duration_ms: expect.any(Number),
      result: { Contact: { added: 2, updated: 0, deleted: 0, unchanged: 0 } },
      error: null,
      checkpoint: null,
      operation_id: expect.any(String),
    },
  ]);
  expect(second.next_cursor).toBeNull();
});

test("a run has the checkpoint that it continued from", async () => {
  await deploy(`${twoContacts} await svc.saveCheckpoint({ page: 2 });`, hourly);
  await runDue();
  app.clock.advance(2 * HOUR);
  await runDue();
  const [sync] = (await list()).data;

  const { data } = await runsOf(sync?.id ?? "");

  expect(data.map(({ checkpoint }) => checkpoint)).toEqual([{ page: 2 }, null]);
});

test("a run is cancelled, once", async () => {
  await deploy("await new Promise(() => {});", hourly);
  const running = runDue();
  await begun();
  const [sync] = (await list({ state: "running" })).data;
  const params = { id: sync?.running_run_id ?? "" };

  const first = await syncHandlers.cancelRun(ctx, { ...none, query: undefined, params });
  await running;
  const second = await syncHandlers.cancelRun(ctx, { ...none, query: undefined, params });

  expect(first).toMatchObject({
    cancelled: true,
    data: { cancel_requested_at: expect.any(String) },
  });
  expect(second).toMatchObject({ cancelled: false, data: { state: "cancelled" } });
  expect((await list()).data).toMatchObject([{ state: "ok", running_run_id: null }]);
});

test("a run that its provider holds back says until when, and no more once it goes out", async () => {
  await deploy("await new Promise(() => {});", hourly);
  const running = runDue();
  await begun();
  const [sync] = (await list({ state: "running" })).data;
  const runId = sync?.running_run_id ?? "";
  const until = new Date(app.clock.now().getTime() + MINUTE);

  await noteQuotaWait(ctx, { runId, until });
  const held = (await list()).data[0]?.delay;
  app.clock.advance(2 * MINUTE);
  const later = (await list()).data[0]?.delay;
  await syncHandlers.cancelRun(ctx, { ...none, query: undefined, params: { id: runId } });
  await running;

  expect(held).toMatchObject({ reason: "rate_limited", until: until.toISOString() });
  expect(later).toBeNull();
});

test("another environment sees no sync, no run, and cancels none", async () => {
  await deploy(twoContacts, hourly);
  await runDue();
  const [sync] = (await list()).data;
  const [run] = (await runsOf(sync?.id ?? "")).data;
  const other = await app.addEnvironment();
  const missing = { code: "not_found" };

  expect((await list({}, other)).data).toEqual([]);
  const params = { id: sync?.id ?? "" };
  await expect(
    syncHandlers.listSyncRuns(other, { ...none, params, query: {} }),
  ).rejects.toMatchObject(missing);
  const ofRun = { ...none, query: undefined, params: { id: run?.id ?? "" } };
  await expect(syncHandlers.cancelRun(other, ofRun)).rejects.toMatchObject(missing);
});
