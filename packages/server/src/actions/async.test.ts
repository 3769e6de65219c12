import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { environments } from "#environments";
import { DAY, type EnvironmentContext, SECOND } from "#foundation";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newUpload,
} from "#functions/testing";
import { bindTasks, createKeyedWork, startWorkers } from "#tasks";
import { type TestApp, testApp } from "#testing";
import { actionLimits, actionTaskHandlers, actionTasks } from "./index.ts";
import { actions } from "./slice.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let workers: AsyncDisposable | undefined;
/** What the actions have asked the provider for, in order, and what it answers. */
let calls: string[];
let answer: (path: string) => Promise<number>;

beforeAll(async () => {
  app = await testApp({
    slices: [actions, environments, functions],
    runtime: {
      proxy: async (_ctx, { params }) => {
        calls.push(params.endpoint);
        const status = await answer(params.endpoint);
        return { value: { status, statusText: "", headers: {} }, body: Buffer.from("{}") };
      },
    },
    runsFunctions: true,
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  await insertTestConnection(ctx, integration, "customer-1");
  await insertTestConnection(ctx, integration, "customer-2");
  calls = [];
  answer = async () => 200;
});
afterEach(async () => {
  await workers?.[Symbol.asyncDispose]();
  workers = undefined;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

async function startWork(): Promise<void> {
  const { environment: _, ...installation } = ctx;
  workers = await startWorkers({
    connectionString: app.database.connectionString,
    pooled: false,
    log: ctx.log,
    makeContext: (signal) => ({ ...installation, signal }),
    tasks: bindTasks(actionTasks, actionTaskHandlers),
    due: [createKeyedWork([actionLimits])],
    daily: [],
    runSlots: 8,
    stopGraceMs: 10,
  });
}

async function deploy(body: string): Promise<void> {
  const flow = newAction("act", { fileBody: newBundle("action", body) });
  await deployFunctions(ctx, newUpload({ flowConfigs: [flow] }));
}

async function accept(input: unknown, headers: Record<string, string> = {}): Promise<string> {
  const response = await app.server.inject({
    method: "POST",
    url: "/action/trigger",
    headers: {
      "connection-id": "customer-1",
      "provider-config-key": "crm",
      "x-async": "true",
      ...headers,
    },
    payload: { action_name: "act", input },
  });
  expect(response.statusCode).toBe(202);
  const { id, statusUrl } = response.json();
  expect([statusUrl, response.headers["location"]]).toEqual([`/action/${id}`, `/action/${id}`]);
  return id;
}

async function read(id: string) {
  return await app.server.inject({ method: "GET", url: `/action/${id}` });
}

const PATIENCE = { timeout: 10_000 };

async function ended(id: string) {
  const read404 = async () => (await read(id)).headers["retry-after"];
  await expect.poll(read404, PATIENCE).toBeUndefined();
  return await read(id);
}

test("an accepted action answers 404 with its state until it has ended, then its output", async () => {
  await deploy("return input === 'nothing' ? undefined : { hello: input };");
  const id = await accept("Ada");
  const none = await accept("nothing");

  const pending = await read(id);
  expect([pending.statusCode, pending.headers["retry-after"]]).toEqual([404, "1"]);
  expect(pending.json().error).toMatchObject({
    code: "not_found",
    message: expect.stringContaining("waiting"),
  });
  await startWork();

  const response = await ended(id);
  expect([response.statusCode, response.body]).toEqual([200, '{"hello":"Ada"}']);
  expect((await ended(none)).body).toBe("null");
});

test("a failure is answered as the synchronous call would; what is unknown or no longer kept is 404", async () => {
  await deploy('throw new svc.ActionError({ message: "No such contact", id: 7 });');
  const id = await accept(1);
  await startWork();

  const failed = await ended(id);
  const unknown = await read("0b8c1e5a-7f0d-4c8e-9a51-3f6d2b7c9e10");
  const [own] = [ctx];
  ctx = await app.addEnvironment();
  const foreign = await read(id);
  ctx = own;
  app.clock.advance(8 * DAY);
  const expired = await read(id);

  expect(failed.statusCode).toBe(500);
  expect(failed.json().error).toEqual({
    code: "action_script_runtime_error",
    message: "No such contact",
    errors: [{ message: "No such contact", id: 7 }],
  });
  for (const response of [unknown, foreign, expired]) {
    expect([response.statusCode, response.headers["retry-after"]]).toEqual([404, undefined]);
  }
});

test("actions of one connection run one after the other, those of others in parallel, within the limit", async () => {
  await deploy('await svc.get({ endpoint: "/" + input });');
  const held = Promise.withResolvers<number>();
  answer = async (path) => (path === "/1" ? await held.promise : 200);
  const first = await accept(1);
  const second = await accept(2);
  const other = await accept(3, { "connection-id": "customer-2" });
  await startWork();

  await ended(other);
  await expect.poll(() => calls.toSorted(), PATIENCE).toEqual(["/1", "/3"]);
  held.resolve(200);
  await ended(first);
  await ended(second);
  expect(calls.at(-1)).toBe("/2");
});

test("X-Max-Retries repeats a failure as often, after a wait", async () => {
  await deploy('await svc.post({ endpoint: "/things" }); return "made";');
  let status = 500;
  answer = async () => status;
  const id = await accept(null, { "x-max-retries": "2" });
  await startWork();

  await expect.poll(() => calls, PATIENCE).toHaveLength(1);
  const state = async () => (await read(id)).json().error?.message;
  await expect.poll(state, PATIENCE).toContain("waiting");
  status = 200;
  app.clock.advance(3 * SECOND);
  await workers?.[Symbol.asyncDispose]();
  await startWork();

  expect((await ended(id)).body).toBe('"made"');
  expect(calls).toHaveLength(2);
});

test("after its worker's death an action runs again only if nothing had left", async () => {
  await deploy(
    'if (input) await svc.post({ endpoint: "/things" }); await svc.get({ endpoint: "/wait" });',
  );
  const never = new Promise<number>(() => {});
  answer = async (path) => (path === "/wait" ? await never : 200);
  const harmless = await accept(false);
  const harmful = await accept(true, { "connection-id": "customer-2" });
  await startWork();
  await expect.poll(() => calls.filter((path) => path === "/wait"), PATIENCE).toHaveLength(2);

  // What a kill leaves behind: the jobs are free again, the actions still say that they run.
  await workers?.[Symbol.asyncDispose]();
  await sql`update async_actions set state = 'running'
    where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  answer = async () => 200;
  await startWork();

  expect((await ended(harmless)).statusCode).toBe(200);
  expect((await ended(harmful)).json().error.code).toBe("action_outcome_unknown");
  expect(calls.filter((path) => path === "/things")).toHaveLength(1);
});

test("an action that waited for a day is not started", async () => {
  await deploy("await svc.get({ endpoint: '/done' }); return 1;");
  const late = await accept(null, { "x-max-retries": "1" });
  app.clock.advance(DAY + SECOND);
  const young = await accept(null, { "connection-id": "customer-2" });

  await startWork();
  const [expired, done] = [await ended(late), await ended(young)];

  expect([expired.statusCode, expired.json().error.code]).toEqual([410, "script_aborted"]);
  expect(expired.json().error.message).toContain("24 hours");
  expect(done.statusCode).toBe(200);
  expect(calls).toEqual(["/done"]);
});

test("what a deleted environment has left keeps no other waiting, and goes", async () => {
  await deploy("return 1;");
  await accept(null);
  const { id: gone } = ctx.environment;
  await sql`update environments set deleted_at = now() where id = ${gone}`.execute(ctx.db);
  ctx = await app.addEnvironment();
  await insertTestConnection(ctx, await insertTestIntegration(ctx, "crm"), "customer-1");
  await deploy("return 2;");
  const id = await accept(null);

  await startWork();

  expect((await ended(id)).body).toBe("2");
  const left = async () =>
    (await sql`select from lane_tasks where environment_id = ${gone}`.execute(ctx.db)).rows;
  await expect.poll(left, PATIENCE).toEqual([]);
});
