import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listMetrics } from "../../packages/server/src/foundation/instruments/index.ts";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import {
  type RunningServer,
  readConfig,
  startThrowAwayServer,
} from "../../packages/server/src/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { requireTool } from "../require-tool.ts";
import { findFreePort, scrape, sumOf } from "./scrape.ts";

const metricsKey = "a-key-for-prometheus";
const apiKey = randomUUID();
const asPrometheus = { authorization: `Bearer ${metricsKey}` };
const asCustomer = { authorization: `Bearer ${apiKey}` };

let server: RunningServer;
let port: number;
beforeAll(async () => {
  server = await startThrowAwayServer({
    SVC_METRICS_PORT: "0",
    SVC_METRICS_KEY: metricsKey,
    SVC_BOOTSTRAP_KEY: apiKey,
  });
  port = server.metricsPort ?? 0;
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function call(path: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(`${server.url}${path}`, { headers: asCustomer, ...init });
  await response.arrayBuffer();
  return response.status;
}

test("metrics are read with the key only, on their own port only", async () => {
  const without = await scrape(port);
  const wrong = await scrape(port, { authorization: `Bearer ${apiKey}` });
  const given = await scrape(port, asPrometheus);
  const elsewhere = await fetch(`http://127.0.0.1:${port}/health`);
  const posted = await fetch(`http://127.0.0.1:${port}/metrics`, { method: "POST" });

  expect([without.status, wrong.status, given.status]).toEqual([401, 401, 200]);
  expect([elsewhere.status, posted.status]).toEqual([404, 405]);
  expect(await call("/metrics", { headers: { ...asCustomer, ...asPrometheus } })).not.toBe(200);
  expect(given.text).not.toContain(metricsKey);
});

test("every metric has a name and labels of its own, and what it shows is defined", async () => {
  const { series } = await scrape(port, asPrometheus);

  const metrics = listMetrics();
  expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
  for (const { name, kind, labels, help } of metrics) {
    expect(name).toMatch(/^svc_[a-z_]+$/);
    expect(name.endsWith("_total")).toBe(kind === "counter");
    expect(help).toMatch(/^\S.*\.$/);
    const shown = series.filter((each) => each.name.startsWith(name) && !each.labels["le"]);
    const ofThis = shown.filter((each) => /^(_sum|_count)?$/.test(each.name.slice(name.length)));
    for (const each of ofThis) {
      expect(Object.keys(each.labels).toSorted()).toEqual([...labels, "process"].toSorted());
    }
  }
  expect(sumOf(series, "svc_database_up")).toBe(1);
  expect(sumOf(series, "svc_process_up", { process: "main" })).toBe(1);
  expect(sumOf(series, "svc_database_table_bytes", { table: "environments" })).toBeGreaterThan(0);
  expect(sumOf(series, "svc_queue_age_seconds", { kind: "inbox" })).toBe(0);
  expect(sumOf(series, "svc_queue_pool_idle_seconds", { queue: "runs" })).toBeLessThan(30);
  expect(sumOf(series, "svc_sandbox_isolation")).toBe(1);
});

test("the text is what Prometheus reads, and its own linter finds nothing", async (context) => {
  const promtool = requireTool("promtool", context);
  const { text } = await scrape(port, asPrometheus);

  const { status, stderr } = spawnSync(promtool, ["check", "metrics"], { input: text });

  expect([status, String(stderr)]).toEqual([0, ""]);
});

test("hundreds of ids and addresses make no new series", { timeout: 60_000 }, async () => {
  const visit = async () => {
    const id = randomBytes(6).toString("hex");
    await Promise.all([
      call(`/connections/${id}?provider_config_key=${id}`),
      call(`/connection/${id}`),
      call(`/${id}/${id}`),
      call(`/integrations/${id}`, { headers: { authorization: `Bearer ${id}` } }),
      call(`/records?model=${id}`, { headers: { ...asCustomer, "connection-id": id } }),
      call(`/proxy/${id}?x=${id}`, {
        headers: { ...asCustomer, "connection-id": id, "provider-config-key": id },
      }),
    ]);
  };
  await visit();
  const before = await scrape(port, asPrometheus);

  for (let n = 0; n < 60; n += 1) await visit();
  const after = await scrape(port, asPrometheus);

  const count = (of: typeof before) =>
    of.series.filter(({ name }) => name === "svc_http_request_duration_seconds_count");
  expect(count(after).map(({ text }) => text)).toEqual(count(before).map(({ text }) => text));
  const unknown = { route: "unknown route" };
  const rate = "svc_http_request_duration_seconds_count";
  expect(sumOf(after.series, rate, unknown)).toBeGreaterThanOrEqual(61);
});

test("calls through the proxy are counted once each, with the provider's status", async () => {
  const statuses = [200, 200, 500, 799];
  const upstream = createServer((_request, response) => {
    response.writeHead(statuses.shift() ?? 200).end("{}");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const address = upstream.address();
  const base_url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const post = async (path: string, body: object) =>
    await call(path, {
      method: "POST",
      headers: { ...asCustomer, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const of = { provider_config_key: "shop", connection_id: "customer-1" };
  const credentials = { type: "API_KEY", apiKey: "k" };
  const provider = "private-api-bearer";
  await post("/integrations", { provider, unique_key: "shop", integration_config: { base_url } });
  await post("/connections", { ...of, credentials });
  const before = await scrape(port, asPrometheus);
  const headers = {
    ...asCustomer,
    "provider-config-key": of.provider_config_key,
    "connection-id": of.connection_id,
  };

  // The first goes through the routes, the others through the fast path.
  const answers = [];
  for (let n = 0; n < 4; n += 1) answers.push(await call("/proxy/things", { headers }));
  const after = await scrape(port, asPrometheus);
  upstream.close();

  const added = (status: string): number => {
    const labels = { route: "ANY /proxy/{anyPath+}", status };
    const name = "svc_http_request_duration_seconds_count";
    return (sumOf(after.series, name, labels) ?? 0) - (sumOf(before.series, name, labels) ?? 0);
  };
  expect(answers).toEqual([200, 200, 500, 799]);
  expect([added("200"), added("500"), added("7xx")]).toEqual([2, 1, 1]);
  const failed = { provider, reason: "5xx" };
  expect(sumOf(after.series, "svc_provider_failures_total", failed)).toBeGreaterThanOrEqual(1);
  expect(after.text).not.toContain("customer-1");
});

test("one scrape shows all processes of an API, under names that stay", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const own = await findFreePort();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_API_PROCESSES: "2",
      SVC_METRICS_PORT: String(own),
    },
  });
  try {
    for (let n = 0; n < 20; n += 1) await (await fetch(`${platform.url}/health`)).arrayBuffer();

    const { series } = await scrape(own);

    const names = ["main", "api-1", "api-2"];
    const up = names.map((process) => sumOf(series, "svc_process_up", { process }));
    expect(up).toEqual([1, 1, 1]);
    const route = { route: "GET /health", status: "200" };
    expect(sumOf(series, "svc_http_request_duration_seconds_count", route)).toBe(20);
    expect(sumOf(series, "svc_database_up", { process: "api-1" })).toBeUndefined();
    expect(sumOf(series, "svc_database_up", { process: "main" })).toBe(1);
  } finally {
    await platform.stop();
  }
});

test("metrics are never open to other machines without a key", () => {
  const open = { SVC_METRICS_PORT: "9464", SVC_METRICS_HOST: "0.0.0.0" };

  expect(readConfig(open).problems).toEqual([
    "SVC_METRICS_HOST is reached from other machines: set SVC_METRICS_KEY, too",
  ]);
  expect(readConfig({ ...open, SVC_METRICS_KEY: metricsKey }).problems).toEqual([]);
  expect(readConfig({ ...open, SVC_METRICS_HOST: "::1" }).problems).toEqual([]);
  expect(readConfig({ SVC_METRICS_PORT: "9464" }).problems).toEqual([]);
  expect(readConfig({}).config?.telemetry.endpoint).toBeUndefined();
});
