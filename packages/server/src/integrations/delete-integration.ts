import { recordChange } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { integrationDeleting } from "./hooks.ts";
import { deleteIntegrationRow, lockIntegration } from "./store.ts";

/** Deletes the integration with all that hangs on it; throws not_found. */
export async function deleteIntegration(
  ctx: EnvironmentContext,
  { uniqueKey }: { uniqueKey: string },
): Promise<void> {
  const deleted = await withTransaction(ctx, async (tx) => {
    const integration = await lockIntegration(tx.db, tx.environment.id, uniqueKey);
    if (integration === undefined) throw notFound(uniqueKey);
    await tx.hooks.tell(integrationDeleting, tx, integration);
    await deleteIntegrationRow(tx.db, tx.environment.id, integration.id, tx.clock.now());
    return integration;
  });
  recordChange(ctx, {
    message: `Delete the integration ${uniqueKey}`,
    subject: { integration: { id: deleted.id, name: uniqueKey, provider: deleted.provider } },
  });
}

export function notFound(uniqueKey: string): AppError {
  return new AppError(
    "not_found",
    `This environment has no integration "${uniqueKey}"; list them with GET /integrations.`,
  );
}
