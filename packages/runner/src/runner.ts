import { AsyncLocalStorage } from "node:async_hooks";
import type { Frame } from "@jackfield/contract/frames";
import type { RunFacts } from "@jackfield/contract/runtime";
import {
  cancelRun,
  type FetchInput,
  globalFetch,
  type Run,
  RunFailure,
  sendLog,
  startRun,
  toRunError,
} from "@jackfield/functions/runtime";
import { createRequire } from "./allowed-modules.ts";
import type { ProcessAccess } from "./close-process.ts";
import { executeRun } from "./execute-run.ts";
import { HostCalls } from "./host-calls.ts";
import { type HostLink, openHostLink } from "./host-link.ts";
import { readHostMessage } from "./host-message.ts";
import { type Definition, loadBundle } from "./load-bundle.ts";

/** Kept from the start, for a function may put another in its place. */
const startTimer = setTimeout;

const EXIT = { hostGone: 0, functionFailed: 1 } as const;

/** One child's life: it loads a bundle and runs it, several times at once for actions. */
export class Runner {
  readonly #access: ProcessAccess;
  readonly #link: HostLink;
  readonly #calls: HostCalls;
  readonly #current = new AsyncLocalStorage<Run>();
  /** By run id; without a prototype, since a function shares this process's built-ins. */
  readonly #runs: Record<string, Run> = Object.create(null);
  #filename = "function.js";
  #definition: Definition | undefined;
  #isEnding = false;

  constructor(access: ProcessAccess) {
    this.#access = access;
    this.#link = openHostLink({
      onFrame: (frame) => this.#takeFrame(frame),
      onClose: () => access.exit(EXIT.hostGone),
    });
    this.#calls = new HostCalls(this.#link);
  }

  start(): void {
    this.#link.send({ op: "ready" });
  }

  logConsole(level: "debug" | "info" | "warn" | "error", message: string): void {
    const run = this.#current.getStore();
    if (run?.state === "running") void sendLog(run, { level, message });
  }

  /** The global `fetch`: it belongs to the run in whose course it is called. */
  async fetch(input: FetchInput, init?: RequestInit): Promise<Response> {
    const run = this.#current.getStore();
    if (run !== undefined) return await globalFetch(run, input, init);
    throw new TypeError("fetch failed: it can only be called while a function runs.");
  }

  /**
   * An error outside any await reached the process: the run it belongs to fails with it, the others because the
   * process cannot be trusted any more. Unknown origin: it may be any run's, so all get it.
   */
  failAll(error: unknown): void {
    const guilty = this.#current.getStore();
    // What a run left behind and that fails after its answer harms nobody.
    if (this.#isEnding || guilty?.state === "ended" || isLateCall(error)) return;
    this.#isEnding = true;
    for (const [runId, run] of Object.entries(this.#runs)) {
      const failure =
        guilty === undefined || guilty === run
          ? error
          : new RunFailure({
              type: "function_runtime_other",
              message: "Another run of this function ended the process that they shared.",
            });
      this.#finish(runId, { error: failure });
    }
    const exit = () => this.#access.exit(EXIT.functionFailed);
    this.#link.flush(exit);
    startTimer(exit, 1000);
  }

  #takeFrame(frame: Frame): void {
    if (this.#isEnding) return;
    const message = readHostMessage(frame.head);
    switch (message.op) {
      case "load":
        this.#load(message.filename, frame.body);
        break;
      case "run":
        this.#run(message.runId, message.facts, frame.body);
        break;
      case "result":
        this.#calls.settle(message.callId, { value: message.value, body: frame.body });
        break;
      case "failure":
        this.#calls.settle(message.callId, { error: message.error });
        break;
      case "cancel":
        this.#cancel(message.runId);
    }
  }

  #load(filename: string, body: Uint8Array): void {
    this.#filename = filename;
    try {
      this.#definition = loadBundle({
        code: new TextDecoder().decode(body),
        filename,
        require: createRequire(this.#access.getBuiltinModule),
      });
    } catch (error) {
      this.#link.send({ op: "load-failed", error: toRunError(error, filename) });
      return;
    }
    this.#link.send({ op: "loaded" });
  }

  #run(runId: string, facts: RunFacts, input: Uint8Array): void {
    const definition = this.#definition;
    const run = startRun({
      facts,
      channel: this.#calls.channelOf(runId),
      schemas: definition?.schemas ?? { models: {} },
      nowMs: this.#access.nowMs,
    });
    this.#runs[runId] = run;
    if (definition === undefined) {
      this.#finish(runId, { error: new Error("No function is loaded into this process.") });
      return;
    }
    void this.#current.run(run, async () => {
      try {
        const { interrupted, output } = await executeRun(definition, run, input);
        this.#finish(runId, { interrupted, output });
      } catch (error) {
        this.#finish(runId, { error });
      }
    });
  }

  #cancel(runId: string): void {
    const run = this.#runs[runId];
    if (run?.state === "running") cancelRun(run);
  }

  #finish(
    runId: string,
    outcome: { error: unknown } | { interrupted: boolean; output: Uint8Array },
  ): void {
    const run = this.#runs[runId];
    if (run === undefined) return;
    delete this.#runs[runId];
    const wasCancelled = run.state === "cancelled";
    run.state = "ended";
    if (!("error" in outcome)) {
      const { interrupted, output } = outcome;
      this.#link.send({ op: "done", runId, ...(interrupted ? { interrupted } : {}) }, output);
      return;
    }
    const error = wasCancelled
      ? new RunFailure({ type: "script_aborted", message: "The run was cancelled." })
      : outcome.error;
    this.#link.send({ op: "failed", runId, error: toRunError(error, this.#filename) });
  }
}

/** A call that a function did not await and that came after its run was over harms nobody. */
function isLateCall(error: unknown): boolean {
  return error instanceof RunFailure && ["run_ended", "script_aborted"].includes(error.type);
}
