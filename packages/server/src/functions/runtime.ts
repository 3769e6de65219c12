import { logMessage } from "#logs";
import type { RuntimeHandler } from "./runtime-handlers.ts";

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

/** Calls of running functions that this slice answers. */
export const functionRuntime = { log };
