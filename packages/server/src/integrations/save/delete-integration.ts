import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { enqueueTask } from "#tasks";
import { integrationDeleting, integrationLeaving } from "../hooks.ts";
import type { Integration } from "../integration.ts";
import { deleteIntegrationRow, findIntegration, lockIntegration, markDeleting } from "../store.ts";
import { integrationTasks } from "../tasks.ts";

// A caller waits for so long; functions that still have to run for connections then do so in the background.
const WAIT_MS = 15 * SECOND;

/**
 * Deletes the integration with all that hangs on it, in the background what functions before it take longer for;
 * throws not_found.
 */
export async function deleteIntegration(
  ctx: EnvironmentContext,
  { uniqueKey }: { uniqueKey: string },
): Promise<void> {
  const integration = await findIntegration(ctx.db, ctx.environment.id, uniqueKey);
  if (integration === undefined) throw notFound(uniqueKey);
  noteOf(ctx, integration);
  if (await ctx.hooks.ask(integrationLeaving, ctx, { integration, withinMs: WAIT_MS })) {
    await removeIntegration(ctx, { uniqueKey });
    return;
  }
  await withTransaction(ctx, async (tx) => {
    const { environment } = tx;
    await markDeleting(tx.db, environment.id, { id: integration.id, now: tx.clock.now() });
    const rest = { environment, uniqueKey };
    await enqueueTask(tx, integrationTasks.remove, rest, { environmentId: environment.id });
  });
}

/** The same, for as long as it takes; one that is gone already is left alone. */
export async function deleteIntegrationFully(
  ctx: EnvironmentContext,
  { uniqueKey }: { uniqueKey: string },
): Promise<void> {
  const integration = await findIntegration(ctx.db, ctx.environment.id, uniqueKey);
  if (integration === undefined) return;
  await ctx.hooks.ask(integrationLeaving, ctx, { integration, withinMs: undefined });
  await removeIntegration(ctx, { uniqueKey });
}

async function removeIntegration(
  ctx: EnvironmentContext,
  { uniqueKey }: { uniqueKey: string },
): Promise<void> {
  const deleted = await withTransaction(ctx, async (tx) => {
    const integration = await lockIntegration(tx.db, tx.environment.id, uniqueKey);
    if (integration === undefined) throw notFound(uniqueKey);
    noteOf(tx, integration);
    await tx.hooks.tell(integrationDeleting, tx, integration);
    await deleteIntegrationRow(tx.db, tx.environment.id, integration.id, tx.clock.now());
    return integration;
  });
  recordChange(ctx, {
    message: `Delete the integration ${uniqueKey}`,
    subject: { integration: { id: deleted.id, name: uniqueKey, provider: deleted.provider } },
  });
}

/** The change is recorded with the first connections that go. */
function noteOf(ctx: EnvironmentContext, { provider, displayName }: Integration): void {
  noteBefore(ctx, { provider, display_name: displayName });
}

export function notFound(uniqueKey: string): AppError {
  return new AppError(
    "not_found",
    `This environment has no integration "${uniqueKey}"; list them with GET /integrations.`,
  );
}
