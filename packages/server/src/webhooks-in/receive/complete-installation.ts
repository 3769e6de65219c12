import { ProviderFailure } from "#auth-modes";
import { failPending } from "#connect";
import {
  type Connection,
  completeConnection,
  listNewestConnectionsBy,
  sendAuthWebhook,
} from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { openRequest } from "../inbox/handle-webhook.ts";
import type { Handling } from "../inbox/handling.ts";
import { findRouting } from "../match/find-routing.ts";
import type { Completion } from "../match/router.ts";
import { listEvents } from "../reading/read-webhook.ts";
import { decodeContent } from "./kept-request.ts";

interface Completing extends Handling {
  /** Nobody tries again: the customer is notified of a failure. */
  readonly isLast: boolean;
}

/**
 * Makes the connection usable that waits for the webhook's values; calls the provider. Throws what
 * another attempt may cure; notifies the customer of any other failure.
 */
export async function completeInstallation(
  ctx: EnvironmentContext,
  { integration, webhook, isLast }: Completing,
): Promise<void> {
  const request = await decodeContent(await openRequest(ctx, webhook));
  for (const { completes } of await listEvents(ctx, findRouting(ctx, integration), request)) {
    if (completes !== undefined) await complete(ctx, { integration, completes, isLast });
  }
}

interface Installation extends Pick<Completing, "integration" | "isLast"> {
  readonly completes: Completion;
}

async function complete(
  ctx: EnvironmentContext,
  { integration, completes, isLast }: Installation,
): Promise<void> {
  const wanted = Object.entries(completes.config);
  const [first] = wanted;
  if (first === undefined) return;
  const [key, value] = first;
  const named = await listNewestConnectionsBy(ctx, integration, { key, value });
  const fitting = named.filter(({ connectionConfig }) =>
    wanted.every(([name, text]) => connectionConfig[name] === text),
  );
  // Of several that began to install it, the last is the one whose user just confirmed.
  for (const connection of fitting) {
    const reported = { integration, connection, reported: completes.params };
    try {
      if ((await completeConnection(ctx, reported)) !== undefined) return;
    } catch (error) {
      if (isTaken(error)) return;
      if (!isLast && !isLasting(error)) throw error;
      await withTransaction(ctx, async (ctx) => {
        await reportFailure(ctx, { integration, connection, error });
        await failPending(ctx, { connection, thrown: error });
      });
      return;
    }
  }
}

/** Another webhook was faster. */
function isTaken(error: unknown): boolean {
  return error instanceof AppError && error.code === "conflict";
}

/** The provider has given its answer, and would give it again. */
function isLasting(error: unknown): boolean {
  if (!(error instanceof ProviderFailure)) return false;
  return error.kind === "refused" ? error.ending !== undefined : error.kind !== "unavailable";
}

/** As of any connection that was not made. */
async function reportFailure(
  ctx: EnvironmentContext,
  given: { integration: Integration; connection: Connection; error: unknown },
): Promise<void> {
  const { integration, connection, error } = given;
  const { connectionId, authMode, webhookUrlOverride } = connection;
  const isKnown = error instanceof AppError;
  await sendAuthWebhook(ctx, {
    operation: "creation",
    integration,
    connection: { connectionId, authMode, webhookUrlOverride },
    error: {
      type: "invalid_webhook",
      description: isKnown ? error.message : "Something failed on our side.",
    },
  });
}
