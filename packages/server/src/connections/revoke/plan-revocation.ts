import { endsOtherTokens, getAuthMode, secretConfigOf } from "#auth-modes";
import { type ConnectionUuid, type EnvironmentContext, reasonOf } from "#foundation";
import { findProviderOf, type Integration, toAuthSubject } from "#integrations";
import { enqueueTasks } from "#tasks";
import type { Connection } from "../connection.ts";
import { openCredentials, type SealedRevocation, sealRevocation } from "../sealed-credentials.ts";
import { connectionTasks } from "./tasks.ts";

/**
 * What a deleted connection keeps, sealed, until the provider has been notified; undefined where there is
 * nobody to notify. Holds the OAuth client too, since the integration may be gone by then. Never throws for
 * credentials that cannot be read: they are deleted all the same.
 */
export async function sealForRevocation(
  ctx: EnvironmentContext,
  integration: Integration,
  connection: Connection,
): Promise<Buffer | undefined> {
  const revocation = await toRevocation(ctx, integration, connection);
  return revocation && (await sealRevocation(ctx, connection.uuid, revocation));
}

/** Whether deleting the connection would also withdraw its access at the provider. */
export async function isWithdrawable(
  ctx: EnvironmentContext,
  integration: Integration,
  connection: Connection,
): Promise<boolean> {
  return (await toRevocation(ctx, integration, connection)) !== undefined;
}

async function toRevocation(
  ctx: EnvironmentContext,
  integration: Integration,
  connection: Connection,
): Promise<SealedRevocation | undefined> {
  // The old platform works with these tokens.
  if (connection.readThrough !== undefined || !isWanted(integration)) return undefined;
  try {
    return await readRevocation(ctx, integration, connection);
  } catch (error) {
    const reason = reasonOf(error);
    ctx.log.warn("connection.revocation_skipped", { connection: connection.uuid, reason });
    return undefined;
  }
}

/** All that a withdrawal needs; undefined where there is nobody to notify. Throws for credentials that cannot be read. */
export async function readRevocation(
  ctx: EnvironmentContext,
  integration: Integration,
  connection: Connection,
): Promise<SealedRevocation | undefined> {
  const { canRevoke } = getAuthMode(connection.authMode);
  if (canRevoke === undefined) return undefined;
  const credentials = await openCredentials(ctx, connection);
  const config = { ...connection.connectionConfig, ...secretConfigOf(credentials) };
  const subject = await toAuthSubject(ctx, integration, config);
  if (!canRevoke(subject, credentials)) return undefined;
  const { integrationCredentials, integrationConfig, connectionConfig } = subject;
  return {
    provider: integration.provider,
    integrationCredentials,
    integrationConfig,
    connectionConfig,
    credentials,
    settings: integration.settings,
    definition: integration.definition,
  };
}

/** Deleting one connection must not end another: where the provider would, only who configures can know better. */
function isWanted(integration: Integration): boolean {
  const provider = findProviderOf(integration);
  return (
    integration.settings.revoke_on_delete ?? !(provider !== undefined && endsOtherTokens(provider))
  );
}

/** Queues the withdrawals in the transaction that deletes the connections. */
export async function revokeLater(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  const { environment } = ctx;
  const jobs = connections.map((connection) => ({ payload: { environment, connection } }));
  const options = { environmentId: environment.id };
  await enqueueTasks(ctx, connectionTasks.revokeDeleted, jobs, options);
}
