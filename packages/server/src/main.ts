import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import { type Config, readConfig } from "#config";
import { createLogger, type Logger, reasonOf, SECOND } from "#foundation";
import { answerParent } from "./process/api-process-metrics.ts";
import { ApiProcesses } from "./process/api-processes.ts";
import { forbidDumps } from "./process/forbid-dumps.ts";
import { logConsole } from "./process/log-console.ts";
import { presentSetup } from "./process/present-setup.ts";
import { presentStart } from "./process/present-start.ts";
import { type RunningServer, type StartOptions, startServer } from "./start-server.ts";

/** The process: settings, start, signals, stop. Exit codes: 0 after a stop, 1 when it cannot start. */
export async function main(given: Pick<StartOptions, "startSimulator"> = {}): Promise<void> {
  forbidDumps();
  // What reads them may end before the server does.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const { config, problems, warnings } = readConfig();
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (config === undefined) {
    for (const problem of problems) console.error(problem);
    process.exitCode = 1;
    return;
  }
  const log = createLogger(config.logLevel);
  logConsole(log);
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => stopping.abort(signal);
  process.on("SIGTERM", stop);
  // A terminal's Ctrl-C reaches every process; those that share the port are stopped by the first.
  process.on("SIGINT", cluster.isWorker ? () => {} : stop);
  try {
    const server = await startProcesses(config, { ...given, signal: stopping.signal }, log);
    if (cluster.isPrimary) {
      const setup = await presentSetup(server, config.dataDir);
      process.stdout.write(`${presentStart(server, config, setup)}\n`);
    }
    // The compile cache is written at exit, which a killed process does not have.
    flushCompileCache();
    const isUsed = !stopping.signal.aborted;
    if (isUsed) {
      await new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
    }
    const drains = isUsed && stopping.signal.reason === "SIGTERM";
    // A second signal ends the process at once, as it does by default; several processes may all get one from outside
    // and another from their first.
    if (!cluster.isWorker) process.removeListener("SIGTERM", stop);
    process.removeListener("SIGINT", stop);
    endWithin((drains ? config.drainMs : 0) + config.stopMs, log);
    if (drains) await server.drain();
    await server[Symbol.asyncDispose]();
    endWithin(LEFT_OPEN_MS, log);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exitCode = 1;
  }
  cluster.worker?.disconnect();
}

/** After the stop nothing should keep the process; a handle that was forgotten must not hold up a restart. */
const LEFT_OPEN_MS = 2 * SECOND;

/** Ends the process when it is still there after `ms`; others, or the next start, take up what it had begun. */
function endWithin(ms: number, log: Logger): void {
  const timer = setTimeout(() => {
    log.error("server.ended_late", {
      seconds: ms / SECOND,
      open: process.getActiveResourcesInfo(),
    });
    process.exit();
  }, ms);
  timer.unref();
}

/** This process alone, or with others that serve the API, which are stopped before it. */
async function startProcesses(
  config: Config,
  given: Pick<StartOptions, "startSimulator" | "signal">,
  log: Logger,
): Promise<RunningServer> {
  if (config.apiProcesses === 1 || !config.roles.includes("api")) {
    const answerMetrics = cluster.isWorker ? answerParent : undefined;
    return await startServer({ ...given, config, answerMetrics });
  }
  const api = new ApiProcesses(config, log);
  const server = await startServer({
    config: { ...config, roles: config.roles.filter((role) => role !== "api") },
    serve: async (database) => await api.start(database),
    readOthers: async () => await api.readMetrics(),
    ...given,
  });
  const dispose = async () => {
    await api.stop();
    await server[Symbol.asyncDispose]();
  };
  // Those that serve drain by themselves when they are stopped.
  return { ...server, drain: async () => await api.stop(), [Symbol.asyncDispose]: dispose };
}
