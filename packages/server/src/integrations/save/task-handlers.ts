import { type Environment, type EnvironmentContext, withEnvironment } from "#foundation";
import { enqueueTask, type TaskHandlers } from "#tasks";
import { listIntegrationRows } from "../store.ts";
import { integrationTasks } from "../tasks.ts";
import { deleteIntegrationFully } from "./delete-integration.ts";

/** Later, since an environment may hold more than a request has time for. */
export async function removeIntegrationsLater(
  ctx: EnvironmentContext,
  environment: Environment,
): Promise<void> {
  await enqueueTask(
    ctx,
    integrationTasks.removeEnvironment,
    { environment },
    { environmentId: environment.id },
  );
}

export const integrationTaskHandlers: TaskHandlers<typeof integrationTasks> = {
  removeEnvironment: async (ctx, { environment }) => {
    const inside = withEnvironment(ctx, environment);
    for (const { uniqueKey } of await listIntegrationRows(ctx.db, environment.id)) {
      await deleteIntegrationFully(inside, { uniqueKey });
    }
  },
  remove: async (ctx, { environment, uniqueKey }) => {
    await deleteIntegrationFully(withEnvironment(ctx, environment), { uniqueKey });
  },
};
