import { type Connection, getFreshCredentials } from "#connections";
import { AppError, addMs, type EnvironmentContext, SECOND } from "#platform";
import type { ProviderCall } from "../call.ts";

// A provider that answers 401 for reasons of its own must not have the tokens renewed on each call.
const RENEWAL_PAUSE_MS = 10 * SECOND;

/** Without retries a 401 is returned as it is; the next call shall find credentials that work. */
export async function renewInBackground(
  ctx: EnvironmentContext,
  { integration }: Pick<ProviderCall, "integration">,
  connection: Connection,
): Promise<void> {
  const now = ctx.clock.now();
  const { credentialsIssuedAt: issuedAt, refresh } = connection;
  if (issuedAt !== undefined && addMs(issuedAt, RENEWAL_PAUSE_MS) > now) return;
  if (refresh.needsReauthorizationAt !== undefined) return;
  if (refresh.notBefore !== undefined && refresh.notBefore > now) return;
  try {
    await getFreshCredentials(ctx, { connection, integration, force: true });
  } catch (error) {
    // The caller has its answer; the attempt itself is told of by the connection.
    if (!(error instanceof AppError) && !ctx.signal.aborted) throw error;
  }
}
