import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkerAnswer, WorkerRequest } from "@jackfield/functions/compile-worker";
import { AppError, MINUTE, type SystemContext, serverState } from "#foundation";
import { type CompileRequest, CompilerSlots } from "./compiler-slots.ts";

const TIMEOUT_MS = MINUTE;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const PRLIMIT = "/usr/bin/prlimit";
const DATA_LIMIT_BYTES = 1024 * 1024 * 1024;

/** For the Go programs below it: they live for seconds, and collect garbage only when it is much. */
const COMPILER_ENV = { GOGC: "off", GOMEMLIMIT: "350MiB" };

/** Two cores are enough for compiling; the rest waits. */
const slots = serverState(
  () => new CompilerSlots({ atOnce: 2, maxWaiting: 20, maxWaitingOfOwner: 10 }),
);

/**
 * Asks a compiler in a process of its own, with little memory and time: a text that brings it down harms nobody
 * else, and is reported as a fault of the text. Throws `overloaded` when too many wait, and
 * execution_environment_unavailable when none can be started.
 */
export async function callCompiler(
  ctx: Pick<SystemContext, "log" | "state">,
  request: WorkerRequest,
  caller: CompileRequest,
): Promise<WorkerAnswer> {
  using slot = await slots.of(ctx).take(caller);
  caller.onStart?.();
  const answer = await askProcess(request, { signal: caller.signal, givesWay: slot.isRepeated });
  if (answer !== undefined) return answer;
  caller.signal?.throwIfAborted();
  ctx.log.warn("functions.compiler_ended", { op: request.op });
  const message = "the source needs more memory or time than the compiler is given";
  return { diagnostics: [{ message }] };
}

/** Undefined when it ended without an answer. */
async function askProcess(
  request: WorkerRequest,
  { signal, givesWay }: { signal: AbortSignal | undefined; givesWay: boolean },
): Promise<WorkerAnswer | undefined> {
  signal?.throwIfAborted();
  const child = start();
  if (givesWay) giveWay(child);
  const kill = () => killGroup(child);
  const timer = setTimeout(kill, TIMEOUT_MS);
  signal?.addEventListener("abort", kill, { once: true });
  try {
    const text = await exchange(child, JSON.stringify(request), kill);
    return text === undefined ? undefined : JSON.parse(text);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
    kill();
  }
}

function start(): ChildProcess {
  const file = fileURLToPath(import.meta.resolve("@jackfield/functions/compile-worker"));
  const flags = file.endsWith(".ts") ? ["--conditions=jackfield-source"] : [];
  const program = [process.execPath, "--max-old-space-size=256", ...flags, file];
  const limits = existsSync(PRLIMIT) ? [PRLIMIT, `--data=${DATA_LIMIT_BYTES}`, "--core=0"] : [];
  const [command = process.execPath, ...rest] = [...limits, ...program];
  // A group of its own, so that bundler and type checker below it end with it.
  return spawn(command, rest, {
    env: COMPILER_ENV,
    cwd: parse(file).root,
    stdio: ["pipe", "pipe", "ignore"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

/**
 * An environment that compiles one text after the other leaves the processor to those who compile one: with a core to share, both
 * took twice as long. What the process starts, which is later, gives way as well.
 */
function giveWay({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // it has ended
  }
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
  // The end of the child reports what it has not read.
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
