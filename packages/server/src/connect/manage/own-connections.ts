import {
  type ConnectionForCall,
  deleteConnection,
  findConnectionByUuid,
  getHealthOf,
  isWithdrawable,
  listConnections,
  nameOfAccount,
} from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { findProviderOf, getCachedIntegrationById } from "#integrations";
import { connectionContents } from "../hooks.ts";
import type { ConnectSession } from "../session.ts";
import { createReconnectSession } from "../sessions/create-reconnect-session.ts";
import type { CreatedSession } from "../sessions/create-session.ts";
import { getOwnSession } from "../sessions/get-own-session.ts";

const MOST = 100;

/** Connections of the end user whom the calling session is for; throws forbidden for a session to connect. */
export async function listOwnConnections(ctx: EnvironmentContext) {
  const owner = ownerOf(await getOwnSession(ctx));
  const listed = await listConnections(ctx, { tags: owner, limit: MOST });
  const uuids = listed.map(({ connection }) => connection.uuid);
  const contents = await ctx.hooks.ask(connectionContents, ctx, uuids);
  return await Promise.all(
    listed.map(async ({ connection }) => {
      const health = await getHealthOf(ctx, connection);
      const integration = await getCachedIntegrationById(ctx, connection.integrationId);
      return {
        withdrawable: await isWithdrawable(ctx, integration, connection),
        id: connection.uuid,
        provider_config_key: integration.uniqueKey,
        display_name:
          integration.displayName ??
          findProviderOf(integration)?.display_name ??
          integration.uniqueKey,
        provider: integration.provider,
        state: health.state,
        account: nameOfAccount(connection) ?? health.account_identity,
        connected_at: connection.createdAt.toISOString(),
        last_used_at: connection.lastFetchedAt?.toISOString() ?? null,
        scopes_granted: health.scopes_granted,
        models: contents
          .filter((each) => each.connection === connection.uuid)
          .map(({ model, count }) => ({ name: model, count })),
      };
    }),
  );
}

/** A session that authorizes one of them again; throws forbidden and not_found. */
export async function reconnectOwn(ctx: EnvironmentContext, id: string): Promise<CreatedSession> {
  const session = await getOwnSession(ctx);
  const { integration, connection } = await getOwn(ctx, session, id);
  const { tags, allowedOrigins, returnUrl, language } = session.settings;
  const name = { integrationKey: integration.uniqueKey, connectionId: connection.connectionId };
  const settings = { tags, allowedOrigins, returnUrl, language };
  return await createReconnectSession(ctx, name, { settings, defaults: {} });
}

/** Deletes one of them as its maker would; throws forbidden and not_found. */
export async function deleteOwn(ctx: EnvironmentContext, id: string): Promise<void> {
  const { integration, connection } = await getOwn(ctx, await getOwnSession(ctx), id);
  await deleteConnection(ctx, { integration, connectionId: connection.connectionId });
}

/** The tags that a connection of this session's end user has. */
export function ownerOf({ settings }: Pick<ConnectSession, "settings">): Record<string, string> {
  if (settings.purpose !== "manage") {
    throw new AppError(
      "forbidden",
      'This session makes connections; one with `purpose: "manage"` shows them.',
    );
  }
  const names = ["end_user_id", "organization_id"];
  const owner = Object.entries(settings.tags ?? {}).filter(([name]) => names.includes(name));
  return Object.fromEntries(owner);
}

async function getOwn(
  ctx: EnvironmentContext,
  session: ConnectSession,
  id: string,
): Promise<ConnectionForCall> {
  const owner = Object.entries(ownerOf(session));
  const connection = await findConnectionByUuid(ctx, asConnection(id));
  const isOwn = owner.every(([name, value]) => connection?.tags[name] === value);
  // The same words for those of others, so that nobody learns which ids there are.
  if (connection === undefined || !isOwn) throw new AppError("not_found", "No such connection.");
  const integration = await getCachedIntegrationById(ctx, connection.integrationId);
  return { integration, connection };
}

// The route takes nothing but a UUID; whose it is is checked next.
function asConnection(id: string): ConnectionUuid {
  return id.toLowerCase() as ConnectionUuid;
}
