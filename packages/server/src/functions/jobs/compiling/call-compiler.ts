import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { WorkerAnswer, WorkerRequest } from "@jackfield/functions/compile-worker";
import { AppError, type InstallationContext, MINUTE } from "#platform";

const TIMEOUT_MS = MINUTE;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const PRLIMIT = "/usr/bin/prlimit";
const DATA_LIMIT_BYTES = 1024 * 1024 * 1024;
/** Two cores are enough for compiling; the rest waits. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Asks a compiler in a process of its own, with little memory and time: a text that brings it down harms nobody
 * else, and is told of as a fault of the text. Throws execution_environment_unavailable when none can be started.
 */
export async function callCompiler(
  { log, signal }: Pick<InstallationContext, "log" | "signal">,
  request: WorkerRequest,
): Promise<WorkerAnswer> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    const answer = await askProcess(request, signal);
    if (answer !== undefined) return answer;
    log.warn("functions.compiler_ended", { op: request.op });
    const message = "the source needs more memory or time than the compiler is given";
    return { diagnostics: [{ message }] };
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Undefined when it ended without an answer. */
async function askProcess(
  request: WorkerRequest,
  signal: AbortSignal,
): Promise<WorkerAnswer | undefined> {
  const child = start();
  const kill = () => killGroup(child);
  const timer = setTimeout(kill, TIMEOUT_MS);
  signal.addEventListener("abort", kill, { once: true });
  try {
    const text = await exchange(child, JSON.stringify(request), kill);
    return text === undefined ? undefined : JSON.parse(text);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    kill();
  }
}

function start(): ChildProcess {
  const file = fileURLToPath(import.meta.resolve("@jackfield/functions/compile-worker"));
  const flags = file.endsWith(".ts") ? ["--conditions=source"] : [];
  const program = [process.execPath, "--max-old-space-size=256", ...flags, file];
  const limits = existsSync(PRLIMIT) ? [PRLIMIT, `--data=${DATA_LIMIT_BYTES}`, "--core=0"] : [];
  const [command = process.execPath, ...rest] = [...limits, ...program];
  // A group of its own, so that the bundler below it ends with it.
  return spawn(command, rest, {
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

function exchange(
  child: ChildProcess,
  request: string,
  kill: () => void,
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) kill();
    else chunks.push(chunk);
  });
  child.once("error", (cause) => {
    const message = "The compiler cannot be started; the server's log may say why.";
    reject(new AppError("execution_environment_unavailable", message, { cause }));
  });
  child.once("close", (code) => {
    resolve(code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined);
  });
  // What the child does not read any more is told by its end.
  child.stdin?.on("error", () => {});
  child.stdin?.end(request);
  return promise;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // it has ended
  }
}
