import type { RuntimeParams } from "@jackfield/contract/runtime";
import { secretConfigOf } from "#auth-modes";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { catchUpCaches } from "#foundation/cache";
import { findProviderOf, getIntegrationById, withAliases } from "#integrations";
import type { RunIdentity } from "#slice";
import { changeMetadata } from "./metadata/change-metadata.ts";
import { type ConnectionForCall, getConnectionForCall } from "./read/find-connection-for-call.ts";
import { getConnectionByUuid } from "./read/get-connection.ts";
import type { ConnectionBody } from "./read/present-connection.ts";
import { readConnection } from "./read/read-connection.ts";

export interface Call<Params> {
  readonly run: Pick<RunIdentity, "connection" | "proxyOnly">;
  readonly params: Params;
}

/** What a running function may do with connections; any of its own environment. */
export const connectionRuntime = {
  getConnection: async (
    ctx: EnvironmentContext,
    { run, params }: Call<RuntimeParams<"getConnection">>,
  ) => {
    const { forceRefresh, refreshToken } = params;
    if (run.proxyOnly === true && refreshToken) throw new AppError("credentials_withheld");
    const target = await getTarget(ctx, run.connection, params);
    const value = await readConnection(ctx, {
      ...target,
      forceRefresh,
      withRefreshToken: refreshToken,
    });
    if (run.proxyOnly === true) return { value: withoutCredentials(value) };
    const provider = findProviderOf(target.integration);
    const { connection_config: open, credentials } = value;
    // Functions read what is sealed where it was given.
    const config = { ...(credentials && secretConfigOf(credentials)), ...open };
    if (provider === undefined) return { value: { ...value, connection_config: config } };
    return { value: { ...value, connection_config: withAliases(provider, config, credentials) } };
  },
  setMetadata: async (
    ctx: EnvironmentContext,
    { run, params: { mode, metadata } }: Call<RuntimeParams<"setMetadata">>,
  ) => {
    const { integration, connection } = await getTarget(ctx, run.connection, {});
    const connectionIds = [connection.connectionId];
    await changeMetadata(ctx, { integration, connectionIds, metadata, mode });
    // The caller of an action gets its answer, and may read the connection, before the route ends.
    await catchUpCaches(ctx);
    return { value: null };
  },
};

/** What of a connection is no secret: what was sealed of its configuration comes with the credentials. */
function withoutCredentials({ credentials: _, ...open }: ConnectionBody): ConnectionBody {
  return open;
}

async function getTarget(
  ctx: EnvironmentContext,
  own: ConnectionUuid,
  wanted: { providerConfigKey?: string | undefined; connectionId?: string | undefined },
): Promise<ConnectionForCall> {
  const { providerConfigKey, connectionId } = wanted;
  if (providerConfigKey !== undefined && connectionId !== undefined) {
    return await getConnectionForCall(ctx, { integrationKey: providerConfigKey, connectionId });
  }
  const connection = await getConnectionByUuid(ctx, own);
  const integration = await getIntegrationById(ctx, connection.integrationId);
  if (providerConfigKey === undefined && connectionId === undefined) {
    return { integration, connection };
  }
  return await getConnectionForCall(ctx, {
    integrationKey: providerConfigKey ?? integration.uniqueKey,
    connectionId: connectionId ?? connection.connectionId,
  });
}
