import type { EnvironmentContext } from "#foundation";
import { findSession } from "./store.ts";

/** Unique keys of the integrations that a session allows; undefined for all. */
export async function listAllowedIntegrations(
  ctx: EnvironmentContext,
  { sessionId }: { readonly sessionId: string },
): Promise<readonly string[] | undefined> {
  const session = await findSession(ctx.db, ctx.environment.id, sessionId);
  if (session === undefined) return [];
  const allowed = session.settings.allowedIntegrations ?? [];
  return allowed.length === 0 ? undefined : allowed;
}
