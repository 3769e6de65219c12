import { AppError, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { connectionValidating } from "../hooks.ts";
import { sendAuthWebhook } from "../send-auth-webhook.ts";
import type { ConnectionInput, SavedConnection } from "./connection-input.ts";
import { flagConnection, removeConnection } from "./store.ts";

/**
 * Runs the checks of connections. A new connection that is refused is removed; one that existed is
 * flagged, and the customer notified. Throws what the check threw.
 */
export async function validateConnection(
  ctx: EnvironmentContext,
  input: Pick<ConnectionInput, "integration" | "operationId">,
  saved: SavedConnection,
): Promise<void> {
  const { integration } = input;
  const { environment } = ctx;
  try {
    await ctx.hooks.tell(connectionValidating, ctx, { ...saved, integration, environment });
  } catch (error) {
    await takeBack(ctx, input, { saved, error });
    throw error;
  }
}

async function takeBack(
  ctx: EnvironmentContext,
  { integration, operationId }: Pick<ConnectionInput, "integration" | "operationId">,
  { saved, error }: { saved: SavedConnection; error: unknown },
): Promise<void> {
  const { connection, operation } = saved;
  if (operation === "creation") {
    await removeConnection(ctx.db, ctx.environment.id, connection.uuid);
    return;
  }
  const type = error instanceof AppError ? error.code : "server_error";
  const description = error instanceof AppError ? error.message : "The check itself failed.";
  await withTransaction(ctx, async (ctx) => {
    if (operationId !== undefined) {
      await flagConnection(ctx.db, ctx.environment.id, connection.uuid, operationId);
    }
    await sendAuthWebhook(ctx, {
      operation,
      integration,
      connection,
      error: { type, description },
      operationId,
    });
  });
}
