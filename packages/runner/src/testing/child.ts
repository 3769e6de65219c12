import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { encodeFrame, FrameDecoder, TRUSTED_FRAMES } from "@jackfield/contract/frames";
import {
  type FromChild,
  fromChild,
  type RunFacts,
  type ToChild,
} from "@jackfield/contract/runtime";
import { build } from "esbuild";
import { buildRunner as bundleRunner } from "../build-runner.ts";

export interface Received {
  readonly message: FromChild;
  readonly body: Uint8Array;
}

export const facts: RunFacts = {
  kind: "action",
  functionName: "test",
  environmentName: "dev",
  environmentId: "e",
  connectionId: "c1",
  providerConfigKey: "crm",
  provider: "crm-provider",
  variant: "base",
  operationId: "op",
  loggerLevel: "info",
  validation: {
    input: "fail",
    output: "warn",
    records: "warn",
    metadata: "warn",
    checkpoint: "warn",
  },
  outputLimitBytes: 10 * 1024 * 1024,
};

/** Bundles the runner into one file of a new folder, as the server does. */
export async function buildRunner(): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "jackfield-runner-"));
  const file = path.join(folder, "runner.cjs");
  await writeFile(file, bundleRunner(folder, ["jackfield-source"]).code);
  return { file, remove: () => rm(folder, { recursive: true }) };
}

/** Bundles a function's source as the compiler does. */
export async function bundleFunction(source: string): Promise<string> {
  const result = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: "ts" },
    alias: { jackfield: path.join(import.meta.dirname, "../../../functions/src/index.ts") },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    conditions: ["jackfield-source", "worker", "browser"],
    keepNames: true,
    logLevel: "error",
  });
  return result.outputFiles[0]?.text ?? "";
}

/** A spawned runner with the flags of production, and the host's end of its pipe. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #pipe: Duplex;
  readonly #received: Received[] = [];
  readonly #waiting: ((received: Received) => void)[] = [];
  readonly exited: Promise<unknown[]>;

  constructor(file: string) {
    this.#process = spawn(
      process.execPath,
      [
        "--permission",
        "--no-experimental-sqlite",
        "--disallow-code-generation-from-strings",
        "--zero-fill-buffers",
        "--max-old-space-size=256",
        file,
      ],
      { env: {}, stdio: ["ignore", "pipe", "pipe", "pipe"] },
    );
    this.#process.stdout?.pipe(process.stdout);
    this.#process.stderr?.pipe(process.stderr);
    this.exited = once(this.#process, "exit");
    this.#pipe = toDuplex(this.#process.stdio[3]);
    const decoder = new FrameDecoder(TRUSTED_FRAMES);
    this.#pipe.on("error", () => {});
    this.#pipe.on("data", (chunk: Uint8Array) => {
      for (const { head, body } of decoder.push(chunk)) {
        this.#take({ message: fromChild.parse(head), body });
      }
    });
  }

  send(message: ToChild, body?: string | Uint8Array): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    for (const chunk of encodeFrame(message, bytes)) this.#pipe.write(chunk);
  }

  /** The next message, in order of arrival. */
  receive(): Promise<Received> {
    const next = this.#received.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async load(source: string): Promise<Received> {
    await this.receive();
    this.send({ op: "load", filename: "crm/test.js" }, await bundleFunction(source));
    return this.receive();
  }

  /** Starts a run and gives its next message. */
  run(given: Partial<RunFacts> = {}, input?: unknown, runId = "r1"): Promise<Received> {
    const body = input === undefined ? undefined : JSON.stringify(input);
    this.send({ op: "run", runId, facts: { ...facts, ...given } }, body);
    return this.receive();
  }

  /** Closes the host's end of the pipe. */
  hangUp(): void {
    this.#pipe.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited;
  }

  #take(received: Received): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#received.push(received);
    else waiting(received);
  }
}

/** Node types the fourth stream of a child as readable or writable; a pipe there is both. */
function toDuplex(stream: ChildProcess["stdio"][3]): Duplex {
  return stream as Duplex;
}
