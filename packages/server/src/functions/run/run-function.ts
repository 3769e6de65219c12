import type { FunctionKind, RunError, RunFacts } from "@jackfield/contract/runtime";
import type { EnvironmentContext, OperationId } from "#foundation";
import { defineCounter, defineHistogram, withinSpan } from "#foundation/instruments";
import type { SandboxOutcome, SandboxRun } from "#foundation/sandbox";
import { findProviderOf } from "#integrations";
import { logMessage, type RunTiming } from "#logs";
import type { RunEgress, RunIdentity } from "#slice";
import { countCanaryRun } from "../canary/counts/count-canary-run.ts";
import type { DeployedFunction } from "../deployed-function.ts";
import { isProxyOnly, openRunDoor } from "../egress/run-door.ts";
import { releaseLocksOf } from "../run-calls/locks.ts";
import { countRunOf } from "../run-counts/count-run.ts";
import { countError } from "../run-errors/count-error.ts";
import type { Bundle } from "../store.ts";
import { beginRecording, keepTape } from "../tapes/record-run.ts";
import type { RunRecorder } from "../tapes/run-recorder.ts";
import { boundRunError } from "./bound-run-error.ts";
import { callPlatform } from "./call-platform.ts";
import { CredentialFailures, isCredentialFailure } from "./credential-failures.ts";
import type { FunctionRun } from "./function-run.ts";
import { loadBundle } from "./load-bundle.ts";
import { mapRunError } from "./map-run-error.ts";
import { readRunFacts } from "./read-run-facts.ts";
import { RunGuard } from "./run-guard.ts";
import { RunSecrets } from "./run-secrets.ts";
import { RunTimer } from "./run-timer.ts";

const runs = defineCounter({
  name: "svc_runs_total",
  help: "Runs of functions that ended, by kind and outcome.",
  unit: "{run}",
  labels: ["kind", "outcome"],
});

const durations = defineHistogram({
  name: "svc_run_duration_seconds",
  help: "Duration of runs, including the wait for a process.",
  unit: "s",
  labels: ["kind"],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
});

// A function chooses the types of its own errors; these are the server's.
const outcomes: Readonly<Record<string, string>> = {
  function_runtime_timed_out: "timed_out",
  function_runtime_out_of_memory: "out_of_memory",
  function_runtime_other: "crashed",
  script_aborted: "cancelled",
  overloaded: "overloaded",
};

// One for all: an error made for each run would cost more than the rest of its end.
const RUN_ENDED = new Error("the run has ended");

/** `timing`: for the end of the run's operation. */
export type FunctionOutcome = SandboxOutcome & { readonly timing: RunTiming };

/**
 * Runs a function in the sandbox and answers its calls as the environment of `ctx`. Resolves for every ending; a
 * failure has its stack in the author's files and is logged as a message of the operation. Calls that are still
 * under way when the run ends are given up.
 */
export async function runFunction(
  ctx: EnvironmentContext,
  run: FunctionRun,
): Promise<FunctionOutcome> {
  const trace = ctx.trace.child(`function ${run.kind}`, {
    attributes: { "svc.environment.id": ctx.environment.id, "svc.run.id": run.runId },
  });
  try {
    return await withinSpan(trace, async () => await runTraced({ ...ctx, trace }, run));
  } finally {
    trace.end();
  }
}

async function runTraced(ctx: EnvironmentContext, run: FunctionRun): Promise<FunctionOutcome> {
  const timer = new RunTimer(ctx, run);
  const [bundle, known, recorder] = await Promise.all([
    loadBundle(ctx, run.fn),
    readRunFacts(ctx, run),
    beginRecording(ctx, run),
  ]);
  const facts = recorder === undefined ? known : { ...known, tape: toTapeFacts(recorder) };
  const cancelled =
    run.signal === undefined ? ctx.signal : AbortSignal.any([ctx.signal, run.signal]);
  const ended = new AbortController();
  const callCtx: EnvironmentContext = {
    ...ctx,
    actor: {
      kind: "function",
      runId: run.runId,
      functionName: run.fn.name,
      functionKind: run.kind,
      connection: run.connection.uuid,
      operationId: run.operationId,
    },
    signal: AbortSignal.any([cancelled, ended.signal]),
  };
  const secrets = new RunSecrets();
  const egress = openRunDoor(ctx, run, (value) => secrets.hide(value));
  const identity = toIdentity(run, egress);
  const credentials = new CredentialFailures(run);
  const guard = guardRun(ctx, run);
  const onCall: SandboxRun["onCall"] = (call) =>
    secrets.pass(call, async (passed) => {
      await guard.admit(passed, (value) => secrets.hide(value));
      const ask = async () => await callPlatform(callCtx, identity, passed);
      const answer = async () => await credentials.pass(passed, ask);
      return await withinSpan(ctx.trace, async () => await timer.pass(passed.method, answer));
    });
  const sandboxRun: SandboxRun = {
    environmentId: ctx.environment.id,
    // What is recorded begins in a clean process, as it will when it is played.
    connection: recorder === undefined ? run.connection.uuid : `${run.runId} recorded`,
    bundle: toSandboxBundle(run.fn, bundle),
    facts,
    timeoutMs: run.timeoutMs,
    startTimeoutMs: run.startTimeoutMs,
    signal: cancelled,
    exclusive: run.exclusive || recorder !== undefined,
    depth: run.depth ?? 0,
    onBegin: (start) => timer.begin(start),
    onCall: recorder === undefined ? onCall : (call) => recorder.pass(call, onCall),
    ...(run.input === undefined ? {} : { input: run.input }),
  };
  try {
    const startedAt = performance.now();
    const outcome = await ctx.sandbox.run(sandboxRun);
    const durationMs = performance.now() - startedAt;
    const timing = timer.end(startedAt);
    countRun(run.kind, outcome, durationMs);
    if (recorder !== undefined) keepTape(ctx, run, { recorder, facts, outcome });
    countForList(ctx, run, outcome);
    await countForCanary(ctx, run, { outcome, durationMs });
    if (outcome.kind === "failed") ctx.trace.fail(outcomeOf(outcome));
    if (outcome.kind === "done") return { ...outcome, timing };
    const settled = await credentials.settle(ctx, outcome.error);
    const error = secrets.hideIn(mapRunError(boundRunError(settled), bundle.sourceMap));
    logFailure(ctx, run.operationId, error);
    if (outcomeOf(outcome) !== "cancelled" && !isCredentialFailure(error)) {
      countError(ctx, { functionId: run.fn.id, operationId: run.operationId, error });
    }
    return { kind: "failed", error, timing };
  } finally {
    ended.abort(RUN_ENDED);
    await releaseLocksOf(ctx, run.operationId);
  }
}

function toTapeFacts({ seed, startedAtMs }: RunRecorder): RunFacts["tape"] {
  return { seed, startedAtMs };
}

function guardRun(ctx: EnvironmentContext, run: FunctionRun): RunGuard {
  const { fn, integration, operationId, caller } = run;
  return new RunGuard({
    caller,
    readsOnly: readsOnly(run),
    provider: {
      integrationKey: integration.uniqueKey,
      effects: findProviderOf(integration)?.effects,
    },
    onViolation: (message) => {
      ctx.log.warn("function.effect_violation", { function: fn.name, operationId });
      logMessage(ctx, {
        ...{ operationId, message, level: "error", source: "internal", context: "script" },
        error: { type: "effect_violation", message },
      });
    },
  });
}

/** What an author says of an action holds for it; whom it calls may do no more. */
function readsOnly({ fn, readsOnly: isBound = false }: FunctionRun): boolean {
  return isBound || (fn.type === "action" && fn.definition.agent?.effect === "read");
}

/** A run that was stopped is neither a success nor a failure. */
function countForList(ctx: EnvironmentContext, run: FunctionRun, outcome: SandboxOutcome): void {
  if (outcomeOf(outcome) === "cancelled") return;
  const { operationId, fn } = run;
  countRunOf(ctx, { functionId: fn.id, operationId, isSuccess: outcome.kind === "done" });
}

/** Neither a run that was stopped nor one that found no process or no credentials says anything of the code. */
async function countForCanary(
  ctx: EnvironmentContext,
  { fn, connection }: FunctionRun,
  { outcome, durationMs }: { outcome: SandboxOutcome; durationMs: number },
): Promise<void> {
  if (["cancelled", "overloaded"].includes(outcomeOf(outcome))) return;
  if (outcome.kind === "failed" && isCredentialFailure(outcome.error)) return;
  const run = { fn, connection: connection.uuid };
  await countCanaryRun(ctx, run, { isSuccess: outcome.kind === "done", durationMs });
}

function toSandboxBundle(fn: DeployedFunction, { code }: Bundle): SandboxRun["bundle"] {
  return { id: fn.bundleSha256.toString("hex"), filename: `${fn.name}.cjs`, code };
}

function toIdentity(run: FunctionRun, egress: RunEgress): RunIdentity {
  const { fn } = run;
  return {
    runId: run.runId,
    operationId: run.operationId,
    functionId: fn.id,
    kind: run.kind,
    connection: run.connection.uuid,
    integration: run.integration.uniqueKey,
    variant: run.variant ?? "base",
    models: fn.type === "sync" ? fn.definition.models : [],
    depth: run.depth ?? 0,
    caller: run.caller,
    readsOnly: readsOnly(run),
    egress,
    proxyOnly: isProxyOnly(run),
    syncId: run.syncId,
    fence: run.fence,
  };
}

function logFailure(ctx: EnvironmentContext, operationId: OperationId, error: RunError): void {
  const { type, message, stack, upstream } = error;
  const payload = { ...(stack && { stack }), ...(upstream && { status: upstream.status }) };
  logMessage(ctx, {
    operationId,
    level: "error",
    message: `The function failed: ${message}`,
    source: "internal",
    context: "script",
    error: { type, message, payload },
  });
}

function countRun(kind: FunctionKind, outcome: SandboxOutcome, durationMs: number): void {
  runs.add(1, { kind, outcome: outcomeOf(outcome) });
  durations.record(durationMs / 1000, { kind });
}

function outcomeOf(outcome: SandboxOutcome): string {
  if (outcome.kind === "done") return outcome.interrupted ? "interrupted" : "succeeded";
  const { type } = outcome.error;
  return Object.hasOwn(outcomes, type) ? (outcomes[type] ?? "failed") : "failed";
}
