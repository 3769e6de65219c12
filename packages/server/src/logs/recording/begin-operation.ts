import { type EnvironmentContext, newTimeId, type OperationId, timeOfId } from "#foundation";
import { announceOperation } from "../live/change-announcer.ts";
import type { OperationInput } from "../operation.ts";
import { toOperationJson } from "../operation-row.ts";
import { logWriterOf } from "../writing/log-writer.ts";

/** An operation that has begun, as far as its end is written from it: whole, by the process that ends it. */
export interface BegunOperation {
  readonly id: OperationId;
  readonly input: OperationInput;
  /** It counts once. */
  hasEnded: boolean;
}

/** The id for an operation that begins now. */
export function newOperationId({ clock }: Pick<EnvironmentContext, "clock">): OperationId {
  return newTimeId<OperationId>(clock.now());
}

/**
 * Begins an operation without a round trip, whether the log can be written or not: it is written with its end, and
 * before that, as running, when it takes longer than a second or somebody looks. `isAgain`: it was begun before,
 * perhaps by another process; what is in the log of it then stays.
 */
export function beginOperation(
  ctx: EnvironmentContext,
  input: OperationInput,
  {
    id = newOperationId(ctx),
    isAgain = false,
  }: { readonly id?: OperationId; readonly isAgain?: boolean } = {},
): BegunOperation {
  const createdAt = timeOfId(id);
  const row = { id, state: "running", level: "info", createdAt, startedAt: createdAt } as const;
  const json = toOperationJson(ctx, input, row);
  logWriterOf(ctx).open.add({ id, environmentId: ctx.environment.id, json, isSent: isAgain });
  announceOperation(ctx, ctx.environment.id, input);
  return { id, input, hasEnded: false };
}
