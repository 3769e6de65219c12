import { getCachedEnvironment } from "#environments";
import type { Environment, SystemContext } from "#platform";
import { lookupHash } from "#vault";
import { findExternalSession, isExternalToken } from "../oauth/external-token.ts";
import { itemIdOf } from "../oauth/item-id.ts";
import { findSessionByAccessToken } from "../oauth/store.ts";
import { AGENT_TOKEN, failUnknownToken, isWellFormedAgentToken } from "./session.ts";
import { findSessionByHash, type SessionOfToken } from "./store.ts";

/** Finds the open session of a token, at the address of a toolset; throws unknown_agent_token, also for a malformed one. */
export async function authenticateAgent(
  ctx: SystemContext,
  token: string,
  params?: unknown,
): Promise<{ readonly environment: Environment; readonly sessionId: string }> {
  const found = await findSessionOf(ctx, token, String(Object(params).toolset).toLowerCase());
  if (found === undefined || found.endedAt !== null || found.expiresAt <= ctx.clock.now()) {
    return failUnknownToken();
  }
  return { environment: await getCachedEnvironment(ctx, found.environmentId), sessionId: found.id };
}

const opaque = /^[\w-]{20,100}$/;

async function findSessionOf(
  ctx: SystemContext,
  token: string,
  toolset: string,
): Promise<SessionOfToken | undefined> {
  if (isWellFormedAgentToken(token)) {
    return await findSessionByHash(ctx.db, await lookupHash(ctx, AGENT_TOKEN, token));
  }
  if (isExternalToken(token)) return await findExternalSession(ctx, token, toolset);
  if (!opaque.test(token)) return undefined;
  const id = await itemIdOf(ctx, "AccessToken", token);
  return await findSessionByAccessToken(ctx.db, { id, now: ctx.clock.now() });
}
