import type { Actor, EnvironmentContext, OperationId } from "#foundation";
import type {
  LoggedError,
  LoggedRequest,
  LoggedResponse,
  LogLevel,
  OperationInput,
  OperationState,
} from "./operation.ts";
import { redactError, redactMeta, redactRequest, redactResponse, redactText } from "./redact.ts";
import { toJson, toMessage, toSimpleJson } from "./safe-json.ts";
import type { RowJson } from "./store.ts";

export interface OperationRow {
  readonly id: OperationId;
  readonly state: OperationState;
  readonly level: LogLevel;
  readonly createdAt: Date;
  readonly startedAt?: Date | undefined;
  readonly endedAt?: Date | undefined;
  readonly request?: LoggedRequest | undefined;
  readonly response?: LoggedResponse | undefined;
  readonly error?: LoggedError | undefined;
}

export function toOperationJson(
  ctx: EnvironmentContext,
  input: OperationInput,
  row: OperationRow,
): RowJson {
  const texts = {
    id: row.id,
    environment_id: ctx.environment.id,
    type: input.type,
    action: input.action,
    state: row.state,
    level: row.level,
    message: toMessage(redactText(input.message)),
    created_at: row.createdAt,
    started_at: row.startedAt,
    ended_at: row.endedAt,
  };
  return joinJson(texts, {
    integration: input.integration,
    connection: input.connection,
    function: input.function,
    actor: presentActor(ctx.actor),
    request: row.request === undefined ? undefined : redactRequest(row.request),
    response: row.response === undefined ? undefined : redactResponse(row.response),
    error: row.error === undefined ? undefined : redactError(row.error),
    meta: input.meta === undefined ? undefined : redactMeta(input.meta),
  });
}

/** One JSON object of plain columns and of jsonb columns, each of which is capped by itself. */
export function joinJson(
  plain: Readonly<Record<string, unknown>>,
  json: Readonly<Record<string, unknown>>,
): RowJson {
  const simple = toSimpleJson({ ...plain, ...json });
  if (simple !== undefined) return simple;
  const members = Object.entries(json)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `,"${name}":${toJson(value)}`);
  return `${JSON.stringify(plain).slice(0, -1)}${members.join("")}}`;
}

/** With the name that a key or a user has now: it may be gone when somebody reads it. */
export function presentActor(actor: Actor): Record<string, string> {
  switch (actor.kind) {
    case "key": {
      const { keyId: id, keyName: name } = actor;
      return name === undefined ? { type: "key", id } : { type: "key", id, name };
    }
    case "user":
      return { type: "user", id: actor.userId, name: actor.userName };
    case "session":
      return { type: "session", id: actor.sessionId };
    case "agent":
      return { type: "agent", id: actor.sessionId };
    case "function": {
      const { runId: id, operationId: operation_id } = actor;
      return operation_id === undefined
        ? { type: "function", id }
        : { type: "function", id, operation_id };
    }
    case "system":
      return { type: "system" };
  }
}
