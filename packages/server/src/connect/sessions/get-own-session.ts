import assert from "node:assert";
import { AppError, type EnvironmentContext } from "#foundation";
import type { ConnectSession } from "../session.ts";
import { findSession } from "../store.ts";

/** The session that calls; throws unknown_connect_session_token once it has been removed. */
export async function getOwnSession(ctx: EnvironmentContext): Promise<ConnectSession> {
  assert(ctx.actor.kind === "session");
  const session = await findSession(ctx.db, ctx.environment.id, ctx.actor.sessionId);
  if (session === undefined) throw new AppError("unknown_connect_session_token");
  return session;
}
