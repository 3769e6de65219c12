import { type Connection, getFreshCredentials } from "#connections";
import { AppError, addMs, type EnvironmentContext, SECOND } from "#foundation";
import type { ProviderCall } from "../call.ts";

// A provider that answers 401 for reasons of its own must not have the tokens renewed on each call.
const RENEWAL_PAUSE_MS = 10 * SECOND;

/** Whether credentials that the provider refused may be renewed now. */
export function mayRenewRefused(
  { credentialsIssuedAt: issuedAt, refresh }: Connection,
  now: Date,
): boolean {
  if (issuedAt !== undefined && addMs(issuedAt, RENEWAL_PAUSE_MS) > now) return false;
  if (refresh.needsReauthorizationAt !== undefined) return false;
  return refresh.notBefore === undefined || refresh.notBefore <= now;
}

/** Without retries a 401 is returned as it is; the next call shall find credentials that work. */
export async function renewInBackground(
  ctx: EnvironmentContext,
  { integration }: Pick<ProviderCall, "integration">,
  connection: Connection,
): Promise<void> {
  if (!mayRenewRefused(connection, ctx.clock.now())) return;
  try {
    const refusedVersion = connection.credentialVersion;
    await getFreshCredentials(ctx, { connection, integration, force: true, refusedVersion });
  } catch (error) {
    // The caller has its answer; the connection reports the attempt itself.
    if (!(error instanceof AppError) && !ctx.signal.aborted) throw error;
  }
}
