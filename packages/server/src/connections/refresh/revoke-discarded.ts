import { type Credentials, getAuthMode } from "#auth-modes";
import { type Integration, toAuthSubject } from "#integrations";
import { type EnvironmentContext, messageOf, SECOND } from "#platform";
import type { Connection } from "../connection.ts";

const PATIENCE_MS = 10 * SECOND;

/** Tells the provider that credentials nobody will use are given up; a failure changes nothing. */
export async function revokeDiscarded(
  ctx: EnvironmentContext,
  {
    integration,
    connection,
    credentials,
  }: { integration: Integration; connection: Connection; credentials: Credentials },
): Promise<void> {
  const mode = getAuthMode(connection.authMode);
  if (mode.revoke === undefined) return;
  try {
    const subject = await toAuthSubject(ctx, integration, connection.connectionConfig);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await mode.revoke(subject, credentials, { http: ctx.http, now: ctx.clock.now(), signal });
  } catch (error) {
    const reason = messageOf(error);
    ctx.log.warn("connection.revoke_failed", { connection: connection.uuid, reason });
  }
}
