import { getCachedConnectionForCall, requireUnfrozen } from "#connections";
import { type ActionId, type EnvironmentContext, newTimeId } from "#foundation";
import { enqueuingKeyed } from "#tasks";
import { type ActionTrigger, encodeInput, requireAction } from "../trigger-action.ts";
import { sealBytes } from "./sealed.ts";
import { insertAsyncAction } from "./store.ts";
import { actionTasks } from "./tasks.ts";

export interface AcceptedAction {
  readonly id: string;
  /** Path where its outcome will be. */
  readonly statusUrl: string;
}

/**
 * Accepts an action that runs later, first in first out per connection; answers once it is stored, so that an
 * outcome will be found in any case. Throws what a synchronous call would before it runs.
 */
export async function startAsyncAction(
  ctx: EnvironmentContext,
  trigger: Omit<ActionTrigger, "depth"> & { maxRetries: number },
): Promise<AcceptedAction> {
  const { integrationKey, connectionId, actionName, maxRetries } = trigger;
  const input = encodeInput(trigger.input, ctx.settings.actionValueLimitBytes);
  const found = await getCachedConnectionForCall(
    ctx,
    { integrationKey, connectionId },
    trigger.missing,
  );
  const { integration, connection } = found;
  requireUnfrozen(connection);
  const fn = await requireAction(ctx, integration, actionName);
  const createdAt = ctx.clock.now();
  const id = newTimeId<ActionId>(createdAt);
  const environmentId = ctx.environment.id;
  const sealed = input === undefined ? null : await sealBytes(ctx, ["input", id], input);
  // A repetition by Idempotency-Key must not start a second one.
  await ctx.noteEffect?.();
  const work = { id, environmentId, queueKey: connection.uuid, payload: { environmentId, id } };
  const row = {
    id,
    functionId: fn.id,
    connectionUuid: connection.uuid,
    input: sealed,
    maxRetries,
    createdAt,
  };
  await insertAsyncAction(ctx.db, environmentId, row, enqueuingKeyed(ctx, actionTasks.run, work));
  return { id, statusUrl: statusUrlOf(id) };
}

export function statusUrlOf(id: string): string {
  return `/action/${id}`;
}
