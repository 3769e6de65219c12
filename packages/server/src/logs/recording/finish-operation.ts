import { type EnvironmentContext, timeOfId } from "#foundation";
import { countOperation } from "../metrics/count-operation.ts";
import {
  type EndState,
  type LoggedError,
  type LoggedResponse,
  levelOf,
  type Meta,
} from "../operation.ts";
import { toOperationJson } from "../operation-row.ts";
import { logWriterOf } from "../writing/log-writer.ts";
import type { BegunOperation } from "./begin-operation.ts";

export interface OperationEnd {
  readonly state: EndState;
  readonly error?: LoggedError | undefined;
  readonly response?: LoggedResponse | undefined;
  /** Added to what the operation was begun with. */
  readonly meta?: Meta | undefined;
}

/**
 * Ends an operation next to the work: never waits, and never throws. One that has ended in the log stays as it is. To
 * be called once the end is certain, so after the commit that makes it so.
 */
export function finishOperation(
  ctx: EnvironmentContext,
  begun: BegunOperation,
  { state, error, response, meta }: OperationEnd,
): void {
  if (begun.hasEnded) return;
  begun.hasEnded = true;
  const { id, input } = begun;
  const createdAt = timeOfId(id);
  const times = { createdAt, startedAt: createdAt, endedAt: ctx.clock.now() };
  const row = { id, state, level: levelOf(state), ...times, error, response };
  const whole = { ...input, meta: { ...input.meta, ...meta } };
  countOperation(ctx, input, row);
  logWriterOf(ctx).pushEnd(ctx, id, toOperationJson(ctx, whole, row));
}
