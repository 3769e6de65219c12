import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { type Line, openLineTo } from "./line.ts";
import type { Site } from "./site.ts";

/** An API process and a worker on a Postgres of their own, behind a line that can fall silent. */
export interface PlainSite extends Site, AsyncDisposable {
  readonly api: PlatformProcess;
  readonly worker: PlatformProcess;
  readonly line: Line;
  /** Ends the database in the way of the signal, and starts it again. */
  restart(signal: "SIGINT" | "SIGKILL"): Promise<void>;
}

export async function startPlainSite(): Promise<PlainSite> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const dataDir = stack.use(await makeDataFolder()).path;
  let postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  stack.defer(async () => await postgres.stop());
  const { connectionString } = postgres;
  const { line, url } = await openLineTo(connectionString);
  stack.use(line);
  const pool = new pg.Pool({ connectionString, max: 4, connectionTimeoutMillis: 5000 });
  pool.on("error", () => undefined);
  stack.defer(async () => await pool.end());
  const key = randomUUID();
  const env = { SVC_DATABASE_URL: url, SVC_BOOTSTRAP_KEY: key, SVC_LOG_LEVEL: "warn" };
  const start = async (roles: string) => {
    const settings = { dataDir: folder.path, env: { ...env, SVC_ROLES: roles } };
    const started = await startPlatformProcess(settings);
    stack.defer(async () => await started.kill());
    return started;
  };
  const api = await start("api");
  const worker = await start("worker");
  const running = stack.move();
  return {
    urls: [api.url],
    key,
    api,
    worker,
    line,
    query: async (text, values = []) => await queryPatiently(pool, text, values),
    async restart(signal) {
      process.kill(postgres.processId, signal);
      // Waits for its end, and lets go of the folder.
      await postgres.stop();
      postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

export async function queryPatiently<Row extends object>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await pool.query(text, [...values])).rows;
    } catch (error) {
      if (attempt === 120) throw error;
      await sleep(500);
    }
  }
}
