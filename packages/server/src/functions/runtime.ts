import { logMessage } from "#logs";
import type { RuntimeHandler } from "#slice";
import { fetchUrl } from "./run-calls/fetch-url.ts";
import { releaseLock, releaseLocksOf, tryAcquireLock } from "./run-calls/locks.ts";

const log: RuntimeHandler<"log"> = async (ctx, { run, params }) => {
  const { level, message, meta } = params;
  logMessage(ctx, {
    operationId: run.operationId,
    level,
    message,
    source: "user",
    context: "script",
    meta,
  });
  return { value: null };
};

const fetch: RuntimeHandler<"fetch"> = async (ctx, { params, body }) =>
  await fetchUrl(ctx, params, body);

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

/** Calls of running functions that this slice answers. */
export const functionRuntime = {
  log,
  fetch,
  tryAcquireLock: acquire,
  releaseLock: release,
  releaseAllLocks: releaseAll,
};
