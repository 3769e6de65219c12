import type { EnvironmentContext, OperationId } from "#platform";
import { countEndedRow } from "../metrics/count-operation.ts";
import {
  type EndState,
  type LoggedError,
  type LoggedResponse,
  levelOf,
  type Meta,
} from "../operation.ts";
import { operationTime } from "../operation-time.ts";
import { redactError, redactMeta, redactResponse } from "../redact.ts";
import { toJson } from "../safe-json.ts";
import { endOperation } from "../store.ts";

export interface FinishedOperation {
  readonly id: OperationId;
  readonly state: EndState;
  readonly error?: LoggedError | undefined;
  readonly response?: LoggedResponse | undefined;
  /** Added to what the operation was started with. */
  readonly meta?: Meta | undefined;
}

/** Ends an operation; one that has ended before stays as it is. */
export async function finishOperation(
  ctx: EnvironmentContext,
  { id, state, error, response, meta }: FinishedOperation,
): Promise<void> {
  const endedAt = ctx.clock.now();
  const ended = await endOperation(ctx.db, ctx.environment.id, {
    id,
    createdAt: operationTime(id),
    state,
    level: levelOf(state),
    endedAt,
    error: jsonOrNull(error === undefined ? undefined : redactError(error)),
    response: jsonOrNull(response === undefined ? undefined : redactResponse(response)),
    meta: jsonOrNull(meta === undefined ? undefined : redactMeta(meta)),
  });
  if (ended !== undefined) countEndedRow(ctx, ended, { state, endedAt });
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : toJson(value);
}
