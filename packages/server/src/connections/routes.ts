import type { connectionRoutes, ErrorCode } from "@jackfield/contract";
import { getIntegration, type Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { changeMetadata } from "./change-metadata.ts";
import { deleteConnection } from "./delete-connection.ts";
import { findConnectionForCall } from "./finding/find-connection-for-call.ts";
import { listConnections } from "./finding/list-connections.ts";
import { mayReadCredentials, presentConnection } from "./present-connection.ts";
import { readConnection } from "./read-connection.ts";
import { createConnection } from "./saving/create-connection.ts";
import { openCredentials } from "./sealed-credentials.ts";

export const connectionHandlers = {
  createConnection: async (ctx, { body }) => {
    const integration = await lookUp(ctx, body.provider_config_key, "not_found");
    const { connection } = await createConnection(ctx, {
      integration,
      connectionId: body.connection_id,
      credentials: body.credentials,
      metadata: body.metadata,
      connectionConfig: body.connection_config,
      tags: body.tags,
      webhookUrlOverride: body.webhook_url_override,
    });
    const credentials = mayReadCredentials(ctx.actor)
      ? await openCredentials(ctx, connection)
      : undefined;
    return presentConnection({ connection, integration, credentials });
  },
  listConnections: async (ctx, { query }) => {
    const listed = await listConnections(ctx, query);
    return { connections: listed.map(presentConnection) };
  },
  getConnection: async (ctx, { params, query }) => {
    const name = {
      integrationKey: query.provider_config_key,
      connectionId: params.connectionId,
    };
    const found = await withCode(
      "unknown_connection",
      "not_found",
      async () => await findConnectionForCall(ctx, name),
    );
    return await readConnection(ctx, {
      ...found,
      forceRefresh: query.force_refresh ?? false,
      withRefreshToken: query.refresh_token ?? false,
    });
  },
  deleteConnection: async (ctx, { params, query }) => {
    const integration = await lookUp(ctx, query.provider_config_key, "unknown_connection");
    await deleteConnection(ctx, { integration, connectionId: params.connectionId });
    return { success: true };
  },
  setMetadata: async (ctx, { body }) => {
    await changeMetadata(ctx, { ...(await toMetadataChange(ctx, body)), mode: "replace" });
    return body;
  },
  updateMetadata: async (ctx, { body }) => {
    await changeMetadata(ctx, { ...(await toMetadataChange(ctx, body)), mode: "merge" });
    return body;
  },
} satisfies RouteHandlers<typeof connectionRoutes>;

async function toMetadataChange(
  ctx: EnvironmentContext,
  body: {
    connection_id: string | string[];
    provider_config_key: string;
    metadata: Record<string, unknown>;
  },
) {
  return {
    integration: await lookUp(ctx, body.provider_config_key, "unknown_connection"),
    connectionIds: [body.connection_id].flat(),
    metadata: body.metadata,
  };
}

/** The integration, or the error that this route declares for a missing one. */
async function lookUp(ctx: EnvironmentContext, key: string, code: ErrorCode): Promise<Integration> {
  return await withCode(
    "unknown_provider_config",
    code,
    async () => await getIntegration(ctx, key),
  );
}

async function withCode<Result>(
  from: ErrorCode,
  to: ErrorCode,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== from) throw error;
    throw new AppError(to, error.message, { cause: error });
  }
}
