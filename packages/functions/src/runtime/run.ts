import type {
  RunFacts,
  RuntimeMethod,
  RuntimeParams,
  RuntimeResult,
} from "@jackfield/contract/runtime";
import type { LogLevel } from "../svc.ts";
import { RunFailure } from "./run-failure.ts";

export interface RuntimeAnswer<Method extends RuntimeMethod> {
  readonly value: RuntimeResult<Method>;
  readonly body: Uint8Array;
}

/** The way to the host; a failed call rejects with a RunFailure that carries the host's code. */
export interface RuntimeChannel {
  call<Method extends RuntimeMethod>(
    method: Method,
    params: RuntimeParams<Method>,
    body?: Uint8Array,
  ): Promise<RuntimeAnswer<Method>>;
}

/** Anything that checks a value as zod does; the author's own zod, whichever version it is. */
export interface ValueSchema {
  safeParse(value: unknown): CheckResult;
  safeParseAsync(value: unknown): Promise<CheckResult>;
}

export interface CheckResult {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: { readonly issues: readonly Issue[] } | undefined;
}

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string;
  /** Of a wrong type the one that is expected. */
  readonly expected?: unknown;
  /** Of a wrong format its name. */
  readonly format?: unknown;
}

/** The schemas of a definition that its context checks values against. */
export interface RunSchemas {
  readonly models: Readonly<Record<string, ValueSchema>>;
  readonly metadata?: ValueSchema | undefined;
  readonly checkpoint?: ValueSchema | undefined;
  /** What the sync says of records that do not fit; otherwise the environment decides. */
  readonly onInvalidRecord?: "quarantine" | "save" | "fail" | undefined;
}

/** One run inside the child: its facts, its way to the host, and what may change while it runs. */
export interface Run {
  readonly facts: RunFacts;
  readonly channel: RuntimeChannel;
  readonly schemas: RunSchemas;
  readonly elapsedMs: () => number;
  state: "running" | "cancelled" | "ended";
  loggerLevel: LogLevel;
  /** Set when the server has refused what ends the run, whether the function catches it or not. */
  refusal?: RunFailure;
  /** Made when the function asks for its signal. */
  abort?: AbortController;
}

/** Stops the run at its next call, and what listens to its signal at once. */
export function cancelRun(run: Run): void {
  run.state = "cancelled";
  run.abort?.abort(aborted());
}

/** Made at need: most functions never ask. */
export function signalOf(run: Run): AbortSignal {
  run.abort ??= new AbortController();
  if (run.state === "cancelled") run.abort.abort(aborted());
  return run.abort.signal;
}

function aborted(): RunFailure {
  return new RunFailure({ type: "script_aborted", message: "The run was cancelled." });
}

export function startRun(input: {
  facts: RunFacts;
  channel: RuntimeChannel;
  schemas: RunSchemas;
  nowMs: () => number;
}): Run {
  const { facts, channel, schemas, nowMs } = input;
  const startedAtMs = nowMs();
  return {
    facts,
    channel,
    schemas,
    elapsedMs: () => nowMs() - startedAtMs,
    state: "running",
    loggerLevel: facts.loggerLevel,
  };
}

/** Throws when the run may do nothing more: it was cancelled, or it has already answered. */
export function requireRunning(run: Run): void {
  requireOpen(run);
  if (run.refusal !== undefined) throw run.refusal;
  if (run.state === "cancelled") {
    throw aborted();
  }
  const { callTimeoutMs } = run.facts;
  if (callTimeoutMs !== undefined && run.elapsedMs() >= callTimeoutMs) {
    throw new RunFailure({
      type: "execution_timeout",
      message: `The run is at its time limit after ${Math.round(callTimeoutMs / 1000)} s; save checkpoints, or do less at once.`,
    });
  }
}

/** Throws when the run has already answered; calls that a cancelled run may still make ask only this. */
export function requireOpen(run: Run): void {
  if (run.state !== "ended") return;
  throw new RunFailure({
    type: "run_ended",
    message: "The run has already ended; await every call on svc before the function returns.",
  });
}
