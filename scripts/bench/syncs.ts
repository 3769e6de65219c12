import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { dueStatements } from "../../packages/server/src/syncs/claim/store.ts";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { readCpuTime } from "./meters/cpu-time.ts";
import type { BenchRow } from "./meters/row.ts";

/** At one run in 30 s each that is 5 000 runs a minute. */
const SYNCS = 2500;
const WINDOW_MS = 20_000;
const IDLE_MS = 10_000;
const SETTLED_WITHIN_MS = 60_000;
const SCHEDULES = 1_000_000;
const CLAIMS = 50;

const sync = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
module.exports.default = { type: "sync", models: { Row: any }, exec: async (svc) => {
  await svc.batchSave([{ id: "1" }], "Row");
} };`;

/** Trivial syncs on their schedule: how many a minute, how late they start, what the scheduler costs at rest. */
export async function benchSyncs(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: postgres.connectionString },
  });
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const url = `${platform.url}${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  };
  try {
    await call("POST", "/integrations", { provider: "unauthenticated", unique_key: "bench" });
    await addConnections(client);
    await call("POST", "/sync/deploy", upload);
    await settle(client);
    const busy = await measureWindow(client, platform.processId);
    await call("POST", "/sync/pause", { provider_config_key: "bench", syncs: [] });
    await sleep(5000);
    const idleBefore = readCpuTime(platform.processId).ownMs;
    await sleep(IDLE_MS);
    const idleMs = readCpuTime(platform.processId).ownMs - idleBefore;
    return [
      ...busy,
      {
        name: "scheduler at rest, a process of 2 500 paused syncs",
        value: (100 * idleMs) / IDLE_MS,
        unit: "% of a core",
      },
      ...(await measureClaims(client)),
    ];
  } finally {
    await client.end();
    await platform.stop();
  }
}

const upload = {
  reconcile: true,
  flowConfigs: [
    {
      type: "sync",
      syncName: "rows",
      providerConfigKey: "bench",
      models: ["Row"],
      runs: "every 30 seconds",
      auto_start: true,
      models_json_schema: { definitions: { Row: { type: "object" } } },
      fileBody: { js: sync, ts: "" },
    },
  ],
};

async function addConnections(client: pg.Client): Promise<void> {
  await client.query(
    `insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
     select gen_random_uuid(), environment_id, id, 'c-' || n, 'NONE', ''::bytea, now(), now()
       from integrations, generate_series(1, ${SYNCS}) as n where unique_key = 'bench'`,
  );
}

/** Until each sync has had its first run and none is late. */
async function settle(client: pg.Client): Promise<void> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { rows } = await client.query(
      `select count(*) filter (where last_sync_date is null)::int as new,
              count(*) filter (where next_run_at < now() - interval '1 second' and running_run_id is null)::int as late
         from syncs`,
    );
    const [{ new: fresh, late }] = rows;
    if (fresh === 0 && late === 0) return;
    if (Date.now() > deadline) return;
    await sleep(500);
  }
}

/** The delay of a run is its distance from the point of the grid before it. */
async function measureWindow(client: pg.Client, processId: number): Promise<BenchRow[]> {
  const from = new Date();
  const cpu = readCpuTime(processId);
  await sleep(WINDOW_MS);
  const used = readCpuTime(processId);
  const { rows } = await client.query(
    `select count(*)::int as runs, count(*) filter (where r.state <> 'success')::int as failed,
            percentile_disc(0.95) within group (order by delay) as p95,
            percentile_disc(0.5) within group (order by delay) as p50
       from runs r join syncs s on s.id = r.sync_id,
            lateral (select mod((extract(epoch from (r.started_at - s.anchored_at)) * 1000)::numeric
                                + s.interval_ms, s.interval_ms) as delay) d
      where r.started_at >= $1 and r.ended_at is not null`,
    [from],
  );
  const [{ runs, failed, p95, p50 }] = rows;
  const perSecond = (ms: number) => Math.round(ms / (WINDOW_MS / 1000));
  const note = `${failed} failed; server ${perSecond(used.ownMs - cpu.ownMs)} ms CPU a second, functions ${perSecond(used.belowMs - cpu.belowMs)} ms`;
  return [
    {
      name: "trivial syncs on schedule, one record each",
      value: (runs * 60_000) / WINDOW_MS,
      unit: "runs a minute",
      baseline: { name: "what is due", value: (SYNCS * 60) / 30 },
      note,
    },
    { name: "start delay p50", value: Number(p50), unit: "ms" },
    { name: "start delay p95", value: Number(p95), unit: "ms" },
  ];
}

/** The statements of a claim among a million schedules, of which 20 are due each time. */
async function measureClaims(client: pg.Client): Promise<BenchRow[]> {
  await client.query("set session_replication_role = replica");
  await client.query(
    `insert into syncs (id, environment_id, connection_uuid, function_id, name, variant, paused, interval_ms,
                        anchored_at, next_run_at, created_at, updated_at)
     select gen_random_uuid(), environment_id, connection_uuid, function_id, name, 'v' || n, false, 3600000,
            now(), now() + interval '1 hour' * random() + interval '1 hour', now(), now()
       from (select * from syncs limit 1) s, generate_series(1, ${SCHEDULES}) as n`,
  );
  await client.query("set session_replication_role = default");
  // What the trigger would have written.
  await client.query(
    "insert into sync_turns select id, environment_id, next_run_at from syncs on conflict do nothing",
  );
  await client.query("vacuum analyze syncs");
  await client.query("vacuum analyze sync_turns");
  const { nextDue, chooseDue } = dueStatements;
  const times: number[] = [];
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const now = new Date(Date.now() + 3_600_000 + claim * 1000);
    const startedAt = performance.now();
    await client.query(nextDue);
    await client.query(chooseDue, [now, 20, 15]);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return [
    { name: "claim among 1 000 000 schedules, p50", value: at(0.5), unit: "ms" },
    { name: "claim among 1 000 000 schedules, p95", value: at(0.95), unit: "ms" },
  ];
}
