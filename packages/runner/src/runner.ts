import { AsyncLocalStorage } from "node:async_hooks";
import type { Frame } from "@jackfield/contract/frames";
import type { RunFacts, UncleanReason } from "@jackfield/contract/runtime";
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
import { ProcessState } from "./clean/process-state.ts";
import type { ProcessAccess } from "./close-process.ts";
import { executeRun } from "./execute-run.ts";
import { HostCalls } from "./host-calls.ts";
import { type HostLink, openHostLink } from "./host-link.ts";
import { readHostMessage } from "./host-message.ts";
import { compileZod, prepareHostModules, requiresZod } from "./host-modules.ts";
import { type CompiledBundle, compileBundle, type Definition, loadBundle } from "./load-bundle.ts";
import { type RunTape, startTape } from "./tape/start-tape.ts";

/** Kept from the start, for a function may put others in their place. */
const startTimer = setTimeout;
const startImmediate = setImmediate;

const EXIT = { hostGone: 0, functionFailed: 1 } as const;

/** On whose behalf code is called: a run's, or that of a bundle's own text. */
interface Scope {
  /** Counts the connections that the process has served. */
  readonly generation: number;
  readonly run: Run | undefined;
}

/** One child's life: it loads a bundle and runs it, several times at once for actions of one connection. */
export class Runner {
  readonly #access: ProcessAccess;
  readonly #link: HostLink;
  readonly #calls: HostCalls;
  readonly #state: ProcessState;
  readonly #current = new AsyncLocalStorage<Scope>();
  /** A function's own `enterWith` ends with the message in whose course it was called. */
  readonly #atRest = AsyncLocalStorage.snapshot();
  /** By run id; without a prototype, since a function shares this process's built-ins. */
  readonly #runs: Record<string, Run> = Object.create(null);
  #filename = "function.js";
  #bundle: CompiledBundle | undefined;
  #definition: Definition | undefined;
  #generation = 0;
  /** Of the run that is recorded or played: it has the process for itself. */
  #tape: RunTape | undefined;
  #code = "";
  #isEnding = false;

  constructor(access: ProcessAccess) {
    this.#access = access;
    this.#link = openHostLink({
      onFrame: (frame) => this.#atRest(() => this.#takeFrame(frame)),
      onClose: () => access.exit(EXIT.hostGone),
    });
    this.#calls = new HostCalls(
      this.#link,
      (runId) => this.#runs[runId] !== undefined,
      () => this.#tape?.called(),
    );
    this.#state = new ProcessState(access.loadedModules);
  }

  start(): void {
    this.#link.send({ op: "ready" });
    startImmediate(prepareHostModules);
  }

  logConsole(level: "debug" | "info" | "warn" | "error", message: string): void {
    const run = this.#current.getStore()?.run;
    if (run?.state === "running") void sendLog(run, { level, message });
  }

  /** The global `fetch`: it belongs to the run in whose course it is called. */
  async fetch(input: FetchInput, init?: RequestInit): Promise<Response> {
    const run = this.#current.getStore()?.run;
    if (run !== undefined) return await globalFetch(run, input, init);
    throw new TypeError("fetch failed: it can only be called while a function runs.");
  }

  /**
   * An error outside any await reached the process: the run it belongs to fails with it, the others because the
   * process cannot be trusted any more. Unknown origin: it may be any run's, so all get it.
   */
  failAll(error: unknown): void {
    const scope = this.#current.getStore();
    const guilty = scope?.run;
    const isLeftBehind = guilty?.state === "ended" || scope?.generation !== this.#generation;
    // What a run or a connection left behind and that fails after its answer harms nobody.
    if (this.#isEnding || (scope !== undefined && isLeftBehind) || isLateCall(error)) return;
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
        this.#settle(message, { value: message.value, body: frame.body });
        break;
      case "failure":
        this.#settle(message, { error: message.error });
        break;
      case "clean":
        // What was about to end by itself has ended then.
        startImmediate(() => this.#clean());
        break;
      case "ping":
        this.#link.send({ op: "pong" });
        break;
      case "cancel":
        this.#cancel(message.runId);
    }
  }

  #load(filename: string, body: Uint8Array): void {
    this.#filename = filename;
    try {
      const code = new TextDecoder().decode(body);
      this.#code = code;
      this.#bundle = compileBundle({ code, filename });
      this.#state.takeBundle(code, this.#bundle.evaluate);
      if (requiresZod(code)) {
        const zod = compileZod();
        this.#state.takeBundle(zod.code, zod.evaluate);
      }
      this.#definition = this.#evaluate(this.#bundle);
    } catch (error) {
      this.#link.send({ op: "load-failed", error: toRunError(error, filename) });
      return;
    }
    this.#link.send({ op: "loaded" });
  }

  /** Makes the process as if no other connection had been served, or says why it cannot be. */
  #clean(): void {
    this.#generation += 1;
    this.#definition = undefined;
    const reason = this.#state.restore() ?? this.#loadAgain();
    if (reason === undefined) this.#link.send({ op: "cleaned" });
    else this.#link.send({ op: "unclean", reason });
  }

  #loadAgain(): UncleanReason | undefined {
    if (this.#bundle === undefined) return undefined;
    try {
      this.#definition = this.#evaluate(this.#bundle);
      return undefined;
    } catch {
      return "module";
    }
  }

  #evaluate(bundle: CompiledBundle): Definition {
    const require = createRequire(this.#access.getBuiltinModule, (name, module) =>
      this.#state.takeModule(name, module),
    );
    const scope = { generation: this.#generation, run: undefined };
    return this.#current.run(scope, () => loadBundle(bundle, require));
  }

  #run(runId: string, facts: RunFacts, input: Uint8Array): void {
    const failure = facts.tape === undefined ? undefined : this.#beginTape(runId, facts.tape);
    const definition = this.#definition;
    const tape = this.#tape;
    const run = startRun({
      facts,
      channel: this.#calls.channelOf(runId),
      schemas: definition?.schemas ?? { models: {} },
      nowMs: tape === undefined ? this.#access.nowMs : () => tape.momentMs,
    });
    this.#runs[runId] = run;
    if (definition === undefined) {
      const error = failure ?? new Error("No function is loaded into this process.");
      this.#finish(runId, { error });
      return;
    }
    void this.#current.run({ generation: this.#generation, run }, async () => {
      try {
        const { interrupted, output } = await executeRun(definition, run, input);
        this.#finish(runId, { interrupted, output });
      } catch (error) {
        this.#finish(runId, { error });
      }
    });
  }

  /** Loads the function once more, by the clock of the tape; answers with why it cannot be. */
  #beginTape(runId: string, facts: NonNullable<RunFacts["tape"]>): unknown {
    this.#tape = startTape(facts, {
      mentions: (word) => this.#code.includes(word),
      nowMs: this.#access.nowMs,
      getModule: (name) => {
        const module: object = this.#access.getBuiltinModule(`node:${name}`) ?? {};
        // As it is now is how it will be put back.
        this.#state.takeModule(name, module);
        return module;
      },
      note: (moments, number) => {
        const [callId, method] = [`m${number}`, "noteMoments"];
        this.#link.send({ op: "call", runId, callId, method, params: { moments } });
      },
    });
    this.#definition = undefined;
    if (this.#bundle === undefined) return undefined;
    try {
      this.#definition = this.#evaluate(this.#bundle);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #settle(
    { callId, moment }: { callId: string; moment?: string | undefined },
    settlement: Parameters<HostCalls["settle"]>[1],
  ): void {
    const settle = () => this.#calls.settle(callId, settlement);
    if (this.#tape === undefined) settle();
    // Of what the tape has noted itself nobody waits for an answer.
    else if (!callId.startsWith("m")) {
      this.#tape.answer(this.#tape.isPlaying ? moment : `a${callId}`, settle);
    }
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
    this.#tape?.end();
    this.#tape = undefined;
    this.#calls.forget(runId);
    const wasCancelled = run.state === "cancelled";
    run.state = "ended";
    if (!("error" in outcome)) {
      const { interrupted, output } = outcome;
      const done = { op: "done", runId, ...(interrupted ? { interrupted } : {}) } as const;
      this.#answer(runId, () => this.#link.send(done, output));
      return;
    }
    const error = wasCancelled
      ? new RunFailure({ type: "script_aborted", message: "The run was cancelled." })
      : outcome.error;
    this.#answer(runId, () =>
      this.#link.send({ op: "failed", runId, error: toRunError(error, this.#filename) }),
    );
  }

  /** A run whose end cannot be reported as it is ends all the same. */
  #answer(runId: string, send: () => void): void {
    const message = "The function's answer cannot be sent: it is too large or no JSON.";
    const error = { type: "script_internal_error", message };
    try {
      send();
    } catch {
      try {
        this.#link.send({ op: "failed", runId, error });
      } catch {
        this.#access.exit(EXIT.functionFailed);
      }
    }
  }
}

/** A call that a function did not await and that came after its run was over harms nobody. */
function isLateCall(error: unknown): boolean {
  return error instanceof RunFailure && ["run_ended", "script_aborted"].includes(error.type);
}
