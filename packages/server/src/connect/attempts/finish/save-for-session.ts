import type { AuthTools, Minted } from "#auth-modes";
import { type ConnectionInput, newAuthTools, saveConnection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { markCompleted } from "../../funnel/mark-step.ts";
import { notifySession } from "../../notify-session.ts";
import { notifyPopup } from "../../popup-sockets/notify-popup.ts";
import {
  type AttemptName,
  type ConnectSession,
  MAX_CONNECTIONS_PER_SESSION,
} from "../../session.ts";
import { claimAttempt, completeAttempt, releaseAttempt } from "../../store.ts";

export interface SessionConnection {
  readonly session: ConnectSession;
  readonly attempt: AttemptName;
  readonly input: Omit<ConnectionInput, "fromSession" | "tags" | "webhookUrlOverride">;
}

/** Stores the connection of an attempt. Row and session change together, or neither does. */
export async function saveForSession(
  ctx: EnvironmentContext,
  { session, attempt, input }: SessionConnection,
): Promise<void> {
  const { id: sessionId, reconnects, settings } = session;
  const { tags, webhookUrlOverride, mayChangeAccount } = settings;
  const isPending = input.minted.isPending ?? false;
  let claimed: ConnectSession["connectionUuid"];
  try {
    await saveConnection(
      ctx,
      {
        ...{ ...input, minted: markPending(input.minted), fromSession: true },
        ...{ tags, webhookUrlOverride, mayChangeAccount },
      },
      {
        async stored(ctx, { connection: { uuid } }) {
          if (reconnects !== undefined && reconnects !== uuid) {
            throw new AppError("invalid_connection");
          }
          const claim = { ...attempt, session, connectionUuid: uuid };
          const outcome = await claimAttempt(ctx.db, ctx.environment.id, {
            ...claim,
            limit: MAX_CONNECTIONS_PER_SESSION,
            now: ctx.clock.now(),
          });
          if (outcome === "ended") throw new AppError("unknown_connect_session_token");
          if (outcome === "full") throw new AppError("session_used");
          claimed = uuid;
        },
        async announced(ctx) {
          await completeAttempt(ctx.db, ctx.environment.id, { ...attempt, sessionId, isPending });
          await notifySession(ctx, sessionId);
          const { connectionId, integration } = input;
          const made = { connectionId, providerConfigKey: integration.uniqueKey, isPending };
          await notifyPopup(ctx, attempt.clientId, { made });
        },
      },
    );
  } catch (error) {
    if (claimed !== undefined) {
      const claim = { id: attempt.id, sessionId, connectionUuid: claimed };
      await releaseAttempt(ctx.db, ctx.environment.id, claim);
    }
    throw error;
  }
  // A pending connection is made once the provider has sent its message.
  if (isPending) return;
  await markCompleted(ctx, { session, integrationId: input.integration.id });
}

/** So that the webhook that completes the connection knows it, however often it comes. */
function markPending(minted: Minted): Minted {
  if (minted.isPending !== true) return minted;
  return { ...minted, credentials: { ...minted.credentials, pending: true } };
}

/** What a mode is given to work with: an attempt continues though its caller has left. */
export function toolsOf(
  ctx: EnvironmentContext,
  integration: Integration,
  issuedAt: Date,
): AuthTools {
  // A code that was spent should end as a connection even when the browser gives up.
  const signal = new AbortController().signal;
  const warn = (reason: string) =>
    ctx.log.warn("connect.warning", { integration: integration.uniqueKey, reason });
  return { ...newAuthTools(ctx, integration, signal), now: issuedAt, warn };
}
