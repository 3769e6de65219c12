import type { RunError } from "@jackfield/contract/runtime";
import { AppError, addMs, type EnvironmentContext } from "#foundation";
import { toActionError } from "../to-action-error.ts";
import { openBytes, openOutcome } from "./sealed.ts";
import { findAsyncAction } from "./store.ts";

/**
 * The output of an asynchronous action as JSON text. Throws its failure as the synchronous call would, and 404
 * `not_found`: with `Retry-After` while it waits or runs, without when there is none or it is no longer kept.
 */
export async function getAsyncResult(ctx: EnvironmentContext, id: string): Promise<Uint8Array> {
  const kept = await findAsyncAction(ctx.db, ctx.environment.id, id);
  const oldest = addMs(ctx.clock.now(), -ctx.settings.actionResultMs);
  if (kept === undefined || (kept.endedAt !== null && kept.endedAt < oldest)) {
    throw new AppError(
      "not_found",
      "There is no such action, or its result has expired; results are stored for some days.",
    );
  }
  if (kept.outcome === null) {
    const message = `The action is ${kept.state}; ask again for its result.`;
    throw new AppError("not_found", message, { headers: { "retry-after": "1" } });
  }
  if (kept.state === "success") return await openBytes(ctx, ["outcome", id], kept.outcome);
  throw toActionError(asRunError(await openOutcome(ctx, id, kept.outcome)), ctx.clock.now());
}

// Sealed by runAsyncAction as the failure of an action.
function asRunError(outcome: unknown): RunError {
  return outcome as RunError;
}
