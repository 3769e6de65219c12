import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "./otlp-receiver.ts";

const action = `
import { createAction } from "jackfield";
import * as z from "zod";

export default createAction({
  description: "Asks the provider, and tells what it knows of its trace",
  input: z.object({ word: z.string() }),
  output: z.object({ traceparent: z.string().optional() }),
  exec: async (svc, { word }) => {
    await svc.get({ endpoint: "/things/secret-path", params: { word } });
    return { traceparent: svc.traceparent };
  },
});
`;

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callersSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callersSpan}-01`;
const secretWord = "word-in-the-query";
const apiSecret = "secret-of-the-connection";

/** The provider and the customer's server for webhooks; keeps the traceparent of each request. */
async function startOutside() {
  const heard: { path: string; traceparent: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { traceparent: reported } = request.headers;
    heard.push({
      path: request.url?.split("?")[0] ?? "",
      traceparent: typeof reported === "string" ? reported : undefined,
    });
    request.resume();
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spanOf(receiver: OtlpReceiver, name: string): ReceivedSpan | undefined {
  return receiver.spans.find((span) => span.name === name && span.traceId === traceId);
}

function isStatement({ attributes }: ReceivedSpan): boolean {
  return attributes.some(({ key }) => key === "db.system.name");
}

test("the trace of an asynchronous action goes from the request to the provider and the webhook", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using outside = await startOutside();
  await using receiver = await startOtlpReceiver();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_BOOTSTRAP_KEY: key,
      SVC_TRACE_PROVIDERS: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_SERVICE_NAME: "jackfield-under-test",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    },
  });
  const api = apiOf(platform.url, key);
  await api("PATCH", "/environment/webhooks", { body: { primary_url: `${outside.url}/webhooks` } });
  await api("POST", "/integrations", {
    body: {
      provider: "private-api-bearer",
      unique_key: "shop",
      integration_config: { base_url: outside.url },
    },
  });
  await api("POST", "/connections", {
    body: {
      provider_config_key: "shop",
      connection_id: "customer-1",
      credentials: { type: "API_KEY", apiKey: apiSecret },
    },
  });
  const project = join(folder.path, "functions");
  const run = async (args: string[], cwd: string) =>
    await promisify(execFile)(process.execPath, [...commandLineArgs(), ...args], {
      cwd,
      env: { SVC_HOSTPORT: platform.url, SVC_SECRET_KEY_DEV: key },
    });
  await run(["init", project], folder.path);
  await mkdir(join(project, "shop", "actions"), { recursive: true });
  await writeFile(join(project, "shop/actions/ask.ts"), action);
  await writeFile(join(project, "index.ts"), 'import "./shop/actions/ask.ts";\n');
  await run(["deploy", "dev", "--auto-confirm"], project);
  const of = { "provider-config-key": "shop", "connection-id": "customer-1" };

  const accepted = await api("POST", "/action/trigger", {
    headers: { ...of, "x-async": "true", traceparent },
    body: { action_name: "ask", input: { word: secretWord } },
  });
  await expect.poll(() => spanOf(receiver, "webhook delivery"), { timeout: 20_000 }).toBeDefined();
  const result = await api("GET", `/action/${accepted.body.id}`);
  const fast = await api("GET", "/proxy/plain", { headers: { ...of, traceparent } });
  const hostile = await api("GET", "/proxy/plain", {
    headers: { ...of, traceparent: `00-${"0".repeat(32)}-${callersSpan}-01` },
  });
  await expect
    .poll(() => receiver.spans.filter(({ name }) => name === "GET provider").length)
    .toBe(3);
  await expect.poll(() => receiver.metricNames.has("svc_database_up")).toBe(true);
  await platform.stop();

  expect([accepted.status, result.status, fast.status, hostile.status]).toEqual([
    202, 200, 200, 200,
  ]);
  const path = ["POST /action/trigger", "job actions.run", "function action", "GET provider"];
  const [request, job, fn, call] = path.map((name) => spanOf(receiver, name));
  expect(request?.parentSpanId).toBe(callersSpan);
  expect(job?.parentSpanId).toBe(request?.spanId);
  expect(fn?.parentSpanId).toBe(job?.spanId);
  expect(call?.parentSpanId).toBe(fn?.spanId);
  expect(spanOf(receiver, "webhook delivery")?.parentSpanId).toBe(job?.spanId);
  // Each of them has statements below it, those of calls that the function makes included.
  const statements = receiver.spans.filter(isStatement);
  const above = new Set(statements.map(({ parentSpanId }) => parentSpanId));
  expect([request, job, fn].map((span) => above.has(span?.spanId))).toEqual([true, true, true]);
  expect(result.body.traceparent).toBe(`00-${traceId}-${fn?.spanId}-01`);
  // The setting is on: the provider learns of the call's span, never of the caller's own.
  const reported = outside.heard.filter((each) => !each.path.startsWith("/webhooks"));
  expect(reported[0]?.traceparent).toBe(`00-${traceId}-${call?.spanId}-01`);
  expect(reported.map((each) => each.traceparent?.slice(3, 35) === traceId)).toEqual([
    true,
    true,
    false,
  ]);
  expect(receiver.faults).toEqual([]);
  expect(receiver.services).toEqual(new Set(["jackfield-under-test"]));
  expect(receiver.metricNames).toContain("svc_http_request_duration_seconds");
  for (const secret of [secretWord, apiSecret, key, "secret-path"]) {
    expect(receiver.text).not.toContain(secret);
  }
}, 90_000);

test("protobuf is what is sent unless another protocol is asked for; providers get no trace id", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using outside = await startOutside();
  await using receiver = await startOtlpReceiver();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_BOOTSTRAP_KEY: key,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    },
  });
  const api = apiOf(platform.url, key);
  const integration_config = { base_url: outside.url };
  await api("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: "shop", integration_config },
  });
  await api("POST", "/connections", {
    body: {
      provider_config_key: "shop",
      connection_id: "customer-1",
      credentials: { type: "API_KEY", apiKey: apiSecret },
    },
  });

  const { status } = await api("GET", "/proxy/x", {
    headers: { "provider-config-key": "shop", "connection-id": "customer-1" },
  });
  // What is left is sent at the stop.
  await platform.stop();

  expect(status).toBe(200);
  expect(outside.heard).toEqual([{ path: "/x", traceparent: undefined }]);
  expect(receiver.protobufPaths).toEqual(expect.arrayContaining(["/v1/traces", "/v1/metrics"]));
});

test("a request that the sampler leaves out sends no span; one that its caller sampled sends all of its own", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using outside = await startOutside();
  await using receiver = await startOtlpReceiver();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_BOOTSTRAP_KEY: key,
      SVC_TRACE_PROVIDERS: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0",
    },
  });
  const api = apiOf(platform.url, key);
  const integration_config = { base_url: outside.url };
  await api("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: "shop", integration_config },
  });
  await api("POST", "/connections", {
    body: {
      provider_config_key: "shop",
      connection_id: "customer-1",
      credentials: { type: "API_KEY", apiKey: apiSecret },
    },
  });
  const of = { "provider-config-key": "shop", "connection-id": "customer-1" };
  await api("GET", "/proxy/left-out", { headers: of });
  await api("GET", "/proxy/sampled", { headers: { ...of, traceparent } });
  // `retries` takes the general path rather than the fast one.
  await api("GET", "/proxy/left-out", { headers: { ...of, retries: "1" } });
  await api("GET", "/proxy/sampled", { headers: { ...of, retries: "1", traceparent } });
  await platform.stop();

  const names = receiver.spans.filter((span) => !isStatement(span)).map(({ name }) => name);
  expect(names.sort()).toEqual([
    "GET /proxy/{anyPath+}",
    "GET /proxy/{anyPath+}",
    "GET provider",
    "GET provider",
  ]);
  expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  // The provider learns that the work is left out, under one id.
  const flags = outside.heard.map((each) => each.traceparent?.slice(-2));
  expect(flags).toEqual(["00", "01", "00", "01"]);
}, 60_000);
