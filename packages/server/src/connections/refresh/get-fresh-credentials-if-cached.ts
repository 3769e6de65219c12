import { type Credentials, getAuthMode } from "#auth-modes";
import type { Integration } from "#integrations";
import { type Connection, isRefreshDue } from "../connection.ts";
import { refreshMarginMs } from "../renewal-times.ts";
import { getCredentialsIfOpened } from "../sealed-credentials.ts";

/** Credentials that are decrypted and not about to expire; undefined where `getFreshCredentials` has work to do. */
export function getFreshCredentialsIfCached(
  { connection, integration }: { connection: Connection; integration: Integration },
  now: Date,
): Credentials | undefined {
  if (connection.frozen !== undefined) return undefined;
  const canExpire =
    connection.credentialsExpireAt !== undefined &&
    getAuthMode(connection.authMode).refresh !== undefined;
  if (canExpire && isRefreshDue(connection, now, refreshMarginMs(integration))) return undefined;
  return getCredentialsIfOpened(connection);
}
