import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "#config";
import { type Logger, SECOND } from "#foundation";
import type { ProcessMetrics } from "#foundation/telemetry";
import { readMetricsOf } from "./api-process-metrics.ts";
import type { DatabaseUrls } from "./databases/open-database-server.ts";

const FIRST_PAUSE_MS = SECOND;
const LONGEST_PAUSE_MS = 30 * SECOND;
// One that lived so long has not failed at its start.
const SETTLED_MS = 60 * SECOND;

/** `SVC_API_PROCESSES`: processes that serve the API on one port; each that ends is replaced. */
export class ApiProcesses {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #ended = new Map<Worker, Promise<void>>();
  /** By slot, from 1 on: one that replaces another takes its slot, so that names in metrics stay few. */
  readonly #slots = new Map<number, Worker>();
  #environment: Readonly<Record<string, string>> = {};

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  /** Resolves to their port when all of them take requests; throws when one does not start. */
  async start(database: DatabaseUrls): Promise<number> {
    this.#environment = toEnvironment(this.#config, database);
    const { apiProcesses, port } = this.#config;
    const slots = Array.from({ length: apiProcesses }, (_, index) => index + 1);
    const starts = slots.map(async (slot) => await this.#fork(slot, 0));
    try {
      const ports = await Promise.all(starts);
      return ports[0] ?? port;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Lets all of them answer what they have begun. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const worker of this.#ended.keys()) worker.process.kill("SIGTERM");
    await Promise.all(this.#ended.values());
  }

  /** The metrics of each of them; of one that is away or silent only that it is. */
  async readMetrics(): Promise<ProcessMetrics[]> {
    const slots = [...this.#slots];
    return await Promise.all(
      slots.map(async ([slot, worker]) => await readMetricsOf(worker, `api-${slot}`)),
    );
  }

  async #fork(slot: number, pauseMs: number): Promise<number> {
    const worker = cluster.fork(this.#environment);
    this.#slots.set(slot, worker);
    const forkedAt = performance.now();
    const listening = Promise.withResolvers<number>();
    const ended = Promise.withResolvers<void>();
    this.#ended.set(worker, ended.promise);
    let isReady = false;
    worker.on("listening", ({ port }) => {
      // That of people, which opens before the one of programs.
      if (port === this.#config.dashboardPort) return;
      isReady = true;
      listening.resolve(port);
    });
    worker.on("exit", (code, signal) => {
      this.#ended.delete(worker);
      ended.resolve();
      const reported = signal ?? `code ${code}`;
      listening.reject(new Error(`An API process ended with ${reported} before it was ready.`));
      if (!isReady && pauseMs === 0) return;
      const hasSettled = performance.now() - forkedAt > SETTLED_MS;
      void this.#replace(slot, reported, hasSettled ? 0 : pauseMs);
    });
    return await listening.promise;
  }

  async #replace(slot: number, reported: string, pauseMs: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#log.warn("api.process_ended", { end: reported, replacedInMs: pauseMs });
    try {
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal });
      await this.#fork(slot, Math.min(Math.max(2 * pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS));
    } catch {
      // Stopping; or it has ended again, and its own replacement is on the way.
    }
  }
}

/** What differs from the settings of the process that starts them. */
function toEnvironment(config: Config, { main, direct }: DatabaseUrls): Record<string, string> {
  const { apiProcesses, functionMemoryMb, functionHeapMb } = config;
  const share = Math.floor(functionMemoryMb / (apiProcesses + 1));
  return {
    SVC_API_PROCESSES: "1",
    SVC_ROLES: "api",
    SVC_DATABASE_URL: main,
    SVC_DATABASE_DIRECT_URL: direct,
    SVC_DATABASE_CONNECTIONS: String(config.databaseConnections),
    SVC_FUNCTION_MEMORY: String(Math.max(functionHeapMb, share)),
  };
}
