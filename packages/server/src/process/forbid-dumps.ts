import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { redactText } from "#logs";

const PRLIMIT = "/usr/bin/prlimit";

/**
 * Memory holds keys and credentials: this process, and each that it starts from now on, leaves no core file, no
 * diagnostic report, and opens no debugger when a signal asks for one. What nothing catches ends it.
 */
export function forbidDumps(): void {
  process.report.reportOnFatalError = false;
  process.report.reportOnSignal = false;
  process.report.reportOnUncaughtException = false;
  process.report.excludeEnv = true;
  // Node opens its inspector on SIGUSR1 unless somebody listens.
  process.on("SIGUSR1", () => {});
  process.on("uncaughtException", endUncaught);
  // Node cannot set limits of its own process; elsewhere core files are off unless the operator asks for them.
  if (!existsSync(PRLIMIT)) return;
  spawnSync(PRLIMIT, ["--core=0:0", "--pid", String(process.pid)], { env: {}, stdio: "ignore" });
}

/** Without what an error carries next to its text, as Node prints it: requests, rows, answers. */
function endUncaught(error: unknown): void {
  const isText = typeof error === "string" || typeof error === "symbol";
  const thrown = isText ? String(error) : "a value that is no error";
  const stack = error instanceof Error ? (error.stack ?? error.message) : thrown;
  process.stderr.write(`The server ended on an error that nothing caught: ${redactText(stack)}\n`);
  process.exit(1);
}
