import type { RunError } from "@jackfield/contract/runtime";
import { logMessage } from "#logs";
import type { EnvironmentContext, OperationId } from "#platform";
import type { SandboxOutcome, SandboxRun } from "#platform/sandbox";
import { callPlatform } from "./call-platform.ts";
import type { DeployedFunction } from "./deployed-function.ts";
import type { FunctionRun } from "./function-run.ts";
import { loadBundle } from "./load-bundle.ts";
import { mapRunError } from "./map-run-error.ts";
import { readRunFacts } from "./read-run-facts.ts";
import type { RunIdentity } from "./runtime-handlers.ts";
import type { Bundle } from "./store.ts";

/**
 * Runs a function in the sandbox and answers its calls as the environment of `ctx`. Resolves for every ending; a
 * failure has its stack in the author's files and is logged as a message of the operation. Calls that are still
 * under way when the run ends are given up.
 */
export async function runFunction(
  ctx: EnvironmentContext,
  run: FunctionRun,
): Promise<SandboxOutcome> {
  const [bundle, facts] = await Promise.all([loadBundle(ctx, run.fn), readRunFacts(ctx, run)]);
  const cancelled =
    run.signal === undefined ? ctx.signal : AbortSignal.any([ctx.signal, run.signal]);
  const ended = new AbortController();
  const callCtx: EnvironmentContext = {
    ...ctx,
    actor: { kind: "function", runId: run.runId, connection: run.connection.uuid },
    signal: AbortSignal.any([cancelled, ended.signal]),
  };
  const identity = toIdentity(run);
  const sandboxRun: SandboxRun = {
    environmentId: ctx.environment.id,
    bundle: toSandboxBundle(run.fn, bundle),
    facts,
    timeoutMs: run.timeoutMs,
    signal: cancelled,
    exclusive: run.exclusive,
    onCall: (call) => callPlatform(callCtx, identity, call),
    ...(run.input === undefined ? {} : { input: run.input }),
  };
  try {
    const outcome = await ctx.sandbox.run(sandboxRun);
    if (outcome.kind === "done") return outcome;
    const error = mapRunError(outcome.error, bundle.sourceMap);
    logFailure(ctx, run.operationId, error);
    return { kind: "failed", error };
  } finally {
    ended.abort();
  }
}

function toSandboxBundle(fn: DeployedFunction, { code }: Bundle): SandboxRun["bundle"] {
  return { id: fn.bundleSha256.toString("hex"), filename: `${fn.name}.cjs`, code };
}

function toIdentity(run: FunctionRun): RunIdentity {
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
