import { v7 } from "uuid";
import type { EnvironmentContext, OperationId } from "#foundation";
import type { LoggedError, LoggedRequest, LoggedResponse, LogLevel, Meta } from "./operation.ts";
import { joinJson } from "./operation-row.ts";
import { redactError, redactMeta, redactRequest, redactResponse, redactText } from "./redact.ts";
import { toMessage } from "./safe-json.ts";
import { logWriterOf } from "./writing/log-writer.ts";

export interface OperationMessage {
  readonly operationId: OperationId;
  readonly level: LogLevel;
  readonly message: string;
  /** `user`: written by a customer's function. */
  readonly source: "internal" | "user";
  readonly type?: "log" | "http";
  readonly context?: "script" | "proxy" | "webhook" | "auth";
  readonly meta?: Meta | undefined;
  readonly request?: LoggedRequest | undefined;
  readonly response?: LoggedResponse | undefined;
  readonly error?: LoggedError | undefined;
  readonly durationMs?: number | undefined;
}

/** Logs a message of an operation, soon; never waits and never throws. */
export function logMessage(ctx: EnvironmentContext, message: OperationMessage): void {
  const plain = {
    // Without a time of ours the ids of one process only grow, which orders one millisecond.
    id: v7(),
    operation_id: message.operationId,
    environment_id: ctx.environment.id,
    source: message.source,
    level: message.level,
    type: message.type ?? "log",
    message: toMessage(redactText(message.message)),
    context: message.context,
    duration_ms: message.durationMs === undefined ? undefined : Math.round(message.durationMs),
    created_at: ctx.clock.now(),
  };
  const { meta, request, response, error } = message;
  const shown = {
    meta: meta === undefined ? undefined : redactMeta(meta),
    request: request === undefined ? undefined : redactRequest(request),
    response: response === undefined ? undefined : redactResponse(response),
    error: error === undefined ? undefined : redactError(error),
  };
  logWriterOf(ctx).pushMessage(ctx, message.operationId, joinJson(plain, shown));
}
