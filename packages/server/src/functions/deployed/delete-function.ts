import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { requireNoCanary } from "../canary/require-no-canary.ts";
import { functionsDeployed } from "../hooks.ts";
import { markFunctionsDeleted, tryLockDeployment } from "../store.ts";
import { type FunctionName, requireFunction } from "./require-function.ts";

/** Removes a function that came from source text; one of a project is removed there, or it would come back. */
export async function deleteFunction(ctx: EnvironmentContext, name: FunctionName): Promise<void> {
  const { fn, integration } = await withTransaction(ctx, async (inner) => {
    const environmentId = inner.environment.id;
    if (!(await tryLockDeployment(inner.db, environmentId))) {
      throw new AppError("concurrent_deployment");
    }
    await requireNoCanary(inner);
    const found = await requireFunction(inner, name);
    if (found.fn.source === "repo") {
      throw new AppError(
        "function_managed_by_deploy",
        `"${name.name}" comes from a project; take it out of index.ts there and deploy, or disable it.`,
      );
    }
    const deletedAt = inner.clock.now();
    await markFunctionsDeleted(inner.db, environmentId, { ids: [found.fn.id], deletedAt });
    await inner.hooks.tell(functionsDeployed, inner, { deployed: [], removed: [found.fn] });
    return found;
  });
  const { id, uniqueKey, provider } = integration;
  recordChange(ctx, {
    message: `Delete the ${fn.type} ${fn.name}`,
    subject: {
      integration: { id, name: uniqueKey, provider },
      function: { id: fn.id, name: fn.name },
    },
  });
}
