import { CallError } from "#foundation/sandbox";
import { logMessage } from "#logs";
import type { RuntimeHandler } from "#slice";
import { inputRequired } from "./run/run-guard.ts";
import { fetchUrl } from "./run-calls/fetch-url.ts";
import { releaseLock, releaseLocksOf, tryAcquireLock } from "./run-calls/locks.ts";
import { countMismatch } from "./run-errors/count-error.ts";

const log: RuntimeHandler<"log"> = async (ctx, { run, params }) => {
  const { level, message, meta, mismatch } = params;
  logMessage(ctx, {
    operationId: run.operationId,
    level,
    message,
    source: "user",
    context: "script",
    meta,
  });
  if (mismatch !== undefined) {
    // What a function tells here it may have made up: only models that it has are names.
    const hasModel = mismatch.model !== undefined && run.models.includes(mismatch.model);
    const what = hasModel ? `${mismatch.what} of ${mismatch.model}` : mismatch.what;
    countMismatch(ctx, { functionId: run.functionId, operationId: run.operationId, what });
  }
  return { value: null };
};

const fetch: RuntimeHandler<"fetch"> = async (ctx, { run, params, body }) =>
  await fetchUrl(ctx, params, { body, egress: run.egress });

const acquire: RuntimeHandler<"tryAcquireLock"> = async (ctx, { run, params }) => ({
  value: await tryAcquireLock(ctx, { operationId: run.operationId, ...params }),
});

const release: RuntimeHandler<"releaseLock"> = async (ctx, { run, params }) => ({
  value: await releaseLock(ctx, { operationId: run.operationId, ...params }),
});

const releaseAll: RuntimeHandler<"releaseAllLocks"> = async (ctx, { run }) => {
  await releaseLocksOf(ctx, run.operationId);
  return { value: null };
};

const reportProgress: RuntimeHandler<"reportProgress"> = async (_ctx, { run, params }) => {
  run.caller?.reportProgress(params);
  return { value: null };
};

const elicit: RuntimeHandler<"elicit"> = async (_ctx, { run, params }) => {
  if (run.caller === undefined) {
    throw new CallError({
      type: "elicitation_unavailable",
      message: "Nobody can be asked: no agent has called the action.",
    });
  }
  const value = run.caller.elicit(params);
  if (value === undefined) throw inputRequired();
  return { value };
};

/** Of a run without a tape: its process has no reason to send it. */
const noteMoments: RuntimeHandler<"noteMoments"> = async () => ({ value: null });

/** Calls of running functions that this slice answers. */
export const functionRuntime = {
  log,
  reportProgress,
  elicit,
  fetch,
  tryAcquireLock: acquire,
  releaseLock: release,
  releaseAllLocks: releaseAll,
  noteMoments,
};
