import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { functionsDeployed } from "../hooks.ts";
import { listAllFunctions, markFunctionsDeleted } from "../store.ts";

/** Removes every function of an integration that goes; for the hook `integrationDeleting`. */
export async function deleteFunctionsOf(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
): Promise<void> {
  const all = await listAllFunctions(ctx.db, ctx.environment.id);
  const removed = all.filter((fn) => fn.integrationId === integration.id);
  if (removed.length === 0) return;
  const ids = removed.map(({ id }) => id);
  await markFunctionsDeleted(ctx.db, ctx.environment.id, { ids, deletedAt: ctx.clock.now() });
  await ctx.hooks.tell(functionsDeployed, ctx, { deployed: [], removed });
}
