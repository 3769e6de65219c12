import type { Vendor } from "./start-vendor.ts";
import { sampleWebhookSecret } from "./webhooks/send-webhook.ts";

/** The body of `POST /integrations` for an integration whose calls go to the vendor. */
export function describeIntegration(vendor: Vendor) {
  const { provider, samples } = vendor;
  const credentials = toClientCredentials(vendor);
  const webhookSecret = sampleWebhookSecret(provider);
  return {
    provider: provider.id,
    unique_key: provider.id,
    ...(credentials === undefined ? {} : { credentials }),
    ...(Object.keys(samples.integrationConfig).length === 0
      ? {}
      : { integration_config: samples.integrationConfig }),
    ...(webhookSecret === undefined ? {} : { custom: { webhook_secret: webhookSecret } }),
    settings: { overrides: { simulator_url: vendor.origin }, revoke_on_delete: true },
  };
}

/** What the integration's own credentials are, for modes that have some. */
function toClientCredentials({ provider, samples }: Vendor): object | undefined {
  const { id, secret, appId, appLink, privateKey } = samples.client;
  const { auth_mode: type } = provider;
  const client = { type, client_id: id, client_secret: secret };
  const app = { app_id: appId, app_link: appLink, private_key: privateKey };
  switch (type) {
    case "OAUTH2":
      return {
        ...client,
        scopes: "alpha.read,beta.write",
        ...(provider.token_auth_method.text === "private_key_jwt"
          ? { client_private_key: privateKey }
          : {}),
      };
    case "MCP_OAUTH2":
      return provider.client_registration === "static"
        ? { ...client, scopes: "alpha.read,beta.write" }
        : undefined;
    case "OAUTH1":
    case "TBA":
      return client;
    case "APP":
      return { type, ...app };
    case "CUSTOM":
      return { ...client, ...app };
    default:
      return undefined;
  }
}
