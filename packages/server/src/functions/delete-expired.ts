import type { InstallationContext } from "#platform";
import { deleteExpiredLocks } from "./run-calls/locks.ts";
import { deleteExpiredStages } from "./staging/stage.ts";

/** Locks and staged deployments whose time is over. */
export async function deleteExpiredOfFunctions(ctx: InstallationContext): Promise<void> {
  await deleteExpiredLocks(ctx);
  await deleteExpiredStages(ctx);
}
