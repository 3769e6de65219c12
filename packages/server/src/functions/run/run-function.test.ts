import { bundleFunction } from "@jackfield/functions/compile";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { environments, setEnvironmentVariable } from "#environments";
import {
  AppError,
  type ConnectionUuid,
  type EnvironmentContext,
  newTimeId,
  type OperationId,
  type RunId,
} from "#foundation";
import type { SandboxOutcome } from "#foundation/sandbox";
import { flushLogs } from "#logs";
import type { RuntimeHandlers } from "#slice";
import { deployFunctions } from "../deploy/deploy-functions.ts";
import { functions } from "../slice.ts";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newSync,
  newUpload,
} from "../testing/index.ts";
import type { FunctionRun } from "./function-run.ts";
import { type FunctionOutcome, runFunction } from "./run-function.ts";

type Handler = RuntimeHandlers["getConnection"];

import { type TestApp, testApp } from "#testing";

let app: TestApp;
let ctx: EnvironmentContext;
let integration: { id: number; uniqueKey: string; provider: string };
let connection: { uuid: ConnectionUuid; connectionId: string };
/** What the slice that answers `getConnection` does in the test. */
let answer: Handler;

beforeAll(async () => {
  app = await testApp({
    slices: [environments, functions],
    runtime: { getConnection: (inner, call) => answer(inner, call) },
    runsFunctions: true,
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

beforeEach(async () => {
  ctx = await app.addEnvironment();
  integration = await insertTestIntegration(ctx, "crm");
  connection = await insertTestConnection(ctx, integration, "customer-1");
  answer = async () => ({ value: {} });
});

async function run(
  flow: ReturnType<typeof newAction>,
  change: Partial<FunctionRun> = {},
): Promise<FunctionOutcome> {
  const [deployed] = await deployFunctions(ctx, newUpload({ flowConfigs: [flow] }));
  if (deployed === undefined) throw new Error("nothing was deployed");
  return await runFunction(ctx, {
    fn: deployed.fn,
    integration,
    connection,
    kind: flow.type,
    runId: newTimeId<RunId>(ctx.clock.now()),
    operationId: newTimeId<OperationId>(ctx.clock.now()),
    timeoutMs: 20_000,
    exclusive: false,
    ...change,
  });
}

function outputOf(outcome: SandboxOutcome): unknown {
  if (outcome.kind === "done") return JSON.parse(Buffer.from(outcome.output).toString());
  throw new Error(`${outcome.error.type}: ${outcome.error.message}`);
}

const withBody = (body: string) => newAction("act", { fileBody: newBundle("action", body) });

async function readMessages(): Promise<object[]> {
  await flushLogs(ctx);
  const { rows } = await sql<object>`
    select level, source, message, error from operation_messages
     where environment_id = ${ctx.environment.id} order by created_at, id`.execute(ctx.db);
  return rows;
}

test("a function knows for whom it runs and gets its input", async () => {
  const body = `const { connectionId, providerConfigKey, provider, environmentName } = svc;
    return { connectionId, providerConfigKey, provider, environmentName, input };`;

  const outcome = await run(withBody(body), { input: Buffer.from('{"a":[0]}') });

  expect(outputOf(outcome)).toEqual({
    connectionId: "customer-1",
    providerConfigKey: "crm",
    provider: "unauthenticated",
    environmentName: ctx.environment.name,
    input: { a: [0] },
  });
});

test("the first run of a code is cold, the next is warm, and each knows where its time went", async () => {
  const flow = withBody("await new Promise((done) => setTimeout(done, 100)); return 1;");
  const startedAt = ctx.clock.now();

  const first = (await run(flow, { queueMs: 40 })).timing;
  const second = (await run(flow)).timing;

  expect(first).toMatchObject({ isCold: true, queueMs: 40, startedAt });
  expect(second).toMatchObject({ isCold: false, queueMs: 0 });
  expect(second.startMs).toBeLessThan(first.startMs ?? 0);
  for (const { functionMs } of [first, second]) expect(functionMs).toBeGreaterThan(95);
  expect(second).not.toHaveProperty("saves");
});

test("a run that ends before its function begins has only waited", async () => {
  const { timing } = await run(withBody("return 1;"), { signal: AbortSignal.abort() });

  expect(Object.keys(timing).toSorted()).toEqual(["queueMs", "startedAt", "waitMs"]);
});

test("log lines reach the operation from the level that the environment sets", async () => {
  const body = `await svc.log("details"); await svc.log("trouble", { level: "warn" }); return 1;`;

  await run(withBody(body));
  expect(await readMessages()).toMatchObject([{ level: "warn", message: "trouble" }]);

  await setEnvironmentVariable(ctx, { name: "SVC_LOGGER_LEVEL", value: "info" });
  await run(withBody(body));
  expect(await readMessages()).toMatchObject([
    { message: "trouble" },
    { level: "info", source: "user", message: "details" },
    { message: "trouble" },
  ]);
});

test("a call is done as the run of its own connection", async () => {
  const calls: unknown[] = [];
  answer = async (inner, { run: identity, params }) => {
    calls.push({ actor: inner.actor, environment: inner.environment, identity, params });
    return { value: { id: 1 } };
  };
  const runId = newTimeId<RunId>(ctx.clock.now());
  const sync = newSync("contacts", {
    fileBody: newBundle("sync", "await svc.getConnection();"),
  });

  await run(sync, { runId, exclusive: true, fence: 7, lastSyncDate: new Date(0) });

  expect(calls).toEqual([
    {
      actor: expect.objectContaining({ kind: "function", runId, connection: connection.uuid }),
      environment: ctx.environment,
      identity: expect.objectContaining({
        kind: "sync",
        runId,
        connection: connection.uuid,
        integration: "crm",
        variant: "base",
        models: ["Contact"],
        fence: 7,
      }),
      params: expect.objectContaining({ forceRefresh: false }),
    },
  ]);
});

test("a function sees the code of a refused call, and nothing of a fault of the server", async () => {
  const body = `const errors = [];
    for (let i = 0; i < 2; i += 1) {
      await svc.getConnection("crm", "c" + i).catch(({ type, message, payload }) => errors.push({ type, message, payload }));
    }
    return errors;`;
  let calls = 0;
  answer = async () => {
    calls += 1;
    if (calls > 1) throw new Error("relation vault_secrets does not exist");
    throw new AppError("invalid_credentials", "Authorize it again.", { details: [{ code: "E1" }] });
  };

  const [refused, fault] = Object(outputOf(await run(withBody(body))));

  expect(refused).toEqual({
    type: "invalid_credentials",
    message: "Authorize it again.",
    payload: { code: "E1" },
  });
  expect(fault).toMatchObject({ type: "server_error" });
  expect(JSON.stringify(fault)).not.toContain("vault_secrets");
});

test("a failure names the line in the author's file and is logged with it", async () => {
  const source = [
    'import { createAction } from "@jackfield/functions";',
    'import * as z from "zod";',
    "const schema = z.any();",
    "export default createAction({",
    '  description: "fails", input: schema, output: schema,',
    "  exec: () => {",
    '    throw new Error("no luck");',
    "  },",
    "});",
  ].join("\n");
  const bundle = await bundleFunction({
    source: { text: source, resolveDir: import.meta.dirname },
    integrationId: "crm",
    functionName: "act",
    root: import.meta.dirname,
  });
  const fileBody = { js: bundle.code, ts: source };

  const outcome = await run(newAction("act", { fileBody, sourceMap: bundle.sourceMap }));

  const place = expect.stringMatching(/crm\/act\.ts:7:/);
  expect(outcome).toMatchObject({
    kind: "failed",
    error: {
      type: "script_internal_error",
      message: "no luck",
      stack: place,
      payload: { stacktrace: expect.arrayContaining([place]) },
    },
  });
  expect(await readMessages()).toMatchObject([
    { level: "error", source: "internal", error: { payload: { stack: place } } },
  ]);
});

test.for(["run", "caller"] as const)(
  "the signal of the %s ends a run and its calls",
  async (whose) => {
    const controller = new AbortController();
    const called = Promise.withResolvers<EnvironmentContext>();
    answer = async (inner) => {
      called.resolve(inner);
      return await new Promise(() => {});
    };
    const plain = ctx;
    ctx = whose === "caller" ? { ...plain, signal: controller.signal } : plain;

    const outcome = run(
      withBody("return await svc.getConnection();"),
      whose === "run" ? { signal: controller.signal } : {},
    );
    const inner = await called.promise;
    controller.abort();

    expect(await outcome).toMatchObject({ kind: "failed", error: { type: "script_aborted" } });
    expect(inner.signal.aborted).toBe(true);
  },
);

test("a call that nobody waits for is given up when its run ends", async () => {
  const called = Promise.withResolvers<EnvironmentContext>();
  answer = async (inner) => {
    called.resolve(inner);
    return await new Promise(() => {});
  };

  const outcome = await run(
    withBody(
      "void svc.getConnection().catch(() => {}); await svc.getEnvironmentVariables(); return 1;",
    ),
  );

  expect(outputOf(outcome)).toBe(1);
  expect((await called.promise).signal.aborted).toBe(true);
});
