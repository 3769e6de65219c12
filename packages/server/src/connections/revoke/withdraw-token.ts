import { type AuthSubject, type AuthTools, getAuthMode } from "#auth-modes";
import { type EnvironmentContext, SECOND } from "#foundation";
import { findProviderOf } from "#integrations";
import { newAuthTools } from "../new-auth-tools.ts";
import type { SealedRevocation } from "../sealed-credentials.ts";

const PATIENCE_MS = 5 * SECOND;

/**
 * Notifies the provider, by what its entry says, that the credentials are given up; throws what prevented it. `watch`
 * may put something between the withdrawal and its requests.
 */
export async function withdrawToken(
  ctx: EnvironmentContext,
  revocation: SealedRevocation,
  watch: (tools: AuthTools) => AuthTools = (tools) => tools,
): Promise<void> {
  const { provider: id, definition, credentials, settings = {}, ...known } = revocation;
  const provider = findProviderOf({ provider: id, definition, settings });
  if (provider === undefined) throw new Error(`The catalogue has no provider ${id} any more.`);
  const subject: AuthSubject = {
    ...known,
    provider,
    integrationCredentials: known.integrationCredentials,
  };
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const tools = newAuthTools(ctx, { provider: id, settings }, signal);
  await getAuthMode(provider.auth_mode).revoke?.(subject, credentials, watch(tools));
}
