import { type Credentials, getAuthMode } from "#auth-modes";
import { type Connection, isRefreshDue } from "../connection.ts";
import { peekCredentials } from "../sealed-credentials.ts";

/** Credentials that are at hand and not about to expire; undefined where getFreshCredentials has to be asked. */
export function peekFreshCredentials(connection: Connection, now: Date): Credentials | undefined {
  const canExpire = getAuthMode(connection.authMode).refresh !== undefined;
  if (canExpire && isRefreshDue(connection, now)) return undefined;
  return peekCredentials(connection);
}
