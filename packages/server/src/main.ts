import { flushCompileCache } from "node:module";
import { readConfig } from "#config";
import { messageOf } from "#platform";
import { presentStart } from "./present-start.ts";
import { startServer } from "./start-server.ts";

/** The process: settings, start, signals, stop. Exit codes: 0 after a stop, 1 when it cannot start. */
export async function main(): Promise<void> {
  const { config, problems, warnings } = readConfig();
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (config === undefined) {
    for (const problem of problems) console.error(problem);
    process.exitCode = 1;
    return;
  }
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  try {
    const server = await startServer({ config });
    console.log(presentStart(server));
    // The compile cache is written at exit, which a killed process does not have.
    flushCompileCache();
    if (!stopping.signal.aborted) {
      await new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
    }
    // A second signal ends the process at once, as it does by default.
    process.removeListener("SIGTERM", stop);
    process.removeListener("SIGINT", stop);
    await server[Symbol.asyncDispose]();
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}
