import { type EnvironmentContext, newTimeId, type OperationId } from "#platform";
import { announceOperation } from "../live/change-announcer.ts";
import type { OpenState, OperationInput } from "../operation.ts";
import { toOperationJson } from "../operation-row.ts";
import { operationTime } from "../operation-time.ts";
import { insertOperations } from "../store.ts";

/**
 * Writes the operation in the caller's transaction; it is announced at once, `running` unless said otherwise. One of the
 * given id that is there already stays as it is.
 */
export async function startOperation(
  ctx: EnvironmentContext,
  input: OperationInput & { readonly state?: OpenState },
  id: OperationId = newTimeId<OperationId>(ctx.clock.now()),
): Promise<OperationId> {
  const createdAt = operationTime(id);
  const state = input.state ?? "running";
  const startedAt = state === "running" ? createdAt : undefined;
  const row = { id, state, level: "info", createdAt, startedAt } as const;
  await insertOperations(ctx.db, [toOperationJson(ctx, input, row)]);
  announceOperation(ctx, ctx.environment.id, input);
  return id;
}
