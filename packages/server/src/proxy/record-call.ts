import { subjectOf } from "#connections";
import { recordOperation } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import type { ProviderCall } from "./call.ts";

/** How a call ended: with an answer, or with what the caller was told instead. */
export type CallEnd = { readonly status: number } | { readonly error: unknown };

/** Logs one call; its query is left out, for it may hold a key. */
export function recordCall(
  ctx: EnvironmentContext,
  call: Pick<ProviderCall, "integration" | "connection" | "method" | "baseUrl" | "path">,
  startedAt: Date,
  end: CallEnd,
): void {
  const [path = ""] = call.path.split("?", 1);
  const url = `${call.baseUrl.replace(/\/+$/, "")}/${path.replace(/^\//, "")}`;
  recordOperation(ctx, {
    type: "proxy",
    action: "call",
    message: `${call.method} /${path.replace(/^\//, "")}`,
    ...subjectOf(call.integration, call.connection),
    startedAt,
    request: { method: call.method, url },
    ...describeEnd(ctx, end),
  });
}

function describeEnd(ctx: EnvironmentContext, end: CallEnd) {
  if ("status" in end) {
    const state = end.status < 400 ? ("success" as const) : ("failed" as const);
    return { state, response: { code: end.status } };
  }
  if (ctx.signal.aborted) return { state: "cancelled" as const };
  const { error } = end;
  const known = error instanceof AppError;
  const type = known ? error.code : "server_error";
  const message = known ? error.message : "Something failed on our side.";
  return { state: "failed" as const, error: { type, message } };
}
