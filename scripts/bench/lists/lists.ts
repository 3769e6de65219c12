import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Pool } from "undici";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { type BenchRow, median } from "../meters/row.ts";
import { fillConnections } from "./fill-connections.ts";
import { fillOperations } from "./fill-operations.ts";
import { fillProblems } from "./fill-problems.ts";
import { openSealer } from "./open-sealer.ts";

const CONNECTIONS = 100_000;
/** Made through the API, so that their credentials open: a page of the newest. */
const IMPORTED = 100;
const OPERATIONS = 1_000_000;
const PROBLEMS = 1000;
const FUNCTIONS = 1000;
const DEPLOYMENTS = 1000;
const BAR_MS = 100;
const BAR_OF_PLAIN = 300;
const CALLS = 60;
const WARM_UP = 10;

export interface Question {
  readonly name: string;
  readonly path: string;
  /** The list without the filter, that it is compared with. */
  readonly plain?: string;
}

const connections = "/connections?limit=100";
const syncs = "/syncs?limit=100";
const functions = "/functions?limit=100";
const models = "/records/models?limit=100";
const operations = "/logs/operations?limit=100";
const soon = encodeURIComponent(new Date(Date.now() + 60 * 60 * 1000).toISOString());
const long = encodeURIComponent(new Date(Date.now() - 30 * 24 * 60 * 60 * 1000).toISOString());
const now = encodeURIComponent(new Date().toISOString());
const problems = "/problems?limit=100";
const histogram = "/logs/operations/histogram";
const daysAgo = (days: number) =>
  encodeURIComponent(new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString());

const states = ["ok", "needs_reauthorization", "backoff", "pending", "refreshing"];

export const questions: readonly Question[] = [
  { name: "connections", path: connections },
  ...states.map((state) => ({
    name: `connections in ${state}`,
    path: `${connections}&state=${state}`,
    plain: connections,
  })),
  ...[
    ["of an integration", "integrationId=rare"],
    ["that need the end user, of an integration", "state=needs_reauthorization&integrationId=rare"],
    ["that expire within an hour", `expires_before=${soon}`],
    ["unused for 30 days, of which there is none", `unused_since=${long}`],
    ["unused, all of them", `unused_since=${now}`],
    ["by expiry", "sort=expires_at"],
    ["with health", "include=health"],
  ].map(([name, query]) => ({
    name: `connections ${name}`,
    path: `${connections}&${query}`,
    plain: connections,
  })),
  { name: "count of connections", path: "/connections/count" },
  { name: "syncs", path: syncs },
  ...["ok", "failing", "paused", "running", "disabled"].map((state) => ({
    name: `syncs in ${state}`,
    path: `${syncs}&state=${state}`,
    plain: syncs,
  })),
  ...[
    ["of an integration", "provider_config_key=rare"],
    ["of a name", "name=contacts"],
    ["of a connection", "connection_id=c-777"],
    ["that fail, of an integration", "state=failing&provider_config_key=rare"],
  ].map(([name, query]) => ({ name: `syncs ${name}`, path: `${syncs}&${query}`, plain: syncs })),
  { name: "operations", path: operations },
  ...[
    ["that failed", "states=failed"],
    ["of a level", "levels=error"],
    ["of a type", "types=sync"],
    ["of an integration", "integrations=rare"],
    ["of a connection", "connections=c-77"],
    ["that failed, of a connection", "states=failed&connections=c-77"],
    ["of a type of which there is none", "types=webhook"],
    ["of a function of which there is none", "functions=none"],
    ["that took long", "min_duration_ms=2900"],
    ["that say something", "search=contacts"],
    ["that say something, of an integration", "search=contacts&integrations=rare"],
    ["that say something that none does", "search=zebra"],
  ].map(([name, query]) => ({
    name: `operations ${name}`,
    path: `${operations}&${query}`,
    plain: operations,
  })),
  { name: "histogram of operations, of an hour", path: `${histogram}?from=${daysAgo(1 / 24)}` },
  { name: "histogram of operations, of a day", path: `${histogram}?from=${daysAgo(1)}` },
  { name: "histogram of operations, of ten days", path: `${histogram}?from=${daysAgo(10)}` },
  {
    name: "histogram of operations, of a type and ten days",
    path: `${histogram}?from=${daysAgo(10)}&types=sync`,
  },
  { name: "problems", path: problems },
  ...[
    ["that are open", "state=open"],
    ["that are muted", "state=muted"],
    ["of a kind of which there are few", "kind=sync_failing"],
  ].map(([name, query]) => ({
    name: `problems ${name}`,
    path: `${problems}&${query}`,
    plain: problems,
  })),
  { name: "functions", path: functions },
  { name: "functions of a type", path: `${functions}&type=on-event`, plain: functions },
  { name: "functions by name", path: `${functions}&search=f-77`, plain: functions },
  { name: "deployments", path: "/deployments?limit=100" },
  { name: "models", path: models },
  { name: "models of a name", path: `${models}&model=Rare`, plain: models },
  {
    name: "models of a connection",
    path: `${models}&provider_config_key=bench&connection_id=c-777`,
    plain: models,
  },
];

/** How long lists take with 100,000 connections, syncs and models and 1,000,000 operations; a filtered one against the plain one. */
export async function benchLists(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const key = randomUUID();
  const dataDir = join(folder.path, "platform");
  const env = { SVC_DATABASE_URL: postgres.connectionString, SVC_ROLES: "api" };
  const platform = await startPlatformProcess({
    dataDir,
    env: { ...env, SVC_BOOTSTRAP_KEY: key },
  });
  const pool = new Pool(platform.url, { connections: 1 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  try {
    await addIntegrations(pool, headers);
    await importConnections(pool, headers);
    await using sealer = await openSealer({ ...env, SVC_DATA_DIR: dataDir }, "bench");
    await fillConnections(postgres.connectionString, {
      connections: CONNECTIONS - IMPORTED,
      functions: FUNCTIONS,
      deployments: DEPLOYMENTS,
      seal: sealer.credentialsOf,
    });
    await fillOperations(postgres.connectionString, OPERATIONS);
    await fillProblems(postgres.connectionString, PROBLEMS);
    return await askLists(pool, headers, { bench: "lists", asked: questions });
  } finally {
    await pool.close();
    await platform.stop();
  }
}

/** Each list, and a filtered one against the plain one. */
export async function askLists(
  pool: Pool,
  headers: Headers,
  { bench, asked }: { bench: string; asked: readonly Question[] },
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, path, plain } of asked) {
    const paths = [path, ...(plain === undefined ? [] : [plain])];
    const [own, base] = await measure(pool, headers, paths);
    if (own === undefined) continue;
    rows.push({
      name: `${bench}: ${name}, p95`,
      value: own.p95,
      unit: "ms",
      ...(base === undefined ? {} : { baseline: { name: "the plain list", value: base.p95 } }),
      note: `median ${own.median.toFixed(1)} ms`,
      bar: { most: BAR_MS, ...(base === undefined ? {} : { percent: BAR_OF_PLAIN }) },
    });
  }
  return rows;
}

export type Headers = Readonly<Record<string, string>>;

/** How long calls took, in milliseconds; the median says more of a machine that does other work, too. */
export interface Times {
  readonly p95: number;
  readonly median: number;
}

/** How long each path takes; called in turns, so that what else the machine does slows all of them alike. */
export async function measure(
  pool: Pool,
  headers: Headers,
  paths: readonly string[],
): Promise<Times[]> {
  const times = paths.map((): number[] => []);
  for (let call = -WARM_UP; call < CALLS; call += 1) {
    for (const [index, path] of paths.entries()) {
      const startedAt = performance.now();
      const answer = await pool.request({ method: "GET", path, headers });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${text}`);
      if (call >= 0) times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map((all) => ({
    p95: all.toSorted((a, b) => a - b)[Math.floor(0.95 * CALLS)] ?? Number.NaN,
    median: median(all),
  }));
}

export async function addIntegrations(pool: Pool, headers: Headers): Promise<void> {
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" };
  for (const unique_key of ["bench", "rare"]) {
    await post(pool, headers, "/integrations", { provider: "github", unique_key, credentials });
  }
}

export async function importConnections(pool: Pool, headers: Headers): Promise<void> {
  for (let n = 0; n < IMPORTED; n += 1) {
    await post(pool, headers, "/connections", {
      provider_config_key: "bench",
      connection_id: `real-${n}`,
      credentials: {
        type: "OAUTH2",
        access_token: "a".repeat(64),
        refresh_token: "r".repeat(64),
        expires_at: "2099-01-01T00:00:00Z",
      },
    });
  }
}

async function post(pool: Pool, headers: Headers, path: string, body: object): Promise<void> {
  await send(pool, headers, { method: "POST", path, body });
}

export async function send(
  pool: Pool,
  headers: Headers,
  { method, path, body }: { method: "POST" | "PUT"; path: string; body: object },
): Promise<void> {
  const answer = await pool.request({ method, path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${text}`);
}
