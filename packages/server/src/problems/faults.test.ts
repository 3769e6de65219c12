import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getFreshCredentials } from "#connections";
import { prepareConnection } from "#connections/testing";
import { createApiKey, environments } from "#environments";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  newTimeId,
  type OperationId,
  type RunId,
} from "#foundation";
import { deployFunctions, flushFindings, flushRunCounts, functions, runFunction } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { flushOutages } from "#integrations";
import { ensureLogPartitions } from "#logs";
import { proxy } from "#proxy";
import { enqueueTask } from "#tasks";
import { type Answer, type TestApp, testApp } from "#testing";
import { eraseFromProblems, problems } from "./index.ts";
import { sweepProblems } from "./sweep-problems.ts";
import { dropTomorrow, forgetFirstOperations, setRoom } from "./testing/store.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let answer = { status: 503, body: "{}" };
const authority = createServer((_request, response) => {
  response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
});
let tokenUrl = "";

beforeAll(async () => {
  app = await testApp({
    slices: [environments, functions, proxy, problems],
    caller: async ({ signal }) => ({ ...ctx, signal }),
    runsFunctions: true,
  });
  authority.listen(0, "127.0.0.1");
  await once(authority, "listening");
  tokenUrl = `http://127.0.0.1:${toPort(authority.address())}/token`;
});
afterAll(async () => {
  authority.close();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

const operationsOf = ({ first_operation_id: first, sample_operation_id: last }: Answer) => ({
  first,
  last,
});

function toPort(address: ReturnType<Server["address"]>): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function list(): Promise<Answer> {
  await flushOutages(ctx);
  await flushFindings(ctx);
  await flushRunCounts(ctx);
  await sweepProblems(ctx);
  const found = await app.server.inject({ method: "GET", url: "/problems?state=open" });
  return found.json().data;
}

const kindsOf = (found: Answer) => found.map(({ kind }: Answer) => kind);

async function prepareFunction(body: string) {
  const prepared = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  const { uniqueKey: providerConfigKey } = prepared.integration;
  const deploy = async (text: string) => {
    const fileBody = newBundle("action", text);
    const flow = newAction("act", { providerConfigKey, fileBody });
    const [deployed] = await deployFunctions(ctx, newUpload({ flowConfigs: [flow] }));
    if (deployed === undefined) throw new Error("nothing was deployed");
    return deployed.fn;
  };
  const fn = await deploy(body);
  const run = async (input: unknown = null) =>
    await runFunction(ctx, {
      ...{ fn, ...prepared, kind: "action", timeoutMs: 20_000, exclusive: false },
      runId: newTimeId<RunId>(app.clock.now()),
      operationId: newTimeId<OperationId>(app.clock.now()),
      input: Buffer.from(JSON.stringify(input)),
    });
  return { ...prepared, deploy, run };
}

test("a token endpoint that fails for several connections is down until it answers", async () => {
  answer = { status: 503, body: "{}" };
  const prepared = [];
  for (let n = 0; n < 6; n += 1) {
    const each = await prepareConnection(ctx, { tokenUrl, expiresIn: -60 });
    prepared.push(each);
    await expect(getFreshCredentials(ctx, { ...each, force: false })).rejects.toThrow();
  }
  const down = (await list()).filter(({ kind }: Answer) => kind === "provider_down");
  answer = { status: 200, body: JSON.stringify({ access_token: "new", expires_in: 3600 }) };
  const [fifth, sixth] = prepared.slice(4);
  if (fifth === undefined) throw new Error("none");
  app.clock.advance(MINUTE);
  await getFreshCredentials(ctx, { ...fifth, force: true });
  const after = (await list()).filter(({ kind }: Answer) => kind === "provider_down");

  const { host } = new URL(tokenUrl);
  expect(down.map(({ integration }: Answer) => integration).toSorted()).toEqual(
    prepared
      .slice(4)
      .map(({ integration }) => integration.uniqueKey)
      .toSorted(),
  );
  expect(down).toContainEqual(
    expect.objectContaining({
      ...{ severity: "error", integration: fifth.integration.uniqueKey },
      cause: `${host} answers 503.`,
      next_at: expect.any(String),
      by_itself: expect.stringContaining("After each pause one call tries the host"),
    }),
  );
  expect(after.map(({ integration }: Answer) => integration)).toEqual([
    sixth?.integration.uniqueKey,
  ]);
});

test("a provider that takes no connections is down while it is called, and for 15 minutes after", async () => {
  const { run, integration } = await prepareFunction(`
    for (let n = 0; n < 7; n += 1) await svc.get({ endpoint: "/x", retries: 0 }).catch(() => {});
    return 1;`);
  await run();
  const found = await list();
  app.clock.advance(16 * MINUTE);
  const later = await list();

  expect(found).toMatchObject([
    {
      ...{ kind: "provider_down", integration: integration.uniqueKey, count: 3 },
      cause: "127.0.0.1:9 takes no connections.",
    },
  ]);
  expect(later).toEqual([]);
});

test("a problem keeps its first operation while the last one changes, until it is opened again", async () => {
  const { run } = await prepareFunction(`if (input === 1) throw new TypeError("one"); return 1;`);
  const fail = async () => {
    app.clock.advance(1000);
    for (let n = 0; n < 3; n += 1) await run(1);
    const [found] = await list();
    return operationsOf(found);
  };

  const opened = await fail();
  const later = await fail();
  app.clock.advance(3 * HOUR);
  const resolved = await list();
  const again = await fail();

  expect(opened).toEqual({ first: expect.any(String), last: opened.first });
  expect(later.first).toBe(opened.first);
  expect(later.last).not.toBe(opened.last);
  expect(resolved).toEqual([]);
  expect(again.first).toBe(again.last);
  expect(again.first).not.toBe(later.last);
});

test("a problem that an earlier release opened stays without a first operation", async () => {
  const { run } = await prepareFunction(`throw new TypeError("one");`);
  for (let n = 0; n < 3; n += 1) await run(1);
  await list();
  await forgetFirstOperations(app.ctx.db);
  app.clock.advance(1000);

  for (let n = 0; n < 3; n += 1) await run(1);
  const [found] = await list();

  expect(operationsOf(found)).toEqual({ first: null, last: expect.any(String) });
});

test("errors of a function are one problem for each type and place, until a new version or two hours", async () => {
  const { run, deploy } = await prepareFunction(`
    if (input === 1)
      throw new TypeError("one");
    if (input === 2)
      throw new RangeError("two");
    if (input === 3) return 1;
    throw new svc.ActionError({ type: "quota" });`);
  for (const input of [1, 2, 1, 2, 1, 2, 1]) await run(input);
  const two = await list();
  await run(3);
  const justAfter = await list();
  app.clock.advance(20 * MINUTE);
  const recovered = await list();
  app.clock.advance(1);
  for (const input of [1, 1, 1]) await run(input);
  const again = await list();
  app.clock.advance(1);
  await deploy("return 2;");
  const deployed = await list();

  expect(two).toHaveLength(2);
  expect(new Set(two.map(({ place }: Answer) => place)).size).toBe(2);
  expect(two).toContainEqual(
    expect.objectContaining({
      ...{ kind: "function_error", function: "act", count: 4 },
      code: "script_internal_error",
      place: expect.stringMatching(/act.*:\d+$/),
      sample_operation_id: expect.any(String),
    }),
  );
  expect(justAfter).toHaveLength(2);
  expect(recovered).toEqual([]);
  expect(again).toMatchObject([{ count: 7 }]);
  expect(deployed).toEqual([]);
});

test("a function with ever new errors has 20 of them apart, and the rest as one", async () => {
  const lines = Array.from({ length: 30 }, (_, n) => `if (input === ${n}) throw new Error("x");`);
  const { run } = await prepareFunction(lines.join("\n"));
  for (let n = 0; n < 30; n += 1) await run(n);
  await flushFindings(ctx);
  const { rows } = await sql<{ code: string; count: number }>`
    select code, count::int as count from function_errors
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);

  expect(rows).toHaveLength(21);
  expect(rows).toContainEqual({ code: "other", count: 10 });
});

test("values that do not match their schema are a problem for a day", async () => {
  const { run } = await prepareFunction("return 1;");
  const drifting = `const issues = [{ path: ["a"], message: "no", code: "x" }];
    const refuse = () => ({ success: false, error: { issues } });
    module.exports.default.output = { safeParse: refuse, safeParseAsync: async () => refuse() };`;
  const { integration } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  expect((await run()).kind).toBe("done");
  const before = await list();
  const fileBody = newBundle("action", "return 1;");
  const changed = { ...fileBody, js: `${fileBody.js}\n${drifting}` };
  const flow = newAction("drift", { providerConfigKey: integration.uniqueKey, fileBody: changed });
  const [deployed] = await deployFunctions(ctx, newUpload({ flowConfigs: [flow] }));
  if (deployed === undefined) throw new Error("nothing was deployed");
  const { connection } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  for (let n = 0; n < 2; n += 1) {
    const outcome = await runFunction(ctx, {
      ...{ fn: deployed.fn, integration, connection, kind: "action", timeoutMs: 20_000 },
      exclusive: false,
      runId: newTimeId<RunId>(app.clock.now()),
      operationId: newTimeId<OperationId>(app.clock.now()),
    });
    expect(outcome.kind).toBe("done");
  }
  const found = await list();

  expect(before).toEqual([]);
  expect(found).toMatchObject([
    { kind: "validation_drift", severity: "warning", function: "drift", code: "output", count: 2 },
  ]);
});

test("jobs of an environment that wait are its problem, until they are done", async () => {
  const task = { name: "end-users.erase", queue: "chores", maxAttempts: 3 } as const;
  const environmentId = ctx.environment.id;
  const queue = async (minutes: number) => {
    const options = { runAt: new Date(Date.now() - minutes * MINUTE), environmentId };
    await enqueueTask(ctx, task, { environmentId, id: "1" }, options);
  };
  await queue(1);
  const soon = await list();
  await queue(5);
  const late = await list();

  expect(soon).toEqual([]);
  expect(late).toMatchObject([
    { kind: "queue_late", count: 1, cause: "Waiting: end-users.erase." },
  ]);
});

test("a disk that is almost full, and a table without tomorrow, are problems of the first account", async () => {
  await setRoom(ctx.db, { freeBytes: 1e9, totalBytes: 5e11 });
  await dropTomorrow(ctx.db, "operations", app.clock.now());
  const found = await list();
  await setRoom(ctx.db, { freeBytes: 4e11, totalBytes: 5e11 });
  await ensureLogPartitions(ctx);
  const after = await list();

  expect(kindsOf(found).toSorted()).toEqual(["disk_low", "partition_missing"]);
  expect(found).toContainEqual(
    expect.objectContaining({ kind: "disk_low", cause: "host:1 has 954 MB of 466 GB free." }),
  );
  expect(found).toContainEqual(
    expect.objectContaining({ kind: "partition_missing", cause: "operations" }),
  );
  expect(after).toEqual([]);
});

test("what a provider said of a person is erased with them", async () => {
  answer = { status: 400, body: '{"error":"unknown","error_description":"ada@example.com?"}' };
  const each = await prepareConnection(ctx, { tokenUrl, expiresIn: -60 });
  await expect(getFreshCredentials(ctx, { ...each, force: false })).rejects.toThrow();
  const [before] = await list();
  await eraseFromProblems(ctx, { names: [each.connection.connectionId], words: [] });
  const shown = await app.server.inject({ method: "GET", url: `/problems/${before.id}` });

  expect(before.cause).toContain("answered 400");
  expect(shown.json().data).toMatchObject({ cause: null, connections: { sample: [] } });
});

test("a signing key that is being replaced for a day, and keys that nobody uses for 90", async () => {
  const { accountId } = ctx.environment;
  const key = { accountId, environmentId: ctx.environment.id, scopes: [] };
  await createApiKey(ctx, { ...key, displayName: "backup" });
  for (const immediate of [true, false]) {
    const url = "/environment/webhook-signing-key/rotate";
    await app.server.inject({ method: "POST", url, payload: { immediate } });
  }
  const rotating = await list();
  app.clock.advance(DAY + HOUR);
  const rotated = await list();
  app.clock.advance(90 * DAY);
  await ensureLogPartitions(ctx);
  const unused = await list();

  expect(rotating).toMatchObject([
    {
      kind: "signing_key_rotating",
      next_at: addMs(app.clock.now(), -90 * DAY - HOUR).toISOString(),
    },
  ]);
  expect(rotated).toEqual([]);
  expect(unused).toMatchObject([{ kind: "key_unused", count: 1, cause: "backup" }]);
});
