import { noteBefore } from "#audit";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import type { DeployedFunction } from "../deployed-function.ts";
import { functionsDeployed } from "../hooks.ts";
import { setFunctionEnabled } from "../store.ts";
import { type FunctionName, requireFunction } from "./require-function.ts";

/**
 * Lets a function run or keeps it from running: a disabled action is refused, a disabled sync is skipped by its
 * schedule and by triggers, a disabled on-event function is passed over. Runs under way end as usual.
 */
export async function enableFunction(
  ctx: EnvironmentContext,
  { enabled, ...name }: FunctionName & { enabled: boolean },
): Promise<DeployedFunction> {
  const { integration, fn } = await requireFunction(ctx, name);
  if (fn.enabled === enabled) return fn;
  await withTransaction(ctx, async (inner) => {
    noteBefore(inner, { enabled: fn.enabled });
    await setFunctionEnabled(inner.db, inner.environment.id, { id: fn.id, enabled });
    // Connections that came while a sync was disabled get their schedule now.
    const deployed = enabled ? [{ ...fn, enabled }] : [];
    await inner.hooks.tell(functionsDeployed, inner, { deployed, removed: [] });
  });
  const { id, uniqueKey, provider } = integration;
  recordChange(ctx, {
    message: `${enabled ? "Enable" : "Disable"} the ${fn.type} ${fn.name}`,
    subject: {
      integration: { id, name: uniqueKey, provider },
      function: { id: fn.id, name: fn.name },
    },
  });
  return { ...fn, enabled };
}
