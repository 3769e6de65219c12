import type { EnvironmentContext } from "#foundation";
import { deleteDryRuns } from "./store.ts";

/** Deletes the ended dry runs of integrations: what they have read is sealed, so whose it is nobody can tell. */
export async function eraseDryRuns(
  ctx: EnvironmentContext,
  integrationIds: readonly number[],
): Promise<number> {
  return await deleteDryRuns(ctx.db, ctx.environment.id, integrationIds);
}
