import { request as sendHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { environments } from "#environments";
import { AppError, type EnvironmentContext } from "#foundation";
import { CallError } from "#foundation/sandbox";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newUpload,
} from "#functions/testing";
import { flushLogs } from "#logs";
import type { RuntimeHandlers } from "#slice";
import { type TestApp, testApp } from "#testing";
import { actions } from "./slice.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let answer: RuntimeHandlers["proxy"];

beforeAll(async () => {
  app = await testApp({
    slices: [actions, environments, functions],
    runtime: { proxy: (inner, call) => answer(inner, call) },
    runsFunctions: true,
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  await insertTestConnection(ctx, integration, "customer-1");
  answer = async () => ({ value: { status: 200, statusText: "OK", headers: {} } });
});

async function deploy(execBody: string): Promise<void> {
  const flow = newAction("act", { fileBody: newBundle("action", execBody) });
  await deployFunctions(ctx, newUpload({ flowConfigs: [flow] }));
}

const callerHeaders = { "connection-id": "customer-1", "provider-config-key": "crm" };

async function trigger(input?: unknown, headers: Record<string, string> = {}) {
  return await app.server.inject({
    method: "POST",
    url: "/action/trigger",
    headers: { ...callerHeaders, ...headers },
    payload: { action_name: "act", ...(input === undefined ? {} : { input }) },
  });
}

async function readOperations() {
  await flushLogs(ctx);
  const { rows } = await sql<Record<string, unknown>>`
    select type, action, state, error, function, connection, ended_at from operations
     where environment_id = ${ctx.environment.id} and type = 'action'`.execute(
    ctx.db.withoutPlugins(),
  );
  return rows;
}

test("answers with the action's output and leaves an operation", async () => {
  await deploy("return { hello: input.name };");

  const response = await trigger({ name: "Ada" });

  expect(response.statusCode).toBe(200);
  expect(response.headers["content-type"]).toBe("application/json");
  expect(response.body).toBe('{"hello":"Ada"}');
  expect(await readOperations()).toMatchObject([
    {
      type: "action",
      action: "run",
      state: "success",
      function: { name: "act" },
      connection: { name: "customer-1" },
      ended_at: app.clock.now(),
    },
  ]);
});

test.for([
  ["0", 0],
  ["false", false],
  ['""', ""],
  ["null", null],
  ["[]", []],
] as const)("passes the input %s as it is", async ([text, input]) => {
  await deploy("return { type: typeof input, input };");

  expect((await trigger(input)).json()).toEqual({ type: typeof input, input: JSON.parse(text) });
});

test("integration and connection come from headers, query or body, in both spellings", async () => {
  await deploy("return 1;");
  const send = async (sent: { headers?: object; query?: string; body?: object }) => {
    const response = await app.server.inject({
      method: "POST",
      url: `/action/trigger${sent.query ?? ""}`,
      headers: { ...sent.headers },
      payload: { action_name: "act", ...sent.body },
    });
    return [response.statusCode, response.json().error?.code ?? response.json()];
  };

  const answers = [
    await send({ body: { provider_config_key: "crm", connection_id: "customer-1" } }),
    await send({ body: { providerConfigKey: "crm", connectionId: "customer-1" } }),
    await send({ query: "?provider_config_key=crm&connection_id=customer-1" }),
    await send({ query: "?providerConfigKey=crm", body: { connectionId: "customer-1" } }),
    await send({ headers: callerHeaders, body: { connectionId: "customer-1" } }),
    await send({ headers: callerHeaders, body: { connectionId: "customer-2" } }),
    await send({ headers: callerHeaders, query: "?connection_id=customer-2" }),
    await send({ headers: callerHeaders, body: { provider_config_key: "erp" } }),
    await send({ headers: callerHeaders, body: { extra: 1 } }),
    await send({ headers: callerHeaders, query: "?extra=1" }),
    await send({ headers: { "connection-id": "customer-1" } }),
    await send({ headers: { ...callerHeaders, "connection-id": "" } }),
  ];

  expect(answers).toEqual([
    [200, 1],
    [200, 1],
    [200, 1],
    [200, 1],
    [200, 1],
    [400, "invalid_body"],
    [400, "invalid_query_params"],
    [400, "invalid_body"],
    [400, "invalid_body"],
    [400, "invalid_query_params"],
    [400, "invalid_headers"],
    [400, "invalid_headers"],
  ]);
});

test("an action without input and output gets undefined and answers null", async () => {
  await deploy('if (input !== undefined) throw new Error("input"); return undefined;');

  const response = await trigger();

  expect(response.statusCode).toBe(200);
  expect(response.body).toBe("null");
});

test.for([
  ["an unknown integration", { "provider-config-key": "nope" }, 400, "unknown_provider"],
  ["an unknown connection", { "connection-id": "nope" }, 400, "unknown_connection"],
  ["repetitions of a synchronous call", { "x-max-retries": "2" }, 400, "invalid_headers"],
  ["more than 5 repetitions", { "x-async": "true", "x-max-retries": "6" }, 400, "invalid_headers"],
] as const)("refuses %s", async ([, headers, status, code]) => {
  await deploy("return 1;");

  const response = await trigger(undefined, headers);

  expect(response.statusCode).toBe(status);
  expect(response.json().error).toMatchObject({ code });
});

test("X-Async: false is a synchronous call", async () => {
  await deploy("return 1;");

  expect((await trigger(undefined, { "x-async": "false" })).body).toBe("1");
});

test("refuses an action that does not exist or is disabled, and another environment's", async () => {
  expect((await trigger()).json().error.code).toBe("not_found");
  await deploy("return 1;");
  await sql`update functions set enabled = false where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );

  const disabled = await trigger();
  ctx = await app.addEnvironment();
  await insertTestIntegration(ctx, "crm");
  const foreign = await trigger();

  expect([disabled.statusCode, disabled.json().error.code]).toEqual([404, "disabled_resource"]);
  expect([foreign.statusCode, foreign.json().error.code]).toEqual([400, "unknown_connection"]);
});

test.for([
  [
    "an ActionError",
    'throw new svc.ActionError({ message: "No such contact", id: 7 });',
    500,
    {
      code: "action_script_runtime_error",
      message: "No such contact",
      errors: [{ message: "No such contact", id: 7 }],
    },
  ],
  [
    "an ActionError with a list",
    "throw new svc.ActionError([1]);",
    500,
    expect.objectContaining({ code: "action_script_runtime_error", errors: [{ payload: [1] }] }),
  ],
  [
    "any other error",
    'throw new RangeError("too far");',
    500,
    {
      code: "script_internal_error",
      message: "too far",
      errors: [expect.objectContaining({ name: "RangeError", message: "too far" })],
    },
  ],
  [
    "an output that is too large",
    'return "x".repeat(10 * 1024 * 1024);',
    400,
    expect.objectContaining({ code: "script_output_too_large" }),
  ],
  [
    "an unhandled answer of the provider",
    'await svc.get({ endpoint: "/contacts" });',
    424,
    {
      code: "script_http_error",
      message: expect.any(String),
      errors: [
        {
          upstream: {
            status: 422,
            headers: { "content-type": "application/json" },
            body: { reason: "secret of the provider" },
          },
        },
      ],
    },
  ],
] as const)("tells of %s", async ([, body, status, error]) => {
  answer = async () => ({
    value: {
      status: 422,
      statusText: "Unprocessable",
      headers: { "content-type": "application/json", "set-cookie": "a=b" },
    },
    body: Buffer.from('{"reason":"secret of the provider"}'),
  });
  await deploy(body);

  const response = await trigger();

  expect(response.statusCode).toBe(status);
  expect(response.json()).toEqual({ error });
  const operations = await readOperations();
  expect(operations).toMatchObject([
    { state: "failed", error: { type: response.json().error.code } },
  ]);
  expect(JSON.stringify(operations)).not.toContain("secret of the provider");
});

test("tells of a provider that cannot be reached", async () => {
  answer = async () => {
    throw new CallError({
      type: "upstream_unreachable",
      message: "api.crm.test cannot be reached.",
      payload: { code: "ECONNREFUSED" },
    });
  };
  await deploy('await svc.get({ endpoint: "/contacts" });');

  const response = await trigger();

  expect(response.statusCode).toBe(500);
  expect(response.json().error).toMatchObject({
    code: "script_network_error",
    errors: [expect.objectContaining({ code: "ECONNREFUSED" })],
  });
});

test("an input over 10 MiB is refused, one of exactly 10 MiB is not", async () => {
  await deploy("return input.length;");
  const limit = 10 * 1024 * 1024;

  const exact = await trigger("x".repeat(limit - 2));
  const larger = await trigger("x".repeat(limit - 1));

  expect([exact.statusCode, exact.body]).toEqual([200, String(limit - 2)]);
  expect([larger.statusCode, larger.json().error.code]).toEqual([413, "request_too_large"]);
});

test.for([
  ["letters", 'return "x".repeat(size - 2);'],
  [
    "letters of three bytes",
    'return "€".repeat((size - 2 - ((size - 2) % 3)) / 3) + "x".repeat((size - 2) % 3);',
  ],
  [
    "nested values",
    'const rest = "x".repeat(size - 2 - 2 * 30); let value = rest; for (let n = 0; n < 30; n += 1) value = [value]; return value;',
  ],
] as const)(
  "an output of exactly 10 MiB of %s is passed, one byte more is refused",
  async ([, body]) => {
    await deploy(`const size = input; ${body}`);
    const limit = 10 * 1024 * 1024;

    const [exact, larger] = await Promise.all([trigger(limit), trigger(limit + 1)]);

    expect([exact.statusCode, exact.rawPayload.byteLength]).toEqual([200, limit]);
    expect(larger.statusCode).toBe(400);
    expect(larger.json().error).toMatchObject({
      code: "script_output_too_large",
      message: expect.stringContaining(`${limit + 1} bytes of JSON; at most ${limit}`),
    });
  },
);

test("a caller that goes away cancels the run", async () => {
  const called = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  answer = async (inner) => {
    inner.signal.addEventListener("abort", () => given.resolve());
    called.resolve();
    await given.promise;
    throw new AppError("upstream_timeout");
  };
  await deploy('return await svc.get({ endpoint: "/slow" });');
  await app.server.listen({ host: "127.0.0.1", port: 0 });

  const request = sendHttp({
    port: toPort(app.server.server.address()),
    host: "127.0.0.1",
    method: "POST",
    path: "/action/trigger",
    headers: { ...callerHeaders, "content-type": "application/json" },
  });
  request.on("error", () => {});
  request.end('{"action_name":"act"}');
  await called.promise;
  request.destroy();
  await given.promise;

  await expect.poll(readOperations).toMatchObject([{ state: "cancelled" }]);
});

function toPort(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
