import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { commandLineArgs } from "./command-line-bundle.ts";

/** A server in a process of its own, started as a user starts it. */
export interface PlatformProcess {
  readonly url: string;
  readonly processId: number;
  /** What it printed for its operator. */
  readonly output: string;
  /** Keys printed at a first start, by environment or `account`. */
  readonly keys: ReadonlyMap<string, string>;
  /** SIGTERM, then waits; resolves to the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL of the process alone, then waits. */
  kill(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/** The start failed: exit code and all that was printed. */
export class StartFailure extends Error {
  override name = "StartFailure";
  readonly exitCode: number | null;
  readonly output: string;

  constructor(exitCode: number | null, output: string, tooSlowMs?: number) {
    super(
      tooSlowMs !== undefined
        ? `the server was not ready after ${tooSlowMs / 1000} s. This machine may be too busy, or its disk too slow: stop other work and try again. Until then it printed:\n${output}`
        : `the server ended with code ${exitCode} before it was ready:\n${output}`,
    );
    this.exitCode = exitCode;
    this.output = output;
  }
}

export interface PlatformProcessOptions {
  readonly dataDir: string;
  /** Further settings; the port is free, loopback is open to egress and a stop does not wait for balancers unless set otherwise. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a minute. */
  readonly readyWithinMs?: number;
}

/** Starts `jackfield start` and waits until it is ready; rejects with StartFailure. */
export async function startPlatformProcess(
  options: PlatformProcessOptions,
): Promise<PlatformProcess> {
  return await spawnPlatform([...commandLineArgs(), "start"], options);
}

/** The same with other arguments of Node. */
export async function spawnPlatform(
  args: readonly string[],
  options: PlatformProcessOptions,
): Promise<PlatformProcess> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      SVC_PORT: "0",
      SVC_DRAIN_SECONDS: "0",
      SVC_EGRESS_ALLOW: "127.0.0.1/32",
      SVC_LOG_LEVEL: "warn",
      SVC_DATA_DIR: options.dataDir,
      ...options.env,
    },
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
  });
  const output = await waitUntilReady(child, exited, options.readyWithinMs ?? READY_WITHIN_MS);
  const url = /is ready at (\S+)/.exec(output())?.[1] ?? "";
  return {
    url,
    processId: child.pid ?? 0,
    get output() {
      return output();
    },
    keys: new Map(
      [...output().matchAll(/^ {2}(\w+) +(svc_key_\S+)$/gm)].map(([, name = "", key = ""]) => [
        name,
        key,
      ]),
    ),
    async stop() {
      child.kill("SIGTERM");
      return await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function waitUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  withinMs: number,
): Promise<() => string> {
  let output = "";
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let tooSlowMs: number | undefined;
  const timer = setTimeout(() => {
    tooSlowMs = withinMs;
    child.kill("SIGKILL");
  }, withinMs);
  const ready = new Promise<"ready">((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (isComplete(output)) resolve("ready");
      });
    }
  });
  const first = await Promise.race([ready, exited]);
  clearTimeout(timer);
  if (first !== "ready") {
    // The last words may come after the exit; a database that outlives its platform holds the pipes open.
    await Promise.race([closed, delay(1000, undefined, { ref: false })]);
    throw new StartFailure(first, output, tooSlowMs);
  }
  return () => output;
}

/** Keys of a first start follow in the same breath, but not always in the same chunk. */
function isComplete(output: string): boolean {
  const readyAt = output.indexOf("is ready at ");
  if (readyAt === -1 || !output.includes("\n", readyAt)) return false;
  return !output.includes("First start.") || output.includes("docs/quick-start");
}
