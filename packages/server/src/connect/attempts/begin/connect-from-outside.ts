import type { Provider } from "@jackfield/catalogue";
import { AppError, type SystemContext } from "#foundation";
import { providerOf } from "#integrations";
import { type MadeConnection, makeConnection } from "./connect-with-credentials.ts";
import { openAttempt, openSession } from "./open-attempt.ts";
import type { ConnectQuery } from "./parse-connect-query.ts";

/**
 * Makes a connection without credentials, for entries whose installation begins at the provider: a
 * webhook of it brings them later.
 */
export async function connectFromOutside(
  ctx: SystemContext,
  { integrationKey, query }: { integrationKey: string; query: ConnectQuery },
): Promise<MadeConnection> {
  const attempt = await openAttempt(await openSession(ctx, query), { integrationKey, query });
  const provider = providerOf(attempt.integration);
  if (!isInstalledOutside(provider)) {
    throw new AppError(
      "invalid_auth_mode",
      `${integrationKey} is not installed at the provider; use GET /oauth/connect/${integrationKey}.`,
    );
  }
  return await makeConnection(attempt, async () => ({
    credentials: { type: provider.auth_mode },
    expiresAt: undefined,
    capturedConfig: {},
    isPending: true,
  }));
}

/** Whether the installation begins at the provider, so that no browser is sent there from here. */
export function isInstalledOutside(provider: Provider): boolean {
  return "installation" in provider && provider.installation === "outbound";
}
