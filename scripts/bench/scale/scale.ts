import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { Pool } from "undici";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { fillConnections } from "../lists/fill-connections.ts";
import { fillOperations } from "../lists/fill-operations.ts";
import { fillProblems } from "../lists/fill-problems.ts";
import { addIntegrations, askLists, importConnections, questions, send } from "../lists/lists.ts";
import { openSealer } from "../lists/open-sealer.ts";
import type { BenchRow } from "../meters/row.ts";
import { measureRest } from "./at-rest.ts";
import { measureClaims } from "./claims.ts";
import { deleteLarge, eraseEndUser } from "./deletions.ts";
import { fillActivity } from "./fill-activity.ts";
import { addSealedModel, fillModels } from "./fill-records.ts";
import { measureGrowth } from "./growth.ts";
import type { Installation } from "./installation.ts";
import { measureLogEnds } from "./log-ends.ts";
import { openWorker } from "./open-worker.ts";
import { accountQuestions, activityQuestions } from "./questions.ts";
import { measureListReads, measureReads } from "./reads.ts";
import { measureSweeps } from "./sweeps.ts";
import { listSizes } from "./table-facts.ts";
import { measureVacuum } from "./vacuum.ts";

/**
 * 1: a million connections and schedules, 20 million records, 5 million operations, 2 million deliveries, a million
 * webhooks received, audit events and calls of agents each; 28 GB of disk.
 */
// biome-ignore lint/style/noProcessEnv: of this bench alone
const SHARE = Number(process.env["BENCH_SCALE"] ?? 1);
const CONNECTIONS = 1_000_000 * SHARE;
const RECORDS_EACH = 20;
const OPERATIONS = 5_000_000 * SHARE;
const PROBLEMS = 10_000 * SHARE;
const activity = {
  ...{ deliveries: 2_000_000 * SHARE, inbox: 1_000_000 * SHARE, audit: 1_000_000 * SHARE },
  ...{ sessions: 100_000 * SHARE, calls: 1_000_000 * SHARE },
};
const STARTED_WITHIN_S = 5;
/** Of one connection, which is deleted. */
const RECORDS_OF_ONE = 1_000_000 * SHARE;

interface Unfilled {
  readonly key: string;
  /** Settings of the server and of what is measured without it. */
  readonly env: Readonly<Record<string, string>> & {
    readonly SVC_DATABASE_URL: string;
    readonly SVC_DATA_DIR: string;
  };
}

interface Filled extends Unfilled {
  readonly accountKey: string;
}

/**
 * How an installation with a million connections answers, what it reads for that and at rest, what its loops and chores
 * take, and what it takes on disk; each row once it is measured. Last, what a unit of each work costs.
 */
export async function* benchScale(): AsyncGenerator<BenchRow> {
  await using folder = await makeDataFolder(tmpdir());
  {
    await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
    const unfilled = {
      key: randomUUID(),
      env: {
        SVC_DATABASE_URL: postgres.connectionString,
        SVC_DATA_DIR: join(folder.path, "platform"),
        SVC_RECORD_STORAGE: "plain",
      },
    };
    const filled = { ...unfilled, accountKey: await fill(unfilled) };
    yield* measureServer(filled);
    yield* measureWork(filled);
  }
  yield* await measureGrowth();
}

async function start({ key, env }: Unfilled) {
  const { SVC_DATA_DIR: dataDir } = env;
  const platform = await startPlatformProcess({ dataDir, env: { ...env, SVC_BOOTSTRAP_KEY: key } });
  const pool = new Pool(platform.url, { connections: 1 });
  return {
    url: platform.url,
    pool,
    keys: platform.keys,
    headers: headersOf(key),
    async [Symbol.asyncDispose]() {
      await pool.close();
      await platform.stop();
    },
  };
}

function headersOf(key: string) {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}

async function connect(connectionString: string) {
  const value = new pg.Client({ connectionString });
  await value.connect();
  return { value, [Symbol.asyncDispose]: async () => await value.end() };
}

/** Resolves to a key of the account. */
async function fill(filled: Unfilled): Promise<string> {
  const { SVC_DATABASE_URL: connectionString } = filled.env;
  const accountKey = await fillThroughApi(filled);
  await using sealer = await openSealer(filled.env, "bench");
  await fillConnections(connectionString, {
    ...{ connections: CONNECTIONS, functions: 1000, deployments: 1000 },
    seal: sealer.credentialsOf,
  });
  await using client = await connect(connectionString);
  await fillModels(client.value, RECORDS_EACH);
  const large = { connectionId: "real-0", model: "Large", count: RECORDS_OF_ONE };
  await addSealedModel(client.value, sealer, large);
  await fillOperations(connectionString, OPERATIONS);
  await fillProblems(connectionString, PROBLEMS);
  await fillActivity({ client: client.value, connectionString }, activity);
  await client.value.query("vacuum analyze");
  return accountKey;
}

async function fillThroughApi(filled: Unfilled): Promise<string> {
  await using first = await start(filled);
  const { pool, headers, keys } = first;
  await addIntegrations(pool, headers);
  await importConnections(pool, headers);
  const body = { tools: [{ integration: "bench" }] };
  await send(pool, headers, { method: "PUT", path: "/agent/toolsets/bench", body });
  const accountKey = keys.get("account");
  if (accountKey === undefined) throw new Error("the first start printed no key of the account");
  return accountKey;
}

/** What a server does that is asked, and one that is not. */
async function* measureServer(filled: Filled): AsyncGenerator<BenchRow> {
  const startedAt = performance.now();
  await using server = await start(filled);
  const startMs = performance.now() - startedAt;
  yield {
    ...{ name: "scale: start until ready", value: startMs / 1000, unit: "s" },
    bar: { most: STARTED_WITHIN_S },
  };
  await using client = await connect(filled.env.SVC_DATABASE_URL);
  const accountHeaders = headersOf(filled.accountKey);
  const installation: Installation = { ...server, client: client.value };
  const own = [...questions, ...activityQuestions];
  yield* await askLists(server.pool, server.headers, { bench: "scale", asked: own });
  yield* await askLists(server.pool, accountHeaders, { bench: "scale", asked: accountQuestions });
  yield* await measureListReads(installation, [
    ...own.map((question) => ({ ...question, headers: server.headers })),
    ...accountQuestions.map((question) => ({ ...question, headers: accountHeaders })),
  ]);
  yield* await measureReads(installation);
  yield* await measureRest(client.value);
  yield* await listSizes(client.value);
  yield* await eraseEndUser(installation);
  yield* await deleteLarge(installation, RECORDS_OF_ONE);
}

/** What a worker's loops and chores do, one by one, while no server runs. */
async function* measureWork(filled: Filled): AsyncGenerator<BenchRow> {
  await using client = await connect(filled.env.SVC_DATABASE_URL);
  await using worker = await openWorker({ ...filled.env, SVC_ENVIRONMENT_SHARE: "1" });
  yield* await measureSweeps(worker.ctx);
  yield* await measureClaims(worker.ctx);
  yield* await measureVacuum(client.value);
  yield* await measureLogEnds(worker.ctx);
}
