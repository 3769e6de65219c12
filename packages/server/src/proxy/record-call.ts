import { countUse, subjectOf } from "#connections";
import { AppError, type EnvironmentContext, type OperationId } from "#foundation";
import {
  type CallTemplate,
  isCallKept,
  logMessage,
  recordCallFromTemplate,
  recordOperation,
  toTimingMeta,
} from "#logs";
import type { CallEnd, ProviderCall } from "./call.ts";
import type { CallTiming } from "./call-log.ts";
import { countFailure } from "./limits/count-failure.ts";

export interface CallRecord {
  readonly log: {
    readonly startedAt: Date;
    readonly operationId?: OperationId | undefined;
    /** Milliseconds; a part that took none may be absent. */
    readonly timing?: Partial<CallTiming> | undefined;
  };
  readonly end: CallEnd;
  readonly template?: CallTemplate | undefined;
  /** The caller has gone before the end. */
  readonly isCancelled?: boolean;
}

type Call = Pick<ProviderCall, "integration" | "connection" | "method" | "baseUrl" | "path">;

/**
 * Logs one call, if it is among those to be logged: as an operation, or as a message of the run that makes it. Its
 * query is left out, for it may hold a key.
 */
export function recordCall(ctx: EnvironmentContext, call: Call, record: CallRecord): void {
  const { end, template, isCancelled = ctx.signal.aborted } = record;
  if (!isCancelled) countFailure(call.integration, end);
  if (hasLeft(end)) countUse(ctx, call.connection.uuid, "call");
  const { startedAt, operationId, timing } = record.log;
  const parent = ctx.actor.kind === "function" ? ctx.actor.operationId : undefined;
  const isSuccess = "status" in end && end.status < 400;
  const isPlain = isSuccess && operationId === parent;
  if (isPlain && !isCallKept(ctx, parent, ctx.settings.proxyLogSample)) return;
  const [path = ""] = call.path.split("?", 1);
  const below = path.startsWith("/") ? path : `/${path}`;
  const url = `${call.baseUrl.endsWith("/") ? call.baseUrl.replace(/(?<!\/)\/+$/, "") : call.baseUrl}${below}`;
  const message = `${call.method} ${below}`;
  if (parent !== undefined) {
    const { state, ...facts } = describeEnd(end, isCancelled);
    logMessage(ctx, {
      operationId: parent,
      level: state === "success" ? "info" : state === "cancelled" ? "warn" : "error",
      source: "internal",
      type: "http",
      context: "proxy",
      message,
      request: { method: call.method, url },
      meta: toTimingMeta(timing),
      ...facts,
      durationMs: ctx.clock.now().getTime() - startedAt.getTime(),
    });
    return;
  }
  if (template !== undefined && "status" in end) {
    const { upstream: upstreamMs } = timing ?? {};
    const row = { message, method: call.method, url, status: end.status, startedAt, upstreamMs };
    if (recordCallFromTemplate(ctx, template, row)) return;
  }
  const meta = toTimingMeta(timing);
  recordOperation(ctx, {
    id: operationId,
    type: "proxy",
    action: "call",
    message,
    ...subjectOf(call.integration, call.connection),
    startedAt,
    request: { method: call.method, url },
    ...(meta === undefined ? {} : { meta }),
    ...describeEnd(end, isCancelled),
  });
}

/** Whether the provider was asked, and has so been shown the credentials. */
function hasLeft(end: CallEnd): boolean {
  if ("status" in end) return true;
  return end.error instanceof AppError && end.error.code.startsWith("upstream_");
}

function describeEnd(end: CallEnd, isCancelled: boolean) {
  if ("status" in end) {
    const state = end.status < 400 ? ("success" as const) : ("failed" as const);
    return { state, response: { code: end.status } };
  }
  if (isCancelled) return { state: "cancelled" as const };
  const { error } = end;
  const known = error instanceof AppError;
  const type = known ? error.code : "server_error";
  const message = known ? error.message : "Something failed on our side.";
  return { state: "failed" as const, error: { type, message } };
}
