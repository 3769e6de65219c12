import { getEnvironment } from "#environments";
import type { Environment, SystemContext } from "#platform";
import { lookupHash } from "#vault";
import { AGENT_TOKEN, failUnknownToken, isWellFormedAgentToken } from "./session.ts";
import { findSessionByHash } from "./store.ts";

/** Finds the open session of a token; throws unknown_agent_token, also for a malformed one. */
export async function authenticateAgent(
  ctx: SystemContext,
  token: string,
): Promise<{ readonly environment: Environment; readonly sessionId: string }> {
  if (!isWellFormedAgentToken(token)) return failUnknownToken();
  const found = await findSessionByHash(ctx.db, await lookupHash(ctx, AGENT_TOKEN, token));
  if (found === undefined || found.endedAt !== null || found.expiresAt <= ctx.clock.now()) {
    return failUnknownToken();
  }
  return { environment: await getEnvironment(ctx, found.environmentId), sessionId: found.id };
}
