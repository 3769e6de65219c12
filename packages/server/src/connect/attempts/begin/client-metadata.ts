import { getAuthMode } from "#auth-modes";
import { findCallbackUrl, findEnvironment } from "#environments";
import {
  AppError,
  type EnvironmentContext,
  type EnvironmentId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { findProviderOf, getIntegration } from "#integrations";

/** Address of an integration's client document; servers read it only over https. */
export function clientMetadataUrl(
  { settings, environment }: EnvironmentContext,
  integrationKey: string,
): string | undefined {
  if (!settings.serverUrl.startsWith("https://")) return undefined;
  const key = encodeURIComponent(integrationKey);
  return `${settings.serverUrl}/oauth/client-metadata/${environment.id}/${key}`;
}

/** The OAuth client that authorization servers learn of from its document. */
export async function describeClient(
  ctx: SystemContext,
  { environmentId, integrationKey }: { environmentId: string; integrationKey: string },
) {
  const envCtx = withEnvironment(ctx, await getNamedEnvironment(ctx, environmentId));
  const url = clientMetadataUrl(envCtx, integrationKey);
  if (url === undefined) {
    throw new AppError(
      "feature_disabled",
      "Client documents are served only by an installation whose SVC_SERVER_URL is https.",
    );
  }
  const integration = await getIntegration(envCtx, integrationKey);
  const provider = findProviderOf(integration);
  const takesRedirects =
    provider !== undefined && getAuthMode(provider.auth_mode).startAuthorization !== undefined;
  if (!takesRedirects) throw new AppError("unknown_provider_config");
  return {
    client_id: url,
    client_name: integration.displayName ?? `${provider.display_name} by Jackfield`,
    client_uri: ctx.settings.serverUrl,
    redirect_uris: [await findCallbackUrl(envCtx)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

async function getNamedEnvironment(ctx: SystemContext, id: string) {
  const found = await findEnvironment(ctx, asEnvironmentId(id));
  if (found === undefined) throw new AppError("unknown_environment");
  return found;
}

// The route has checked that it is a UUID; whether it is one of ours is what is asked here.
function asEnvironmentId(id: string): EnvironmentId {
  return id as EnvironmentId;
}
