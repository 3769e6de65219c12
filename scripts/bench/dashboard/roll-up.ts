import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { readConfig } from "../../../packages/server/src/config.ts";
import { createEgress } from "../../../packages/server/src/foundation/egress/index.ts";
import {
  createLogger,
  type EnvironmentContext,
  Hooks,
  noFailpoints,
  noNotices,
  ServerStates,
  systemClock,
} from "../../../packages/server/src/foundation/index.ts";
import { noSpan } from "../../../packages/server/src/foundation/instruments/index.ts";
import { noQuarantine } from "../../../packages/server/src/foundation/quarantine.ts";
import { createSandbox } from "../../../packages/server/src/foundation/sandbox/index.ts";
import { endLogs } from "../../../packages/server/src/logs/flush-logs.ts";
import {
  flushTallies,
  tallyOperation,
} from "../../../packages/server/src/logs/metrics/operation-tallies.ts";
import { recordOperation } from "../../../packages/server/src/logs/recording/record-operation.ts";
import { openVault } from "../../../packages/server/src/operator/open-vault.ts";
import { ServerSettings } from "../../../packages/server/src/process/server-settings.ts";
import { readCpuTime } from "../meters/cpu-time.ts";
import { type BenchRow, median } from "../meters/row.ts";
import type { Subject } from "./subject.ts";

const PER_SECOND = 1000;
const SECONDS = 10;
const ROUNDS = 5;
const TICK_MS = 20;

/**
 * CPU of the log path, that of the database included: operations are recorded, which counts them too; then as many are
 * only counted. The difference is what they would cost without metrics.
 */
export async function measureRollUp(subject: Subject): Promise<BenchRow[]> {
  await using opened = await openContext(subject);
  const { ctx } = opened;
  const record = () =>
    recordOperation(ctx, {
      type: "proxy",
      action: "call",
      message: "GET /v1/contacts",
      integration: { id: 1, name: "bench", provider: "private-api-bearer" },
      connection: { id: 1, name: "c-0" },
      state: "success",
      startedAt: new Date(Date.now() - 20),
    });
  const count = () =>
    tallyOperation(ctx, {
      ...{ environmentId: ctx.environment.id, type: "proxy", action: "call", integration: "bench" },
      ...{ state: "success", endedMs: Date.now(), durationMs: 20 },
    });
  const works = [record, count, () => undefined];
  const costs = works.map((): number[] => []);
  await cpuOf(subject, ctx, record);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, work] of works.entries())
      costs[index]?.push(await cpuOf(subject, ctx, work));
  }
  const [whole = Number.NaN, counted = Number.NaN, rest = Number.NaN] = costs.map(median);
  const operations = PER_SECOND * SECONDS;
  const toUs = (ms: number) => ((1000 * (ms - rest)) / operations).toFixed(1);
  return [
    {
      name: "dashboard: metrics, share of the log path's CPU",
      value: (100 * (counted - rest)) / (whole - counted),
      unit: "%",
      note: `${PER_SECOND} operations a second; ${toUs(counted)} of ${toUs(whole)} µs for one, the database included; bar 2`,
    },
  ];
}

/** CPU milliseconds of this process and of those of the database that do its statements, until all is written. */
async function cpuOf(
  { database }: Subject,
  ctx: EnvironmentContext,
  once: () => void,
): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // Not those that clean up after what was filled in before.
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  await client.end();
  const read = () => {
    const { user, system } = process.cpuUsage();
    const served = rows.map(({ pid }) => readCpuTime(pid).ownMs).filter(Number.isFinite);
    return (user + system) / 1000 + served.reduce((sum, ms) => sum + ms, 0);
  };
  const before = read();
  const startedAt = performance.now();
  let done = 0;
  while (done < PER_SECOND * SECONDS) {
    const due = ((performance.now() - startedAt) * PER_SECOND) / 1000;
    for (; done < Math.min(due, PER_SECOND * SECONDS); done += 1) once();
    await sleep(TICK_MS);
  }
  await flushTallies(ctx);
  await sleep(1000);
  return read() - before;
}

/** What records operations of the environment `dev`, next to the server. */
async function openContext({
  database,
  dataDir,
}: Subject): Promise<AsyncDisposable & { readonly ctx: EnvironmentContext }> {
  await using stack = new AsyncDisposableStack();
  const { config, problems } = readConfig({
    SVC_DATABASE_URL: database.url,
    SVC_DATA_DIR: dataDir,
  });
  if (config === undefined) throw new Error(problems.join("; "));
  const { db, keys } = stack.use(await openVault(config));
  const log = createLogger("silent");
  const http = stack.use(createEgress({ allow: [], authorities: [], log }));
  const sandboxDir = join(dataDir, "bench");
  const sandbox = stack.use(await createSandbox({ dataDir: sandboxDir, log: () => undefined }));
  const environment = await db
    .withTables<{ environments: Environment }>()
    .selectFrom("environments")
    .select(["id", "name", "accountId"])
    .where("name", "=", "dev")
    .executeTakeFirstOrThrow();
  const ctx: EnvironmentContext = {
    ...{ actor: { kind: "system" }, clock: systemClock, db, log, http, keys, environment, sandbox },
    hooks: new Hooks([]),
    notices: noNotices,
    failpoints: noFailpoints,
    settings: new ServerSettings(config, {
      quarantine: noQuarantine,
      spoolDir: join(sandboxDir, "spool"),
    }),
    state: stack.use(new ServerStates()),
    trace: noSpan,
    signal: new AbortController().signal,
  };
  stack.defer(async () => await endLogs(ctx));
  const opened = stack.move();
  return { ctx, [Symbol.asyncDispose]: async () => await opened.disposeAsync() };
}

type Environment = EnvironmentContext["environment"];
