import type { RunError } from "@jackfield/contract/runtime";
import { AppError, addMs, type EnvironmentContext, SECOND } from "#foundation";
import { type Call, type CallAnswer, CallError, isRepeatable } from "#foundation/sandbox";
import type { RunIdentity } from "#slice";
import { runtimeCall } from "../hooks.ts";

/** Has one call of a function done; its failure as the function may see it, without anything of the server. */
export async function callPlatform(
  ctx: EnvironmentContext,
  run: RunIdentity,
  call: Call,
): Promise<CallAnswer> {
  try {
    if (!isRepeatable(call.method, call.params)) await ctx.noteEffect?.();
    return await ctx.hooks.ask(runtimeCall, ctx, { ...call, run });
  } catch (error) {
    if (error instanceof CallError) throw error;
    if (error instanceof AppError && error.code !== "server_error") {
      throw new CallError(toRunError(error, ctx.clock.now()), { cause: error });
    }
    const { runId, operationId } = run;
    ctx.log.error("function.call_failed", { method: call.method, runId, operationId, error });
    throw new CallError({
      type: "server_error",
      message: `The server could not do ${call.method}; its log has the cause under ${runId}.`,
    });
  }
}

/** A failure of the API as a function, or its run, has it. */
export function toRunError(error: AppError, now: Date): RunError {
  const [first, ...others] = error.details ?? [];
  const { code: type, message, status, headers } = error;
  const seconds = Number(headers["Retry-After"]);
  const payload = others.length === 0 ? first : [first, ...others];
  return {
    ...{ type, message, status },
    ...(payload === undefined ? {} : { payload }),
    ...(seconds > 0 ? { retryAt: addMs(now, seconds * SECOND).toISOString() } : {}),
  };
}
