import type { connectionRoutes } from "@jackfield/contract";
import { AppError, type EnvironmentContext, holdsScope, invalidFields } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration } from "#integrations";
import { withEndUserTags } from "./end-user.ts";
import { listHealth } from "./health/connection-health.ts";
import { countConnectionStates } from "./health/count-states.ts";
import { refreshNow } from "./health/refresh-now.ts";
import { listConnectionPage, listConnections } from "./listing/list-connections.ts";
import { changeMetadata, type MetadataChange } from "./metadata/change-metadata.ts";
import {
  type ConnectionForCall,
  getCachedConnectionForCall,
  getConnectionForCall,
} from "./read/find-connection-for-call.ts";
import { mayReadCredentials, presentConnection } from "./read/present-connection.ts";
import { readConnection } from "./read/read-connection.ts";
import { revealConnectionField } from "./reveal/reveal-field.ts";
import { deleteConnection } from "./revoke/delete-connection.ts";
import { liftClientOverride } from "./save/client-override.ts";
import { createConnection } from "./save/create-connection.ts";
import { readFlatImport } from "./save/read-flat-import.ts";
import { readImport } from "./save/read-import.ts";
import { updateConnection } from "./save/update-connection.ts";
import { updateConnectionConfig } from "./save/update-connection-config.ts";
import { openCredentials } from "./sealed-credentials.ts";
import { countRead, countUse } from "./uses/count-uses.ts";
import { listUses } from "./uses/list-uses.ts";

const MAX_WITH_CREDENTIALS = 100;

export const connectionHandlers = {
  createConnection: async (ctx, { body }) => {
    const integration = await getIntegration(ctx, body.provider_config_key, "not_found");
    const { connection } = await createConnection(ctx, {
      integration,
      connectionId: body.connection_id,
      ...liftClientOverride(readImport(integration, body.credentials), body.connection_config),
      metadata: body.metadata,
      tags: withEndUserTags(body.tags, body.end_user),
      webhookUrlOverride: body.webhook_url_override,
      mayChangeAccount: body.allow_account_change === true,
    });
    const credentials = mayReadCredentials(ctx.actor)
      ? await openCredentials(ctx, connection)
      : undefined;
    return presentConnection({ connection, integration, credentials });
  },
  createConnectionFlat: async (ctx, { body }) => {
    const key = body.provider_config_key;
    if (key === undefined) throw new AppError("missing_provider_config");
    const integration = await getIntegration(ctx, key);
    const { oauth_client_id_override: id, oauth_client_secret_override: secret } = body;
    const config = {
      ...body.connection_config,
      ...(id && { oauth_client_id_override: id }),
      ...(secret && { oauth_client_secret_override: secret }),
    };
    const { connection } = await createConnection(ctx, {
      integration,
      connectionId: body.connection_id,
      ...liftClientOverride(
        readFlatImport(integration, body, ctx.clock.now()),
        Object.keys(config).length === 0 ? undefined : config,
      ),
      metadata: body.metadata,
      tags: undefined,
      webhookUrlOverride: body.webhook_url_override,
      // Older clients cannot say that they mean it.
      mayChangeAccount: true,
    });
    const { connectionId } = connection;
    if (mayReadCredentials(ctx.actor)) return { ...body, connection_id: connectionId };
    const { metadata, webhook_url_override } = body;
    return {
      provider_config_key: key,
      connection_id: connectionId,
      ...(metadata && { metadata }),
      ...(webhook_url_override && { webhook_url_override }),
    };
  },
  listConnections: async (ctx, { query }) => {
    const { include = [], refresh_token: withRefreshToken, ...filters } = query;
    const withCredentials = include.includes("credentials") || namesListCredentials(ctx);
    if (include.includes("credentials")) requireListCredentials(ctx);
    if (withCredentials && (query.limit ?? 0) > MAX_WITH_CREDENTIALS) throw tooManyAPage();
    if (withRefreshToken === true && !withCredentials) {
      throw new AppError("forbidden", "refresh_token goes with a list of credentials only.");
    }
    const { expires_before, unused_since, reauthorize_before, ...named } = filters;
    const { listed, nextCursor } = await listConnectionPage(ctx, {
      ...named,
      expiresBefore: toDate(expires_before),
      unusedSince: toDate(unused_since),
      reauthorizeBefore: toDate(reauthorize_before),
      withCredentials,
    });
    const withErrorDetails = include.includes("error_details");
    const healthOf = include.includes("health")
      ? await listHealth(
          ctx,
          listed.map(({ connection }) => connection),
        )
      : undefined;
    const connections = await Promise.all(
      listed.map(async (each) => {
        // Of a frozen one the list says so, and leaves its credentials out.
        const isShown = withCredentials && each.connection.frozen === undefined;
        if (isShown) countRead(ctx, each.connection.uuid);
        const credentials = isShown ? await openCredentials(ctx, each.connection) : undefined;
        const health = healthOf?.get(each.connection.id);
        const shown = { ...each, credentials, health, withRefreshToken, withErrorDetails };
        return presentConnection(shown);
      }),
    );
    return { connections, next_cursor: nextCursor };
  },
  countConnections: async (ctx, { query }) => {
    const integrationKeys = query.integrationId?.split(",").map((key) => key.trim());
    const { total, byState, byIntegration } = await countConnectionStates(ctx, { integrationKeys });
    return {
      data: {
        total,
        by_state: byState,
        by_integration: byIntegration.map((counts) => ({
          provider_config_key: counts.integrationKey,
          total: counts.total,
          by_state: counts.byState,
        })),
      },
    };
  },
  listConnectionsLegacy: async (ctx, { query }) => ({
    connections: (await listConnections(ctx, query)).map(presentConnection),
  }),
  refreshConnection: async (ctx, { params, query }) => {
    const found = await findOne(ctx, query.provider_config_key, params.connectionId);
    const { isRefreshed, body } = await refreshNow(ctx, found);
    return { refreshed: isRefreshed, data: body };
  },
  getConnection: async (ctx, { params, query }) =>
    await readConnection(ctx, {
      ...(await getCachedConnectionForCall(
        ctx,
        { integrationKey: query.provider_config_key, connectionId: params.connectionId },
        missing,
      )),
      forceRefresh: query.force_refresh === true || query.refresh_github_app_jwt_token === true,
      withRefreshToken: query.refresh_token ?? false,
      withErrorDetails: query.include?.includes("error_details") === true,
      withHealth: query.include?.includes("health") === true,
    }),
  revealConnectionField: async (ctx, { params, query, body }) => {
    const { connection } = await findOne(ctx, query.provider_config_key, params.connectionId);
    const data = await revealConnectionField(ctx, { connection, field: body.field });
    countUse(ctx, connection.uuid, "reveal");
    return { data };
  },
  listConnectionUses: async (ctx, { params, query }) => {
    const { provider_config_key: key, limit, cursor } = query;
    const { connection } = await findOne(ctx, key, params.connectionId);
    return await listUses(ctx, { connection, limit, cursor });
  },
  updateConnection: async (ctx, { params, query, body }) => {
    const found = await findOne(ctx, query.provider_config_key, params.connectionId);
    await updateConnection(ctx, found, {
      tags: body.tags,
      endUser: body.end_user,
      webhookUrlOverride: body.webhook_url_override,
      webhookSecret: body.webhook_secret,
    });
    return { success: true };
  },
  updateConnectionConfig: async (ctx, { params, body, ...input }) => {
    const found = await findOne(ctx, requireKey(input), params.connectionId);
    const connectionConfig = await updateConnectionConfig(ctx, found, body);
    const connection = { ...found.connection, connectionConfig };
    return presentConnection({ ...found, connection }).connection_config;
  },
  deleteConnection: async (ctx, { params, query }) => {
    const integration = await getIntegration(ctx, query.provider_config_key, "unknown_connection");
    await deleteConnection(ctx, { integration, connectionId: params.connectionId });
    return { success: true };
  },
  setMetadata: async (ctx, { body }) => {
    await changeMetadata(ctx, { ...(await toMetadataChange(ctx, body)), mode: "replace" });
    return body;
  },
  updateMetadata: async (ctx, { body }) => {
    const merged = await changeMetadata(ctx, {
      ...(await toMetadataChange(ctx, body)),
      mode: "merge",
    });
    return { ...body, metadata: merged ?? body.metadata };
  },
  setMetadataOfOne: async (ctx, { body, ...input }) => {
    const change = await toMetadataChange(ctx, namedOne(input, body));
    await changeMetadata(ctx, { ...change, mode: "replace" });
    return body;
  },
  updateMetadataOfOne: async (ctx, { body, ...input }) => {
    const change = await toMetadataChange(ctx, namedOne(input, body));
    return (await changeMetadata(ctx, { ...change, mode: "merge" })) ?? body;
  },
} satisfies RouteHandlers<typeof connectionRoutes>;

function toDate(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

interface KeySources {
  readonly query: { readonly provider_config_key?: string | undefined };
  readonly headers: { readonly "provider-config-key"?: string | undefined };
}

/** The integration that an older route takes as query or as header. */
function requireKey({ query, headers }: KeySources): string {
  const { provider_config_key: inQuery } = query;
  const { "provider-config-key": inHeader } = headers;
  if (inQuery !== undefined && inHeader !== undefined && inQuery !== inHeader) {
    throw new AppError(
      "invalid_query_params",
      "provider_config_key and the header Provider-Config-Key differ; send one.",
    );
  }
  const key = inQuery ?? inHeader;
  if (key !== undefined) return key;
  throw new AppError(
    "missing_provider_config",
    "Name the integration as `provider_config_key` in the query or in the header Provider-Config-Key.",
  );
}

interface MetadataBody {
  readonly connection_id: string | readonly string[];
  readonly provider_config_key: string;
  readonly metadata: Record<string, unknown>;
}

function namedOne(
  input: KeySources & { readonly params: { readonly connectionId: string } },
  metadata: Record<string, unknown>,
): MetadataBody {
  const { connectionId } = input.params;
  return { connection_id: connectionId, provider_config_key: requireKey(input), metadata };
}

async function toMetadataChange(
  ctx: EnvironmentContext,
  body: MetadataBody,
): Promise<Omit<MetadataChange, "mode">> {
  return {
    integration: await getIntegration(ctx, body.provider_config_key, "unknown_connection"),
    connectionIds: [body.connection_id].flat(),
    metadata: body.metadata,
  };
}

const LIST_CREDENTIALS = "environment:connections:list_credentials";

/** A key that was given this very scope is meant to read the list's credentials; one that may do everything asks. */
function namesListCredentials({ actor }: EnvironmentContext): boolean {
  return actor.kind === "key" && actor.scopes.includes(LIST_CREDENTIALS);
}

function tooManyAPage(): AppError {
  const message = `must be at most ${MAX_WITH_CREDENTIALS} in a list with credentials, which this key gets`;
  return invalidFields("invalid_query_params", [{ path: ["limit"], message }]);
}

function requireListCredentials({ actor }: EnvironmentContext): void {
  if (actor.kind !== "user" && holdsScope(actor, LIST_CREDENTIALS)) return;
  throw new AppError("forbidden", `include=credentials needs the scope ${LIST_CREDENTIALS}.`);
}

/** Codes of these routes for a connection that is not there. */
const missing = { connection: "not_found" } as const;

async function findOne(
  ctx: EnvironmentContext,
  integrationKey: string,
  connectionId: string,
): Promise<ConnectionForCall> {
  const name = { integrationKey, connectionId };
  return await getConnectionForCall(ctx, name, missing);
}
