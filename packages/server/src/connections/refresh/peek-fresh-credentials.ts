import { type Credentials, getAuthMode } from "#auth-modes";
import type { Integration } from "#integrations";
import { type Connection, isRefreshDue } from "../connection.ts";
import { refreshMarginMs } from "../renewal-times.ts";
import { peekCredentials } from "../sealed-credentials.ts";

/** Credentials that are at hand and not about to expire; undefined where getFreshCredentials has to be asked. */
export function peekFreshCredentials(
  { connection, integration }: { connection: Connection; integration: Integration },
  now: Date,
): Credentials | undefined {
  const canExpire =
    connection.credentialsExpireAt !== undefined &&
    getAuthMode(connection.authMode).refresh !== undefined;
  if (canExpire && isRefreshDue(connection, now, refreshMarginMs(integration))) return undefined;
  return peekCredentials(connection);
}
