import type { RuntimeParams } from "@jackfield/contract/runtime";
import { getCachedConnectionForCall, getConnectionByUuid } from "#connections";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { getIntegration, getIntegrationById } from "#integrations";
import type { RunIdentity } from "#slice";
import { callProvider } from "./call-provider.ts";

export interface ProxyCall {
  readonly run: Pick<RunIdentity, "connection" | "egress" | "proxyOnly">;
  readonly params: RuntimeParams<"proxy">;
  readonly body: Uint8Array;
}

/** Calls of running functions; with their own connection, or any of the environment. */
export const proxyRuntime = {
  proxy: async (ctx: EnvironmentContext, { run, params, body }: ProxyCall) => {
    const target = await findTarget(ctx, run.connection, params);
    const answer = await callProvider(ctx, {
      ...target,
      egress: run.egress,
      hidesCredentials: run.proxyOnly ?? false,
      method: params.method.toUpperCase(),
      endpoint: params.endpoint,
      query: params.query,
      headers: params.headers,
      body: params.hasBody ? body : undefined,
      baseUrlOverride: params.baseUrlOverride,
      retries: params.retries,
      retryOn: params.retryOn,
      retryHeader: params.retryHeader,
      forwardHeaders: params.forwardHeadersOnRedirect,
      decompress: params.decompress,
      followRedirects: true,
      // What the provider refused has done nothing: sent again, a write is not done twice.
      renewsRefused: true,
    });
    const { body: answered, timing: _timing, ...value } = answer;
    return { value, body: answered };
  },
};

async function findTarget(
  ctx: EnvironmentContext,
  own: ConnectionUuid,
  { providerConfigKey, connectionId }: RuntimeParams<"proxy">,
) {
  if (providerConfigKey !== undefined && connectionId !== undefined) {
    return await getCachedConnectionForCall(ctx, {
      integrationKey: providerConfigKey,
      connectionId,
    });
  }
  const connection = await getConnectionByUuid(ctx, own);
  if (providerConfigKey === undefined && connectionId === undefined) {
    const integration = await getIntegrationById(ctx, connection.integrationId);
    return { integration, connection };
  }
  const integration =
    providerConfigKey === undefined
      ? await getIntegrationById(ctx, connection.integrationId)
      : await getIntegration(ctx, providerConfigKey);
  return await getCachedConnectionForCall(ctx, {
    integrationKey: integration.uniqueKey,
    connectionId: connectionId ?? connection.connectionId,
  });
}
