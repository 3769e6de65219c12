import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { countOperation } from "../metrics/count-operation.ts";
import {
  type EndState,
  type LoggedError,
  type LoggedRequest,
  type LoggedResponse,
  levelOf,
  type OperationInput,
} from "../operation.ts";
import { toOperationJson } from "../operation-row.ts";
import { logWriterOf } from "../writing/log-writer.ts";

export type CompleteOperation = OperationInput & {
  /** Given where messages were logged before the end. */
  readonly id?: OperationId | undefined;
  readonly state: EndState;
  readonly startedAt: Date;
  readonly request?: LoggedRequest | undefined;
  readonly response?: LoggedResponse | undefined;
  readonly error?: LoggedError | undefined;
};

/** Logs an operation that has ended, without a round trip of its own: for hot paths. */
export function recordOperation(ctx: EnvironmentContext, operation: CompleteOperation): void {
  const { state, startedAt, request, response, error } = operation;
  const row = {
    id: operation.id ?? newTimeId<OperationId>(startedAt),
    state,
    level: levelOf(state),
    createdAt: startedAt,
    startedAt,
    endedAt: ctx.clock.now(),
    request,
    response,
    error,
  };
  countOperation(ctx, operation, row);
  logWriterOf(ctx).pushOperation(ctx, toOperationJson(ctx, operation, row));
}
