import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Connection, createConnection } from "#connections";
import { addMs, DAY, type EnvironmentContext, HOUR, SECOND, ServerStates } from "#foundation";
import { createIntegration, getIntegration } from "#integrations";
import { announceChange, ensureLogPartitions } from "#logs";
import { DueChannel } from "#tasks";
import { type TestApp, testApp } from "#testing";
import { problems } from "./index.ts";
import { forgetOldProblems, problemSweep, sweepProblems } from "./sweep-problems.ts";
import {
  addFailingSync,
  addRefusedDeletes,
  setQuarantined,
  setReceiver,
  setRefused,
} from "./testing/store.ts";

let app: TestApp;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await testApp({ slices: [problems], caller: async ({ signal }) => ({ ...ctx, signal }) });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

const url = "https://hooks.example.com/jackfield?secret=1";

async function fail(at: Date | null, disabledAt: Date | null = null): Promise<void> {
  await setReceiver(ctx.db, ctx.environment.id, { url, failingSince: at, disabledAt });
  await sweepProblems(ctx);
}

async function call(method: "GET" | "PATCH", path: string, payload?: object) {
  const request = { method, url: path, ...(payload === undefined ? {} : { payload }) };
  const answer = await app.server.inject(request);
  return { status: answer.statusCode, body: answer.json() };
}

const list = async (query = "") => (await call("GET", `/problems${query}`)).body.data;

test("a problem opens with its cause, keeps its id, and resolves itself when the cause ends", async () => {
  const since = app.clock.now();
  await fail(since);
  const [opened] = await list("?state=open");
  await sweepProblems(ctx);
  await fail(null);
  const [resolved] = await list();
  app.clock.advance(HOUR);
  await fail(app.clock.now());
  const again = await list("?state=open");

  expect(opened).toMatchObject({
    ...{ kind: "receiver_failing", severity: "warning", state: "open", count: 1 },
    title: expect.stringMatching(
      /^Webhooks to https:\/\/hooks\.example\.com\/jackfield\?… \([0-9a-f]{4}\) are not received$/,
    ),
    since: since.toISOString(),
    receiver_url: url,
  });
  expect(resolved).toMatchObject({ id: opened.id, state: "resolved" });
  expect(again).toMatchObject([{ id: opened.id, since: app.clock.now().toISOString() }]);
});

test("what is muted is open again after its time; what is resolved by hand, when it happens again", async () => {
  await fail(app.clock.now());
  const [{ id }] = await list();
  const until = addMs(app.clock.now(), HOUR).toISOString();

  const muted = await call("PATCH", `/problems/${id}`, { mute_until: until, note: "known" });
  const openWhileMuted = await list("?state=open");
  app.clock.advance(2 * HOUR);
  const openLater = await list("?state=open");
  const resolved = await call("PATCH", `/problems/${id}`, { resolved: true });
  await sweepProblems(ctx);
  const openAfterSweep = await list("?state=open");
  app.clock.advance(HOUR);
  await fail(app.clock.now());

  expect(muted.body.data).toMatchObject({ state: "muted", note: "known" });
  expect(openWhileMuted).toEqual([]);
  expect(openLater).toHaveLength(1);
  expect(resolved.body.data.state).toBe("resolved");
  expect(openAfterSweep).toEqual([]);
  expect(await list("?state=open")).toHaveLength(1);
});

test("problems go page by page, and belong to their environment", async () => {
  await fail(app.clock.now(), app.clock.now());
  await setReceiver(ctx.db, ctx.environment.id, {
    url: "https://hooks.example.com/other",
    failingSince: addMs(app.clock.now(), -HOUR),
    disabledAt: null,
  });
  await sweepProblems(ctx);
  const first = await call("GET", "/problems?limit=1");
  const next = await call("GET", `/problems?limit=1&cursor=${first.body.next_cursor}`);
  const { id } = first.body.data[0];
  ctx = await app.addEnvironment();

  expect(first.body.data[0].kind).toBe("receiver_disabled");
  expect(next.body.data[0].title).toBe(
    "Webhooks to https://hooks.example.com/other are not received",
  );
  expect(next.body).toMatchObject({ data: [{ kind: "receiver_failing" }], next_cursor: null });
  expect(await list()).toEqual([]);
  expect((await call("GET", `/problems/${id}`)).status).toBe(404);
  expect((await call("PATCH", `/problems/${id}`, { resolved: true })).status).toBe(404);
});

test("resolved problems are forgotten after 30 days", async () => {
  await fail(app.clock.now());
  await fail(null);

  app.clock.advance(31 * DAY);
  await ensureLogPartitions(ctx);
  await forgetOldProblems(ctx);

  expect(await list()).toEqual([]);
});

test("what no problem can be asked or given is refused", async () => {
  const path = `/problems/${randomUUID()}`;

  expect((await call("GET", "/problems?state=new")).status).toBe(400);
  expect((await call("GET", "/problems?cursor=x")).status).toBe(400);
  expect((await call("GET", "/problems/1")).status).toBe(400);
  expect((await call("GET", path)).status).toBe(404);
  expect((await call("PATCH", path, { mute_until: "tomorrow" })).status).toBe(400);
  expect((await call("PATCH", path, { title: "x" })).status).toBe(400);
});

async function connect(connectionId: string, uniqueKey: string): Promise<Connection> {
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey, displayName: undefined, forwardWebhooks: true },
    ...{ credentials: undefined, integrationConfig: {}, custom: {}, settings: {} },
  }).catch(async () => await getIntegration(ctx, uniqueKey));
  const { connection } = await createConnection(ctx, {
    ...{ integration, connectionId, credentials: { type: "API_KEY", apiKey: "k" } },
    ...{ metadata: undefined, connectionConfig: undefined, tags: undefined },
    webhookUrlOverride: undefined,
  });
  return connection;
}

test("connections that are refused are one problem of their integration, which ends with the last of them", async () => {
  const environmentId = ctx.environment.id;
  const first = await connect("a", "crm");
  const second = await connect("b", "crm");
  const at = app.clock.now();
  await setRefused(ctx.db, { environmentId, connection: first.uuid }, at);
  await setRefused(ctx.db, { environmentId, connection: second.uuid }, addMs(at, HOUR));
  await sweepProblems(ctx);
  const both = await list("?state=open");
  await setRefused(ctx.db, { environmentId, connection: first.uuid }, null);
  await sweepProblems(ctx);
  const one = await list("?state=open");
  await setRefused(ctx.db, { environmentId, connection: second.uuid }, null);
  await sweepProblems(ctx);

  expect(both).toMatchObject([
    {
      kind: "needs_reauthorization",
      severity: "error",
      integration: "crm",
      since: at.toISOString(),
      title: "2 connections of crm must be authorized again",
      connections: { count: 2, sample: ["b", "a"] },
    },
  ]);
  expect(one).toMatchObject([{ id: both[0].id, connections: { count: 1, sample: ["b"] } }]);
  expect(await list("?state=open")).toEqual([]);
});

test("a sync that fails since its connection is refused is no problem next to that one", async () => {
  const environmentId = ctx.environment.id;
  const refused = await connect("a", "crm");
  const works = await connect("b", "crm");
  const at = app.clock.now();
  for (const { uuid: connection } of [refused, works]) {
    await addFailingSync(ctx.db, { environmentId, connection }, { name: "tasks", failures: 3, at });
  }
  await setRefused(ctx.db, { environmentId, connection: refused.uuid }, at);
  await sweepProblems(ctx);

  const found = await list("?state=open");

  expect(found).toHaveLength(2);
  expect(found).toContainEqual(
    expect.objectContaining({ kind: "sync_failing", connections: { count: 1, sample: ["b"] } }),
  );
  expect(found).toContainEqual(
    expect.objectContaining({
      kind: "needs_reauthorization",
      by_itself: expect.stringContaining("syncs that do are no problems of their own"),
    }),
  );
});

test("a sync that fails for its own bug is a problem, also while the connection has one", async () => {
  const environmentId = ctx.environment.id;
  const { uuid: connection } = await connect("a", "crm");
  const place = { environmentId, connection };
  const at = app.clock.now();
  await setRefused(ctx.db, place, at);
  const own = { name: "contacts", failures: 3, at, error: "script_internal_error" };
  await addFailingSync(ctx.db, place, own);
  const ofCredentials = { name: "deals", failures: 3, at, error: "invalid_credentials" };
  await addFailingSync(ctx.db, place, ofCredentials);
  await sweepProblems(ctx);

  const found = await list("?state=open");

  const kinds = found.map((each: Record<string, unknown>) => [each["kind"], each["function"]]);
  expect(kinds).toHaveLength(2);
  expect(kinds).toContainEqual(["sync_failing", "contacts"]);
  expect(kinds).toContainEqual(["needs_reauthorization", null]);
});

test("a sync that keeps failing and a model with refused deletes are problems, one failure is none", async () => {
  const environmentId = ctx.environment.id;
  const { uuid: connection } = await connect("a", "crm");
  const place = { environmentId, connection };
  const at = app.clock.now();
  await addFailingSync(ctx.db, place, { name: "contacts", failures: 3, at });
  await addFailingSync(ctx.db, place, { name: "deals", failures: 1, at });
  await addRefusedDeletes(ctx.db, place, { model: "Contact", count: 400, at });
  await sweepProblems(ctx);

  const found = await list("?state=open");

  expect(found).toHaveLength(2);
  expect(found).toContainEqual(
    expect.objectContaining({ kind: "sync_failing", integration: "crm", function: "contacts" }),
  );
  expect(found).toContainEqual(
    expect.objectContaining({
      kind: "delete_guard",
      severity: "warning",
      title: "Deletes of Contact of crm were refused for 1 connection",
    }),
  );
});

test("quarantined records are a problem of their model until none is left", async () => {
  const { uuid: connection } = await connect("a", "crm");
  const place = { environmentId: ctx.environment.id, connection };
  const at = app.clock.now();
  await setQuarantined(ctx.db, place, { model: "Contact", count: 12, at });
  await sweepProblems(ctx);
  const found = await list("?state=open");
  await setQuarantined(ctx.db, place, { model: "Contact", count: 0, at });
  await sweepProblems(ctx);

  expect(found).toMatchObject([
    {
      ...{ kind: "records_quarantined", severity: "warning", integration: "crm" },
      ...{ model: "Contact", function: null, since: at.toISOString() },
      title: "Records of Contact of crm do not match their schema for 1 connection",
      cause: "12 records do not match the schema and were not saved.",
      connections: { count: 1, sample: ["a"] },
    },
  ]);
  expect(await list("?state=open")).toEqual([]);
});

test("what changes in connections and syncs brings the next sweep forward, and no sweep follows another at once", async () => {
  const { clock, database, ctx: own } = app;
  await using channel = new DueChannel({
    connectionString: database.connectionString,
    log: own.log,
  });
  await expect.poll(() => channel.isListening).toBe(true);
  await using state = new ServerStates();
  const system = { ...own, notices: channel, state };
  let woken = 0;
  const claim = async () => await problemSweep.claim(system, () => (woken += 1));
  const kinds = async () => (await list("?state=open")).map(({ kind }: { kind: string }) => kind);

  const begunAt = clock.now();
  const first = await claim();
  await setReceiver(ctx.db, ctx.environment.id, {
    url,
    failingSince: begunAt,
    disabledAt: null,
  });
  announceChange(system, ctx.environment.id, "inbox");
  announceChange(system, ctx.environment.id, "syncs");
  await expect.poll(() => woken, { timeout: 5000 }).toBe(1);
  const early = await claim();
  const before = await kinds();
  const restMs = (early.nextDueAt?.getTime() ?? 0) - begunAt.getTime();
  clock.advance(restMs);
  await claim();

  expect(first.nextDueAt).toEqual(addMs(begunAt, 30 * SECOND));
  // Longer than 5 s only where a sweep takes long.
  expect(restMs).toBeGreaterThanOrEqual(5 * SECOND);
  expect(restMs).toBeLessThanOrEqual(30 * SECOND);
  expect([before, await kinds()]).toEqual([[], ["receiver_failing"]]);
});
