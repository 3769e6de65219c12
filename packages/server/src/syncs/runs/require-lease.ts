import type { EnvironmentContext } from "#foundation";
import { CallError } from "#foundation/sandbox";
import type { RunIdentity } from "#slice";
import { holdsRun } from "./store.ts";

/** Throws when another attempt has taken the run over, or it was cancelled or has ended; kinds without a lease pass. */
export async function requireLease(
  ctx: EnvironmentContext,
  run: Pick<RunIdentity, "runId" | "fence">,
): Promise<void> {
  if (run.fence === undefined) return;
  const attempt = { id: run.runId, fence: run.fence };
  if (!(await holdsRun(ctx.db, ctx.environment.id, attempt))) throw lostLease();
}

export function lostLease(): CallError {
  return new CallError({
    type: "script_aborted",
    message: "This run was cancelled or taken over by another worker; it may write nothing more.",
  });
}
