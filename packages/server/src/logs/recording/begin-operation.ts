import { type EnvironmentContext, newTimeId, type OperationId } from "#platform";
import { announceOperation } from "../live/change-announcer.ts";
import { countOperation } from "../metrics/count-operation.ts";
import { levelOf, type OperationInput } from "../operation.ts";
import { toOperationJson } from "../operation-row.ts";
import { operationTime } from "../operation-time.ts";
import { logWriterOf } from "../writing/log-writer.ts";
import type { FinishedOperation } from "./finish-operation.ts";

/** An operation of this process that has begun. */
export interface BegunOperation {
  readonly id: OperationId;
  readonly input: OperationInput;
}

/** The id for an operation that begins now. */
export function newOperationId({ clock }: Pick<EnvironmentContext, "clock">): OperationId {
  return newTimeId<OperationId>(clock.now());
}

/**
 * Begins an operation that is expected to end soon, without a round trip: it is written with its end, and before
 * that, as running, when it takes longer than a second or somebody looks.
 */
export function beginOperation(
  ctx: EnvironmentContext,
  id: OperationId,
  input: OperationInput,
): BegunOperation {
  const createdAt = operationTime(id);
  const row = { id, state: "running", level: "info", createdAt, startedAt: createdAt } as const;
  logWriterOf(ctx).open.add(id, ctx.environment.id, toOperationJson(ctx, input, row));
  announceOperation(ctx, ctx.environment.id, input);
  return { id, input };
}

/**
 * False when the operation is in the log as running: then `finishOperation` ends it. Otherwise nothing of it was
 * written, and `recordBegun` is to be called once its end is certain.
 */
export async function withdrawBegun(
  ctx: EnvironmentContext,
  { id }: BegunOperation,
): Promise<boolean> {
  return await logWriterOf(ctx).open.withdraw(id);
}

/** Logs an operation with its end, next to the work. */
export function recordBegun(
  ctx: EnvironmentContext,
  { id, input }: BegunOperation,
  end: Omit<FinishedOperation, "id">,
): void {
  const { state, error, response, meta } = end;
  const createdAt = operationTime(id);
  const times = { createdAt, startedAt: createdAt, endedAt: ctx.clock.now() };
  const row = { id, state, level: levelOf(state), ...times, error, response };
  const whole = { ...input, meta: { ...input.meta, ...meta } };
  countOperation(ctx, input, row);
  logWriterOf(ctx).pushEnd(ctx, toOperationJson(ctx, whole, row));
}
