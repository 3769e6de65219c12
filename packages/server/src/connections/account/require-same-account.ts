import { getAuthMode, type ProviderAccount, readAccount } from "#auth-modes";
import { AppError, type EnvironmentContext, messageOf, SECOND } from "#foundation";
import { providerOf, toAuthSubject } from "#integrations";
import { newAuthTools } from "../new-auth-tools.ts";
import type { ConnectionInput } from "../save/connection-input.ts";
import { findConnection } from "../store.ts";

const PATIENCE_MS = 10 * SECOND;

/**
 * Whose account new credentials of a known connection are; undefined where nobody can say, which refuses nothing.
 * Throws account_changed: what agents, syncs and people do with the connection would go to another account.
 */
export async function requireSameAccount(
  ctx: EnvironmentContext,
  input: ConnectionInput,
): Promise<ProviderAccount | undefined> {
  const { integration, connectionId, minted, mayChangeAccount } = input;
  const { identity } = providerOf(integration);
  if (identity === undefined || minted.isPending === true || mayChangeAccount === true)
    return undefined;
  const name = { integrationId: integration.id, connectionId };
  const known = await findConnection(ctx.db, ctx.environment.id, name);
  if (known?.account === undefined) return undefined;
  const config = input.connectionConfig ?? known.connectionConfig;
  const account = await ask(ctx, input, { ...config, ...minted.capturedConfig });
  if (account === undefined || account.id === known.account.id) return account;
  throw new AppError(
    "account_changed",
    `These credentials are of another account at ${integration.provider} than the connection ${connectionId}. Authorize the same account, or make a connection of its own for the other one.`,
  );
}

/** Credentials that are fine must not fail for a provider that does not say who it is. */
async function ask(
  ctx: EnvironmentContext,
  { integration, connectionId, minted }: ConnectionInput,
  config: Readonly<Record<string, string>>,
): Promise<ProviderAccount | undefined> {
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const subject = await toAuthSubject(ctx, integration, config);
    const mode = getAuthMode(providerOf(integration).auth_mode);
    const tools = newAuthTools(ctx, integration, signal);
    return await readAccount(mode, subject, minted.credentials, tools);
  } catch (error) {
    ctx.log.debug("connection.account_not_read", { connectionId, reason: messageOf(error) });
    return undefined;
  }
}
