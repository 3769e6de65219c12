import { getAuthMode, readAccount } from "#auth-modes";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { getIntegrationById, providerOf, toAuthSubject } from "#integrations";
import type { Connection } from "../connection.ts";
import { newAuthTools } from "../new-auth-tools.ts";
import { getFreshCredentials } from "../refresh/get-fresh-credentials.ts";
import { saveAccount } from "./store.ts";

const PATIENCE_MS = 20 * SECOND;

/**
 * Asks the provider whose account the connection is, and keeps the answer; nothing is kept where it does not say.
 * Throws what the call throws, and conflict when the credentials have changed meanwhile.
 */
export async function readConnectionAccount(
  ctx: EnvironmentContext,
  known: Connection,
): Promise<void> {
  const integration = await getIntegrationById(ctx, known.integrationId);
  const { identity, auth_mode: mode } = providerOf(integration);
  if (identity === undefined) return;
  const fresh = await getFreshCredentials(ctx, { connection: known, integration, force: false });
  const { connection, credentials } = fresh;
  const subject = await toAuthSubject(ctx, integration, connection.connectionConfig);
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const tools = newAuthTools(ctx, integration, signal);
  const account = await readAccount(getAuthMode(mode), subject, credentials, tools);
  if (account === undefined) return;
  if (await saveAccount(ctx.db, ctx.environment.id, { connection, account })) return;
  throw new AppError("conflict", `Connection ${connection.connectionId} has just been changed.`);
}
