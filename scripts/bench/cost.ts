import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSimulatedProvider } from "@jackfield/simulator";
import pg from "pg";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { redirectUri } from "../../packages/simulator/src/testing/code-flow.ts";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import {
  type PlatformProcess,
  startPlatformProcess,
} from "../../tests/launcher/platform-process.ts";
import { type Call, callerOf } from "./bench-project.ts";
import { runLoad } from "./load/run-load.ts";
import { CostMeter, type Growth } from "./meters/cost-meter.ts";
import type { BenchRow } from "./meters/row.ts";
import { authorize, integrationOf } from "./refreshes.ts";
import { startChildServer } from "./servers/child-server.ts";
import { setUpShop } from "./webhooks/webhooks-in.ts";

/** At one run in 30 s each that is 20 runs a second. */
const SYNCS = 600;
const SYNC_WINDOW_MS = 30_000;
const SETTLED_WITHIN_MS = 90_000;
const CALLERS = 8;
const CALLS = 2000;
const DELIVERIES = 500;
const RECORDS = 20_000;
const SECRET = "secret";
/** Units that warm processes, caches and pages up, of each kind. */
const WARM_UP = 100;

interface CostBench {
  readonly meter: CostMeter;
  readonly client: pg.Client;
  readonly call: Call;
  readonly key: string;
  readonly platform: PlatformProcess;
  readonly upstream: string;
}

export interface Costs {
  readonly rows: BenchRow[];
  /** What each unit of work adds to the tables, by its name. */
  readonly growths: ReadonlyMap<string, Growth>;
}

/** What a unit of each kind of work costs: CPU of the API, the worker and the database, the database's WAL and its disk. */
export async function benchCost(): Promise<BenchRow[]> {
  return (await measureCosts()).rows;
}

export async function measureCosts(): Promise<Costs> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const postgres = stack.use(await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} }));
  const upstream = stack.use(await startChildServer("bare-upstream.ts", []));
  const key = randomUUID();
  const env = {
    SVC_BOOTSTRAP_KEY: key,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_DATABASE_URL: postgres.connectionString,
    SVC_EGRESS_ALLOW: "127.0.0.0/8",
    SVC_WEBHOOK_LIMIT_PER_MIN: "0",
    SVC_WEBHOOK_ENVIRONMENT_LIMIT_PER_MIN: "0",
  };
  const start = async (role: string) => {
    const dataDir = join(folder.path, role);
    const started = await startPlatformProcess({ dataDir, env: { ...env, SVC_ROLES: role } });
    stack.defer(async () => void (await started.stop()));
    return started;
  };
  const platform = await start("api");
  const worker = await start("worker");
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  stack.defer(async () => await client.end());
  const meter = new CostMeter(client, {
    api: platform.processId,
    worker: worker.processId,
    database: postgres.processId,
  });
  const call = callerOf(platform.url, key);
  const bench = { meter, client, call, key, platform, upstream: upstream.url };
  await call("POST", "/integrations", { provider: "unauthenticated", unique_key: "bench" });
  await addConnections(client);
  await client.query("checkpoint");
  const rows: BenchRow[] = [await meter.measureRest()];
  for (const measure of kinds) rows.push(await measure(bench));
  return { rows, growths: meter.growths };
}

const kinds: readonly ((bench: CostBench) => Promise<BenchRow>)[] = [
  async (bench) =>
    await measureSync(bench, "saves", 'await svc.batchSave([{ id: "1", at: Date.now() }], "Row");'),
  async (bench) => await measureSync(bench, "idles", ""),
  measureAction,
  measureAsyncAction,
  measureWebhookIn,
  measureProxy,
  measureRefresh,
  measureRecords,
  measureDelivery,
];

async function addConnections(client: pg.Client): Promise<void> {
  await client.query(
    `insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
     select gen_random_uuid(), environment_id, id, 'c-' || n, 'NONE', ''::bytea, now(), now()
       from integrations, generate_series(1, ${SYNCS}) as n where unique_key = 'bench'`,
  );
}

const any =
  "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";

function syncUpload(syncName: string, body: string, runs: string): object {
  const js = `${any}\nmodule.exports.default = { type: "sync", models: { Row: any }, exec: async (svc) => { ${body} } };`;
  return {
    reconcile: false,
    flowConfigs: [
      {
        ...{ type: "sync", syncName, providerConfigKey: "bench", models: ["Row"], runs },
        auto_start: runs.endsWith("seconds"),
        models_json_schema: { definitions: { Row: { type: "object" } } },
        fileBody: { js, ts: "" },
      },
    ],
  };
}

/** Each connection's sync on its schedule; runs of one half of the window are as many as of the other. */
async function measureSync(bench: CostBench, name: string, body: string): Promise<BenchRow> {
  const { call, client, meter } = bench;
  await call("POST", "/sync/deploy", syncUpload(name, body, "every 30 seconds"));
  await waitFor(
    bench,
    `select count(*) filter (where last_sync_date is null
      or next_run_at < now() - interval '1 second' and running_run_id is null) = 0 as done
    from syncs where name = '${name}'`,
  );
  const what = body === "" ? "nothing" : "one record";
  const row = await meter.measure(`a sync run that saves ${what}`, async () => {
    const { rows: before } = await client.query("select now() as at");
    await sleep(SYNC_WINDOW_MS);
    const { rows } = await client.query(
      "select count(*)::int as runs from runs where ended_at >= $1 and state = 'success'",
      [before[0].at],
    );
    return rows[0].runs;
  });
  await client.query("update syncs set paused = true");
  await waitFor(bench, "select count(*) = 0 as done from syncs where running_run_id is not null");
  return row;
}

const ping = { action_name: "ping", input: { text: "x" } };

async function trigger({ call }: CostBench, n: number, headers = {}): Promise<void> {
  const of = { "provider-config-key": "bench", "connection-id": `c-${1 + (n % 50)}` };
  await call("POST", "/action/trigger", ping, { ...of, ...headers });
}

async function measureAction(bench: CostBench): Promise<BenchRow> {
  const js = `${any}\nmodule.exports.default = { type: "action", input: any, output: any, exec: async (_svc, input) => input };`;
  await bench.call("POST", "/sync/deploy", {
    reconcile: false,
    flowConfigs: [
      {
        ...{ type: "action", syncName: "ping", providerConfigKey: "bench", models: [] },
        ...{ runs: null, fileBody: { js, ts: "" } },
      },
    ],
  });
  await repeat(WARM_UP, async (n) => await trigger(bench, n));
  return await bench.meter.measure("a synchronous action", async () => {
    return await repeat(CALLS, async (n) => await trigger(bench, n));
  });
}

async function measureAsyncAction(bench: CostBench): Promise<BenchRow> {
  const run = async (count: number) => {
    await repeat(count, async (n) => await trigger(bench, n, { "x-async": "true" }));
    await waitFor(bench, "select count(*) = 0 as done from async_actions where ended_at is null");
    return count;
  };
  await run(WARM_UP);
  return await bench.meter.measure("an asynchronous action", async () => await run(CALLS));
}

async function measureWebhookIn(bench: CostBench): Promise<BenchRow> {
  const path = await setUpShop(bench.platform.url, bench.key, { secret: SECRET });
  const run = async (count: number) => {
    await repeat(count, async (n) => {
      const body = JSON.stringify({ id: n, note: "x".repeat(1000) });
      const answer = await fetch(`${bench.platform.url}${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-shopify-topic": "orders/create",
          "x-shopify-hmac-sha256": createHmac("sha256", SECRET).update(body).digest("base64"),
        },
        body,
      });
      if (!answer.ok) throw new Error(`a webhook was answered with ${answer.status}`);
      await answer.arrayBuffer();
    });
    await waitFor(
      bench,
      "select count(*) = 0 as done from inbound_webhooks where state = 'waiting'",
    );
    return count;
  };
  await run(WARM_UP);
  return await bench.meter.measure("a webhook received", async () => await run(CALLS));
}

async function measureProxy(bench: CostBench): Promise<BenchRow> {
  await bench.call("POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "api",
    integration_config: { base_url: bench.upstream },
  });
  const names = { provider_config_key: "api", connection_id: "api" };
  await bench.call("POST", "/connections", {
    ...names,
    credentials: { type: "API_KEY", apiKey: "key" },
  });
  const { platform, key } = bench;
  const target = {
    name: "proxy",
    url: `${platform.url}/proxy`,
    processId: platform.processId,
    headers: {
      authorization: `Bearer ${key}`,
      "provider-config-key": "api",
      "connection-id": "api",
    },
  };
  const run = async (durationMs: number) => {
    const { perSecond } = await runLoad(target, { callers: CALLERS, durationMs });
    return Math.round((perSecond * durationMs) / 1000);
  };
  await run(1000);
  return await bench.meter.measure("a proxied call", async () => await run(5000));
}

async function measureRefresh(bench: CostBench): Promise<BenchRow> {
  await using provider = await startSimulatedProvider({
    redirectUris: [redirectUri],
    contacts: 1,
    consent: "automatic",
  });
  const integration = { ...integrationOf(provider), unique_key: "oauth" };
  await bench.call("POST", "/integrations", integration);
  for (let n = 0; n < CALLERS; n += 1) {
    const { access_token, refresh_token } = await authorize(provider);
    await bench.call("POST", "/connections", {
      provider_config_key: "oauth",
      connection_id: `oauth-${n}`,
      credentials: { type: "OAUTH2", access_token, refresh_token },
    });
  }
  const run = async (count: number) =>
    await repeat(count, async (_n, caller) => {
      const path = `/connections/oauth-${caller}?provider_config_key=oauth&force_refresh=true`;
      const answer = await fetch(`${bench.platform.url}${path}`, {
        headers: { authorization: `Bearer ${bench.key}` },
      });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
    });
  await run(WARM_UP);
  return await bench.meter.measure("a refresh of a token", async () => await run(CALLS / 4));
}

/** Records of 1 KB in batches of 1000, all of them changed since they were saved first. */
async function measureRecords(bench: CostBench): Promise<BenchRow> {
  const body = `const at = Date.now();
    for (let from = 0; from < ${RECORDS}; from += 1000) await svc.batchSave(Array.from({ length: 1000 }, (_, n) =>
      ({ id: String(from + n), text: (at + " " + (from + n)).padEnd(960, "lorem ipsum ") })), "Row");`;
  await bench.call("POST", "/sync/deploy", syncUpload("many", body, "every day"));
  const run = async () => {
    const { rows: before } = await bench.client.query("select now() as at");
    const wanted = { provider_config_key: "bench", connection_id: "c-1", syncs: ["many"] };
    await bench.call("POST", "/sync/trigger", wanted);
    await waitFor(
      bench,
      `select exists (select from runs r join syncs s on s.id = r.sync_id
       where s.name = 'many' and r.state = 'success' and r.ended_at >= '${before[0].at.toISOString()}') as done`,
    );
    return RECORDS;
  };
  await run();
  return await bench.meter.measure("a record saved", run);
}

/** Held until all are queued, so that sending alone is measured. */
async function measureDelivery(bench: CostBench): Promise<BenchRow> {
  const { call, client } = bench;
  const url = `${bench.upstream}/hooks`;
  await call("PATCH", "/environment/webhooks", { primary_url: url });
  await repeat(DELIVERIES, async (n) => {
    await call("POST", "/connections", {
      ...{ provider_config_key: "api", connection_id: `told-${n}` },
      credentials: { type: "API_KEY", apiKey: "key" },
    });
  });
  const sent =
    "select count(*) filter (where state <> 'delivered') = 0 as done from webhook_deliveries";
  await waitFor(bench, sent);
  const run = async () => {
    await call("POST", "/webhooks/receivers/enable", { url });
    await waitFor(bench, sent);
    return DELIVERIES;
  };
  const queue = async () => {
    await client.query("update webhook_receivers set failing_since = now(), disabled_at = now()");
    await call("POST", "/webhooks/deliveries/replay", {
      ...{ since: "2020-01-01T00:00:00Z", until: "2100-01-01T00:00:00Z", state: "any" },
    });
    await waitFor(
      bench,
      "select count(*) = 0 as done from webhook_deliveries where state <> 'waiting'",
    );
  };
  await queue();
  await run();
  await queue();
  return await bench.meter.measure("a delivery sent", run);
}

async function waitFor({ client }: CostBench, question: string): Promise<void> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { rows } = await client.query(question);
    if (rows[0].done === true) return;
    if (Date.now() > deadline) throw new Error(`still not so: ${question}`);
    await sleep(200);
  }
}

/** As many callers at once as the bench has; resolves to the count. */
async function repeat(
  count: number,
  once: (n: number, caller: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const loop = async (caller: number): Promise<void> => {
    while (next < count) {
      next += 1;
      await once(next, caller);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => loop(caller)));
  return count;
}
