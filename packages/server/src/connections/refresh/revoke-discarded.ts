import { type Credentials, endsOtherTokens, getAuthMode } from "#auth-modes";
import { type EnvironmentContext, reasonOf, SECOND } from "#foundation";
import { type Integration, toAuthSubject } from "#integrations";
import type { Connection } from "../connection.ts";
import { newAuthTools } from "../new-auth-tools.ts";
import { hashHeldToken } from "../revoke/held-token.ts";
import { isTokenHeld } from "../revoke/held-token-store.ts";

const PATIENCE_MS = 10 * SECOND;

interface Discarded {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly credentials: Credentials;
  /** What the connection holds now; undefined when it is gone. */
  readonly live: Credentials | undefined;
}

/** Tells the provider that credentials nobody will use are given up; a failure changes nothing. */
export async function revokeDiscarded(
  ctx: EnvironmentContext,
  { integration, connection, credentials, live }: Discarded,
): Promise<void> {
  // The old platform works with them.
  if (connection.readThrough !== undefined) return;
  const mode = getAuthMode(connection.authMode);
  if (mode.revoke === undefined || integration.settings.revoke_on_delete === false) return;
  try {
    const subject = await toAuthSubject(ctx, integration, connection.connectionConfig);
    const isHeld = endsOtherTokens(subject.provider)
      ? live !== undefined || integration.settings.revoke_on_delete !== true
      : sharesToken(credentials, live);
    if (isHeld) return;
    const hash = await hashHeldToken(ctx, credentials);
    if (hash !== null && (await isTokenHeld(ctx.db, hash, { except: connection.uuid }))) return;
    const tools = newAuthTools(ctx, integration, AbortSignal.timeout(PATIENCE_MS));
    await mode.revoke(subject, credentials, tools);
  } catch (error) {
    const reason = reasonOf(error);
    ctx.log.warn("connection.revoke_failed", { connection: connection.uuid, reason });
  }
}

/** Many providers keep one refresh token: what replaced these credentials may hold it too. */
function sharesToken(discarded: Credentials, live: Credentials | undefined): boolean {
  return ["refresh_token", "access_token", "token"].some((name) => {
    const token = discarded[name];
    return typeof token === "string" && token === live?.[name];
  });
}
