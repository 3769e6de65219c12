import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection, listConnections } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { createIntegration, type Integration } from "#integrations";
import { type Answer, type TestApp, testApp } from "#testing";
import { bulk } from "./index.ts";
import { bulkTaskHandlers } from "./run-job.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let integration: Integration;

beforeAll(async () => {
  app = await testApp({ slices: [bulk], caller: async ({ signal }) => ({ ...ctx, signal }) });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const plain = { displayName: undefined, forwardWebhooks: true, credentials: undefined };
  integration = await createIntegration(ctx, {
    ...{ ...plain, provider: "private-api-bearer", uniqueKey: "crm", custom: {}, settings: {} },
    integrationConfig: { base_url: "http://127.0.0.1:9" },
  });
});

async function connect(count: number, tags: Record<string, string>): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const connectionId of ids) {
    await createConnection(ctx, {
      ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined, tags },
      ...{ webhookUrlOverride: undefined, credentials: { type: "API_KEY", apiKey: "k" } },
    });
  }
  return ids;
}

async function call(
  method: "GET" | "POST" | "DELETE",
  url: string,
  payload?: object,
): Promise<{ status: number; body: Answer }> {
  const answer = await app.server.inject({ method, url, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json() };
}

/** As a worker does it. */
async function work(id: string, of: EnvironmentContext = ctx): Promise<void> {
  const { environment, ...system } = of;
  const attempt = { number: 1, isLast: false };
  await bulkTaskHandlers.run(system, { environmentId: environment.id, id }, attempt);
}

const idsOf = async () =>
  (await listConnections(ctx, {})).map(({ connection }) => connection.connectionId);

test("a dry run counts and changes nothing; the job does what fits the filter and nothing else", async () => {
  const sales = await connect(12, { team: "sales" });
  const others = await connect(3, { team: "care" });
  const body = { action: "connections:delete", filter: { tags: { team: "sales" } } };

  const dry = await call("POST", "/bulk", { ...body, dry_run: true });
  const countedBefore = (await idsOf()).length;
  const begun = await call("POST", "/bulk", body);
  await work(begun.body.data.job.id);
  const ended = await call("GET", `/bulk/${begun.body.data.job.id}`);

  expect(dry.body.data).toEqual({ matched: 12, job: null });
  expect(countedBefore).toBe(15);
  expect(begun).toMatchObject({ status: 202, body: { data: { matched: 12, job: { done: 0 } } } });
  expect(ended.body.data).toMatchObject({ state: "done", matched: 12, done: 12, failed: 0 });
  expect((await idsOf()).toSorted()).toEqual(others.toSorted());
  expect(sales).toHaveLength(12);
});

test("a worker that dies in the middle leaves a job that another one finishes", async () => {
  await connect(30, { team: "sales" });
  const tags = { seen: "yes" };
  const begun = await call("POST", "/bulk", { action: "connections:tag", tags, filter: {} });
  const { id } = begun.body.data.job;
  let left = 10;
  const dying: EnvironmentContext = {
    ...ctx,
    failpoints: {
      ...ctx.failpoints,
      hit: async () => {
        left -= 1;
        if (left < 0) throw new Error("killed");
      },
    },
  };

  await expect(work(id, dying)).rejects.toThrow("killed");
  // What was under way next to the one that failed is noted a moment later.
  const look = async () => (await call("GET", `/bulk/${id}`)).body.data;
  await expect.poll(look).toMatchObject({ state: "running", done: 10 });
  await work(id);
  const after = await look();

  expect(after).toMatchObject({ state: "done", done: 30, failed: 0 });
  const tagged = await listConnections(ctx, { tags: { seen: "yes", team: "sales" } });
  expect(tagged).toHaveLength(30);
});

test("a job that is stopped leaves the rest alone", async () => {
  const [first = ""] = await connect(3, {});
  const connections = [{ provider_config_key: "crm", connection_id: first }];
  const begun = await call("POST", "/bulk", { action: "connections:delete", connections });
  const { id } = begun.body.data.job;

  const stopped = await call("DELETE", `/bulk/${id}`);
  await work(id);

  expect(stopped.body.data).toMatchObject({ state: "stopped", matched: 1, done: 0 });
  expect(await idsOf()).toHaveLength(3);
  expect((await call("GET", "/bulk")).body.data).toMatchObject([{ id, state: "stopped" }]);
});

test("what fails is named, and the rest is done", async () => {
  await connect(1, { a: "1", b: "2" });
  await connect(1, Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`t${n}`, "x"])));
  const body = { action: "connections:tag", tags: { c: "3" }, filter: {} };

  const begun = await call("POST", "/bulk", body);
  await work(begun.body.data.job.id);
  const { data } = (await call("GET", `/bulk/${begun.body.data.job.id}`)).body;

  expect(data).toMatchObject({ state: "done", done: 1, failed: 1 });
  expect(data.failures).toMatchObject([{ code: "invalid_body", sync: null }]);
});

test("a job takes the scope of its action, and of a user a fresh proof for more than 100", async () => {
  await connect(2, {});
  const whole = ctx;
  const key = { kind: "key", keyId: "k", accountId: "a" } as const;
  ctx = { ...whole, actor: { ...key, scopes: ["environment:connections:update"] } };
  const asked = { filter: {}, dry_run: true };

  const updating = await call("POST", "/bulk", { ...asked, action: "connections:refresh" });
  const deleting = await call("POST", "/bulk", { ...asked, action: "connections:delete" });
  const pausing = await call("POST", "/bulk", { ...asked, action: "syncs:pause" });
  ctx = { ...whole, actor: { ...key, scopes: ["environment:connections:refresh"] } };
  const refreshing = await call("POST", "/bulk", { ...asked, action: "connections:refresh" });
  const tagging = await call("POST", "/bulk", {
    ...{ ...asked, action: "connections:tag", tags: { a: "b" } },
  });
  ctx = whole;
  await connect(100, {});
  const user = {
    kind: "user",
    ...{ userId: "u", userName: "Ada", sessionId: "s", accountId: "a" },
    ...{ scopes: ["environment:*"], elevatedUntil: undefined },
  } as const;
  ctx = { ...whole, actor: user };
  const many = await call("POST", "/bulk", { action: "connections:refresh", filter: {} });

  expect([updating.status, deleting.status, pausing.status]).toEqual([202, 403, 403]);
  expect([refreshing.status, tagging.status]).toEqual([202, 403]);
  expect(many.body.error.code).toBe("step_up_required");
});

test("a body names one choice that fits the action", async () => {
  const some = [{ provider_config_key: "crm", connection_id: "c" }];
  const bodies = [
    { action: "connections:refresh" },
    { action: "connections:refresh", filter: {}, connections: some },
    { action: "syncs:pause", connections: some },
    { action: "connections:refresh", syncs: [randomUUID()] },
    { action: "connections:tag", filter: {} },
    { action: "connections:refresh", filter: {}, tags: { a: "b" } },
    { action: "connections:refresh", filter: { state: "paused" } },
    { action: "syncs:pause", filter: { tags: { a: "b" } } },
    { action: "everything", filter: {} },
  ];

  const statuses = [];
  for (const body of bodies) statuses.push((await call("POST", "/bulk", body)).status);

  expect(statuses).toEqual(bodies.map(() => 400));
});
