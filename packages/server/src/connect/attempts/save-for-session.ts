import type { AuthTools, Minted } from "#auth-modes";
import { type ConnectionInput, newAuthTools, saveConnection } from "#connections";
import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import type { ConnectSession } from "../session.ts";
import { tellOfSession } from "../session-news.ts";
import { claimSession, completeSession, findSession, releaseSession } from "../store.ts";

export interface SessionConnection {
  readonly session: ConnectSession;
  readonly attemptId: string | undefined;
  readonly input: Omit<ConnectionInput, "fromSession" | "tags" | "webhookUrlOverride">;
}

/**
 * Stores the session's one connection. Row and session change together: a session whose connection is
 * not stored is not used up, and the other way round.
 */
export async function saveForSession(
  ctx: EnvironmentContext,
  { session, attemptId, input }: SessionConnection,
): Promise<void> {
  const { id, reconnects, settings } = session;
  const { tags, webhookUrlOverride } = settings;
  const isPending = input.minted.isPending ?? false;
  let claimed: ConnectSession["connectionUuid"];
  try {
    await saveConnection(
      ctx,
      { ...input, minted: markPending(input.minted), tags, webhookUrlOverride, fromSession: true },
      {
        async stored(ctx, { connection: { uuid } }) {
          if (reconnects !== undefined && reconnects !== uuid) {
            throw new AppError("invalid_connection");
          }
          if (!(await claimSession(ctx.db, ctx.environment.id, session, uuid))) {
            throw new AppError(await whyNotClaimed(ctx, session));
          }
          claimed = uuid;
        },
        async announced(ctx) {
          await completeSession(ctx.db, ctx.environment.id, { id, isPending, attemptId });
          await tellOfSession(ctx, id);
        },
      },
    );
  } catch (error) {
    if (claimed !== undefined) {
      await releaseSession(ctx.db, ctx.environment.id, { id, connectionUuid: claimed });
    }
    throw error;
  }
}

async function whyNotClaimed(
  ctx: EnvironmentContext,
  { id }: ConnectSession,
): Promise<AppError["code"]> {
  const current = await findSession(ctx.db, ctx.environment.id, id);
  return current?.connectionUuid === undefined ? "unknown_connect_session_token" : "session_used";
}

/** So that the webhook that completes the connection knows it, however often it comes. */
function markPending(minted: Minted): Minted {
  if (minted.isPending !== true) return minted;
  return { ...minted, credentials: { ...minted.credentials, pending: true } };
}

/** What a mode is given to work with: an attempt goes on though its caller has left. */
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
