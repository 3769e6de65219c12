import { type EnvironmentContext, newTimeId, type OperationId } from "#platform";
import type { OpenState, OperationInput } from "./operation.ts";
import { toOperationJson } from "./operation-row.ts";
import { insertOperations } from "./store.ts";

/** Writes the operation in the caller's transaction; it is told of at once, `running` unless said otherwise. */
export async function startOperation(
  ctx: EnvironmentContext,
  input: OperationInput & { readonly state?: OpenState },
): Promise<OperationId> {
  const createdAt = ctx.clock.now();
  const id = newTimeId<OperationId>(createdAt);
  const state = input.state ?? "running";
  const startedAt = state === "running" ? createdAt : undefined;
  const row = { id, state, level: "info", createdAt, startedAt } as const;
  await insertOperations(ctx.db, [toOperationJson(ctx, input, row)]);
  return id;
}
