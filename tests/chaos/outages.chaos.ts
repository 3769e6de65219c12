import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDataFolder, type PlatformProcess, startPlatformProcess } from "@jackfield/simulator";
import pg from "pg";
import { expect, test } from "vitest";
import { findLost, timeQueues, watchLocks } from "../outages/checks.ts";
import { startLoad } from "../outages/load.ts";
import { type OutageKind, outageKinds, startPair } from "../outages/pair.ts";
import { queryPatiently } from "../outages/plain-site.ts";
import { type Site, setUpSite, startOutside } from "../outages/site.ts";
import { requireTool } from "../require-tool.ts";

const ROUNDS = 4;
const QUEUES_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 11_000;

interface Installation extends Site, AsyncDisposable {
  readonly processes: readonly PlatformProcess[];
}

/** Two API and two worker processes. */
async function startInstallation(url: string): Promise<Installation> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5000 });
  pool.on("error", () => undefined);
  stack.defer(async () => await pool.end());
  const key = randomUUID();
  const env = { SVC_DATABASE_URL: url, SVC_BOOTSTRAP_KEY: key, SVC_LOG_LEVEL: "warn" };
  const processes: PlatformProcess[] = [];
  for (const roles of ["api", "api", "worker", "worker"]) {
    const settings = { dataDir: folder.path, env: { ...env, SVC_ROLES: roles } };
    const started = await startPlatformProcess(settings);
    stack.defer(async () => await started.kill());
    processes.push(started);
  }
  const running = stack.move();
  return {
    urls: processes.slice(0, 2).map(({ url: at }) => at),
    key,
    processes,
    query: async (text, values = []) => await queryPatiently(pool, text, values),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

test("U1 to U4: 20 outages of a Patroni pair under load", {
  timeout: 45 * 60_000,
}, async (context) => {
  const programs = {
    etcd: requireTool("etcd", context),
    patroni: requireTool("patroni", context),
    haproxy: requireTool("haproxy", context),
    postgres: requireTool("postgres", context),
  };
  await using outside = await startOutside();
  await using pair = await startPair(programs);
  await using site = await startInstallation(pair.url);
  const { webhookPath } = await setUpSite(site, outside);
  const locks = watchLocks(site);
  const load = startLoad(site, outside, webhookPath);

  const waits: { kind: OutageKind; sync: number; action: number; webhook: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of outageKinds) {
      await sleep(3000);
      await pair.outages[kind]();
      await site.query("create temporary table if not exists answers ()");
      const took = await timeQueues(site, outside, webhookPath);
      waits.push({ kind, ...took });
      process.stdout.write(`\noutage ${waits.length}: ${kind} ${JSON.stringify(took)}`);
      await pair.settle();
    }
  }
  const result = await load.stop();
  const longestLock = await locks.stop();
  const lost = await findLost(site, outside, result);
  const silent = pair.outages.silence();
  await sleep(500);
  const stoppedAt = performance.now();
  const stops = site.processes.map(async (it) => {
    await it.stop();
    return performance.now() - stoppedAt;
  });
  const stopMs = Math.max(...(await Promise.all(stops)));
  await silent;

  const slowestQueueMs = Math.max(...waits.flatMap((it) => [it.sync, it.action, it.webhook]));
  const { requests, refused, slowest, accepted } = result;
  const counts = Object.entries(accepted).map(([what, ids]) => [what, ids.length]);
  process.stdout.write(
    `\noutages: ${JSON.stringify({ outages: waits.length, requests, refused, slowest, slowestQueueMs, longestLock, stopMs, accepted: counts })}\n`,
  );
  expect([...result.faults]).toEqual([]);
  expect(refused).toBeGreaterThan(0);
  expect(result.slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
  expect(lost).toEqual([]);
  expect(longestLock).toBeLessThan(60);
  expect(slowestQueueMs).toBeLessThan(QUEUES_WITHIN_MS);
  expect(stopMs).toBeLessThan(30_000);
});
