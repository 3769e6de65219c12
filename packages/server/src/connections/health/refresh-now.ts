import type { EnvironmentContext } from "#foundation";
import type { ConnectionForCall } from "../read/find-connection-for-call.ts";
import { type ConnectionBody, presentConnection } from "../read/present-connection.ts";
import { getFreshCredentials } from "../refresh/get-fresh-credentials.ts";
import { getHealth } from "./connection-health.ts";

/** Renews the credentials, however old they are; throws as `getFreshCredentials` does. */
export async function refreshNow(
  ctx: EnvironmentContext,
  { integration, connection: known }: ConnectionForCall,
): Promise<{ isRefreshed: boolean; body: ConnectionBody }> {
  const { connection } = await getFreshCredentials(ctx, {
    connection: known,
    integration,
    force: true,
  });
  const isRefreshed = connection.credentialVersion !== known.credentialVersion;
  const health = await getHealth(ctx, connection);
  return { isRefreshed, body: presentConnection({ connection, integration, health }) };
}
