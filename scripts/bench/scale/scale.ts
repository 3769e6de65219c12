import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Pool } from "undici";
import { startEmbeddedPostgres } from "../../../packages/server/src/platform/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { fillConnections } from "../lists/fill-connections.ts";
import { fillOperations } from "../lists/fill-operations.ts";
import {
  addIntegrations,
  askLists,
  type Headers,
  importConnections,
  measure,
} from "../lists/lists.ts";
import type { BenchRow } from "../meters/row.ts";
import { addRecords, fillModels } from "./fill-records.ts";
import { listSizes, readsOf } from "./table-facts.ts";

/** 1: a million connections and schedules, 20 million records, 5 million operations; 20 GB of disk. */
// biome-ignore lint/style/noProcessEnv: of this bench alone
const SHARE = Number(process.env["BENCH_SCALE"] ?? 1);
const CONNECTIONS = 1_000_000 * SHARE;
const RECORDS_EACH = 20;
const OPERATIONS = 5_000_000 * SHARE;
/** Of one connection, which is deleted. */
const RECORDS_OF_ONE = 1_000_000 * SHARE;
const PROBED_EVERY_MS = 10;

interface Installation {
  readonly url: string;
  readonly client: pg.Client;
  readonly pool: Pool;
  readonly headers: Headers;
}

/** How an installation with a million connections answers, what it reads for it, and what a unit takes on disk. */
export async function benchScale(): Promise<BenchRow[]> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const postgres = stack.use(await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} }));
  const key = randomUUID();
  const start = async () =>
    await startPlatformProcess({
      dataDir: join(folder.path, "platform"),
      env: {
        SVC_BOOTSTRAP_KEY: key,
        SVC_DATABASE_URL: postgres.connectionString,
        SVC_RECORD_STORAGE: "plain",
      },
    });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const first = await start();
  await using pool = poolOf(first.url);
  await addIntegrations(pool.value, headers);
  await importConnections(pool.value, headers);
  await first.stop();
  await fill(postgres.connectionString);

  const startedAt = performance.now();
  const platform = await start();
  const startMs = performance.now() - startedAt;
  stack.defer(async () => void (await platform.stop()));
  await using again = poolOf(platform.url);
  await using client = await connect(postgres.connectionString);
  const installation = { url: platform.url, client: client.value, pool: again.value, headers };
  return [
    { name: "scale: start until ready", value: startMs / 1000, unit: "s" },
    ...(await askLists(again.value, headers, "scale")),
    ...(await readOne(installation)),
    ...(await eraseOne(installation)),
    ...(await deleteLarge(installation)),
    ...(await listSizes(client.value)),
  ];
}

function poolOf(url: string) {
  const value = new Pool(url, { connections: 1 });
  return { value, [Symbol.asyncDispose]: async () => await value.close() };
}

async function connect(connectionString: string) {
  const value = new pg.Client({ connectionString });
  await value.connect();
  return { value, [Symbol.asyncDispose]: async () => await value.end() };
}

async function fill(connectionString: string): Promise<void> {
  await fillConnections(connectionString, {
    ...{ connections: CONNECTIONS, functions: 1000, deployments: 1000 },
  });
  await using client = await connect(connectionString);
  await fillModels(client.value, RECORDS_EACH);
  const { rows } = await client.value.query<{ id: string }>(
    `insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
     select (e.number::bigint << 32) + nextval('record_model_numbers'), e.environment_id, c.uuid, 'Large', now()
       from record_environments e join connections c on c.connection_id = 'real-0' returning id`,
  );
  await addRecords(
    client.value,
    rows.map(({ id }) => id),
    RECORDS_OF_ONE,
  );
  await fillOperations(connectionString, OPERATIONS);
  await client.value.query("vacuum analyze");
}

/** Reads of one thing: how long they take, and how many rows the database reads for one that is answered. */
async function readOne({ client, pool, headers }: Installation): Promise<BenchRow[]> {
  const { rows: operations } = await client.query<{ id: string }>(
    "select id from operations where integration ->> 'name' = 'rare' limit 1",
  );
  const of = { "connection-id": "c-777", "provider-config-key": "bench" };
  const reads = [
    { name: "a connection", path: "/connections/real-1?provider_config_key=bench" },
    { name: "an operation", path: `/logs/operations/${operations[0]?.id}` },
    { name: "a page of records", path: "/records?model=Contact&limit=20", headers: of, rows: 20 },
    {
      name: "the state of a sync",
      path: "/sync/status?provider_config_key=bench&connection_id=c-777&syncs=contacts",
    },
  ];
  const rows: BenchRow[] = [];
  for (const { name, path, headers: more = {}, rows: answered = 1 } of reads) {
    const all = { ...headers, ...more };
    const [p95 = Number.NaN] = await measure(pool, all, [path]);
    const read = await readsOf(client, async () => {
      await (await pool.request({ method: "GET", path, headers: all })).body.text();
    });
    const note = `${(read / answered).toFixed(1)} rows read for one that is answered`;
    rows.push({ name: `scale: ${name}, p95`, value: p95, unit: "ms", note });
  }
  return rows;
}

async function eraseOne({ client, pool, headers }: Installation): Promise<BenchRow[]> {
  const startedAt = performance.now();
  await send(pool, headers, "/end-users/u1001");
  await waitFor(async () => {
    const { rows } = await client.query("select from erasures where ended_at is null");
    return rows.length === 0;
  });
  return [
    {
      name: "scale: erasure of an end user",
      value: (performance.now() - startedAt) / 1000,
      unit: "s",
    },
  ];
}

/** A connection with a million records goes; meanwhile others are called. */
async function deleteLarge({ url, client, pool, headers }: Installation): Promise<BenchRow[]> {
  const { rows: models } = await client.query<{ id: string }>(
    "select id from record_models where model = 'Large'",
  );
  const times: number[] = [];
  const gone = new AbortController();
  const probing = (async () => {
    while (!gone.signal.aborted) {
      const startedAt = performance.now();
      const path = "/connections/real-2?provider_config_key=bench";
      await (await pool.request({ method: "GET", path, headers })).body.text();
      times.push(performance.now() - startedAt);
      await sleep(PROBED_EVERY_MS);
    }
  })();
  const startedAt = performance.now();
  // Its own, so that no call of the others waits for the deletion's answer.
  await using own = poolOf(url);
  await send(own.value, headers, "/connections/real-0?provider_config_key=bench");
  const answeredMs = performance.now() - startedAt;
  await waitFor(async () => {
    const { rows } = await client.query(
      "select from records where model_id = any($1::bigint[]) limit 1",
      [models.map(({ id }) => id)],
    );
    return rows.length === 0;
  });
  const goneMs = performance.now() - startedAt;
  gone.abort();
  await probing;
  return [
    { name: "scale: deletion of a connection, answered", value: answeredMs, unit: "ms" },
    {
      name: `scale: its ${RECORDS_OF_ONE.toLocaleString("en")} records are gone`,
      value: goneMs / 1000,
      unit: "s",
    },
    { name: "scale: longest call of others meanwhile", value: Math.max(...times), unit: "ms" },
  ];
}

async function send(pool: Pool, headers: Headers, path: string): Promise<void> {
  const answer = await pool.request({ method: "DELETE", path, headers });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`DELETE ${path}: ${text}`);
}

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 600_000;
  while (!(await isDone())) {
    if (performance.now() > until) throw new Error("not done within ten minutes");
    await sleep(100);
  }
}
