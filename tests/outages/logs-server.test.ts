import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { newUpload } from "../syncs/installation.ts";
import { timeQueues } from "./checks.ts";
import { openLineTo } from "./line.ts";
import { queryPatiently } from "./plain-site.ts";
import { PROBE, type Site, setUpSite, startOutside } from "./site.ts";

/** A server whose log is in a database of its own, behind a line that can be cut. */
async function startSite() {
  await using stack = new AsyncDisposableStack();
  const [first, logs] = [
    stack.use(await createEmptyDatabase()),
    stack.use(await createEmptyDatabase()),
  ];
  const { line, url } = await openLineTo(logs.connectionString);
  stack.use(line);
  const poolOf = (connectionString: string) => {
    const pool = new pg.Pool({ connectionString, max: 2 });
    pool.on("error", () => undefined);
    stack.defer(async () => await pool.end());
    return pool;
  };
  const [firstPool, logPool] = [poolOf(first.connectionString), poolOf(logs.connectionString)];
  const key = randomUUID();
  const dataDir = stack.use(await makeDataFolder()).path;
  const env = {
    SVC_DATABASE_URL: first.connectionString,
    SVC_LOGS_DATABASE_URL: url,
    SVC_BOOTSTRAP_KEY: key,
    SVC_LOG_LEVEL: "info",
  };
  // The log is away from the start on.
  line.refuse();
  const platform = await startPlatformProcess({ dataDir, env });
  stack.defer(async () => await platform.kill());
  const site: Site = {
    ...{ urls: [platform.url], key },
    query: async (text, values = []) => await queryPatiently(firstPool, text, values),
  };
  const running = stack.move();
  return {
    ...{ site, line, platform },
    readLogs: async <Row extends object>(text: string) =>
      await queryPatiently<Row>(logPool, text, []),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

interface Kind {
  readonly kind: string;
  readonly count: number;
}

test("the log's server refuses, falls silent and returns: work continues, and no row is lost", {
  timeout: 300_000,
}, async () => {
  await using outside = await startOutside();
  await using running = await startSite();
  const { site, line, platform, readLogs } = running;
  const api = apiOf(platform.url, site.key);
  const probe = { "connection-id": PROBE, "provider-config-key": "crm" };
  const connected: string[] = [];
  const work = async (name: string, webhookPath: string) => {
    const connection = { provider_config_key: "crm", connection_id: `made-${name}` };
    const body = { ...connection, credentials: { type: "NONE" } };
    expect(await api("POST", "/connections", { body })).toMatchObject({ status: 201 });
    connected.push(`made-${name}`);
    const upload = newUpload(
      `await svc.log("${name}", { level: "warn" }); await svc.batchSave([], "Row");`,
      "every hour",
    );
    expect(await api("POST", "/sync/deploy", { body: upload })).toMatchObject({ status: 200 });
    const call = { headers: probe, body: { action_name: "greet", input: name } };
    const action = await api("POST", "/action/trigger", call);
    expect(action).toMatchObject({ status: 200, body: { hello: name } });
    await timeQueues(site, outside, webhookPath);
  };
  const look = async () => ({
    ready: await api("GET", "/ready"),
    logs: await api("GET", "/logs/operations"),
    metrics: await api("GET", "/metrics/totals?by=type"),
  });

  const atStart = await look();
  const { webhookPath } = await setUpSite(site, outside);
  await work("refused", webhookPath);
  const refused = await look();
  line.resume();
  await expect
    .poll(async () => (await look()).ready.body, { timeout: 60_000 })
    .toEqual({ result: "ok" });
  const between = await look();
  line.stall();
  await work("silent", webhookPath);
  const silent = await look();
  line.resume();
  await expect
    .poll(async () => (await look()).ready.body, { timeout: 60_000 })
    .toEqual({ result: "ok" });
  await work("back", webhookPath);

  // Counts are in the first database: what they know of has to be in the log, each once.
  const counted = async () =>
    await site.query<Kind>(`
      select type || ':' || action as kind, sum(success + failed + timeout + cancelled)::int as count
        from operation_minutes group by 1 order by 1`);
  const logged = async () =>
    await readLogs<Kind>(`
      select type || ':' || action as kind, count(*)::int as count
        from operations where ended_at is not null group by 1 order by 1`);
  await api("PATCH", "/environment/webhooks", { body: { primary_url: "" } });
  await expect
    .poll(async () => JSON.stringify(await logged()) === JSON.stringify(await counted()), {
      timeout: 60_000,
      interval: 1000,
    })
    .toBe(true);
  const kinds = (await logged()).map(({ kind }) => kind);
  const names = await readLogs<{ name: string }>(
    "select meta ->> 'connection_id' as name from operations where type = 'auth'",
  );
  const lines = await readLogs<{ message: string }>(
    "select distinct message from operation_messages where source = 'user'",
  );
  const left = await site.query("select from operations union all select from operation_messages");
  const open = await site.query<{ id: string }>(
    "select operation_id as id from runs where state = 'success' and operation_id is not null",
  );
  const known = await readLogs<{ id: string }>("select id from operations");
  const ids = new Set(known.map(({ id }) => id));

  for (const { ready, logs, metrics } of [atStart, refused, silent]) {
    expect([ready.status, ready.body]).toEqual([200, { result: "ok", degraded: ["logs"] }]);
    expect(logs.status).toBe(503);
    expect(logs.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(logs.body.error.message).toMatch(/^The log cannot be reached/);
    expect(metrics.status).toBe(200);
  }
  expect(between.logs.status).toBe(200);
  expect(kinds).toEqual(
    expect.arrayContaining(["action:run", "auth:create_connection", "deploy:custom", "sync:run"]),
  );
  expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(connected));
  expect(lines.map(({ message }) => message)).toEqual(
    expect.arrayContaining(["refused", "silent", "back"]),
  );
  expect(left).toEqual([]);
  expect(open.filter(({ id }) => !ids.has(id))).toEqual([]);
  line.refuse();
  const stopped = await Promise.race([platform.stop(), sleep(60_000, "late")]);
  expect(stopped).toBe(0);
});
