import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";

export interface FloodResult {
  /** What the quiet environment's webhooks were answered, and how long each took. */
  readonly quiet: { readonly statuses: readonly number[]; readonly waitsMs: readonly number[] };
  /** How long each then waited to be handled. */
  readonly handledMs: readonly number[];
  readonly flood: Readonly<Record<string, number>>;
  /** Longest that `/health` was silent. */
  readonly slowestHealthMs: number;
}

const CALLERS = 24;

/**
 * One environment is flooded with webhooks of a few bytes and of the largest that are taken unsigned, over several
 * integrations; another gets one webhook after the other.
 */
export async function floodNeighbour(durationMs: number): Promise<FloodResult> {
  await using folder = await makeDataFolder();
  await using database = await createServerDatabase();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_BOOTSTRAP_KEY: key,
      SVC_DATABASE_URL: database.connectionString,
      SVC_WEBHOOK_LIMIT_PER_MIN: "0",
      SVC_WEBHOOK_ENVIRONMENT_LIMIT_PER_MIN: "0",
    },
  });
  try {
    const { rows } = await database.pool.query<{ id: string; name: string }>(
      "select id, name from environments where deleted_at is null order by name",
    );
    const [loud = "", quiet = ""] = rows.map(({ id }) => id);
    const paths = Array.from({ length: 10 }, (_, n) => `/webhook/${loud}/loud-${n}`);
    for (const [index] of paths.entries()) await insertIntegration(loud, `loud-${index}`);
    await insertIntegration(quiet, "quiet");
    const until = performance.now() + durationMs;
    const counts: Record<string, number> = {};
    const health = watchHealth(platform.url, until);
    const flooding = Array.from({ length: CALLERS }, async (_, n) => {
      for (let sent = n; performance.now() < until; sent += 1) {
        const path = paths[sent % paths.length] ?? "";
        const status = await post(platform.url + path, floodBody(sent));
        counts[status] = (counts[status] ?? 0) + 1;
      }
    });
    const statuses: number[] = [];
    const waitsMs: number[] = [];
    while (performance.now() < until) {
      const startedAt = performance.now();
      statuses.push(await post(`${platform.url}/webhook/${quiet}/quiet`, '{"type":"one"}'));
      waitsMs.push(performance.now() - startedAt);
      await sleep(100);
    }
    await Promise.all(flooding);
    const handledMs = await listHandled(quiet, statuses.filter((status) => status === 200).length);
    const slowestHealthMs = await health;
    return { quiet: { statuses, waitsMs }, handledMs, flood: counts, slowestHealthMs };
  } finally {
    await platform.stop();
  }

  async function insertIntegration(environmentId: string, name: string): Promise<void> {
    await database.pool.query(
      `insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
       values ($1, $2, 'affinity', now(), now())`,
      [environmentId, name],
    );
  }

  async function listHandled(environmentId: string, count: number): Promise<number[]> {
    for (let tries = 0; tries < 100; tries += 1) {
      const { rows } = await database.pool.query<{ ms: number }>(
        `select extract(epoch from handled_at - received_at)::float8 * 1000 as ms from inbound_webhooks
          where environment_id = $1 and handled_at is not null`,
        [environmentId],
      );
      if (rows.length >= count) return rows.map(({ ms }) => ms);
      await sleep(200);
    }
    throw new Error("the quiet environment's webhooks were not handled");
  }
}

const wide = `{${Array.from({ length: 100_000 }, (_, n) => `"${n.toString(36)}":[]`).join()}}`;

function floodBody(sent: number): string {
  return sent % 10 === 0 ? wide : '{"type":"many"}';
}

async function post(url: string, body: string): Promise<number> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  await response.arrayBuffer();
  return response.status;
}

async function watchHealth(url: string, until: number): Promise<number> {
  let slowest = 0;
  while (performance.now() < until) {
    const startedAt = performance.now();
    await (await fetch(`${url}/health`)).arrayBuffer();
    slowest = Math.max(slowest, performance.now() - startedAt);
    await sleep(50);
  }
  return slowest;
}
