import type { SystemContext } from "#foundation";
import { deleteExpiredLocks } from "./run-calls/locks.ts";
import { deleteExpiredStages } from "./staging/stage.ts";

/** Locks and staged deployments whose time is over. */
export async function deleteExpiredOfFunctions(ctx: SystemContext): Promise<void> {
  await deleteExpiredLocks(ctx);
  await deleteExpiredStages(ctx);
}
