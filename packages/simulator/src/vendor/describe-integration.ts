import type { Vendor } from "./start-vendor.ts";
import { sampleWebhookSecret } from "./webhooks/send-webhook.ts";

/** The body of `POST /integrations` for an integration whose calls go to the vendor. */
export function describeIntegration(vendor: Vendor) {
  const { provider, samples } = vendor;
  const credentials = toClientCredentials(vendor);
  const webhookSecret = sampleWebhookSecret(provider);
  const signed = credentials !== undefined && takesWebhookSecret.has(provider.auth_mode);
  return {
    provider: provider.id,
    unique_key: provider.id,
    ...(credentials === undefined ? {} : { credentials }),
    ...(signed && webhookSecret !== undefined
      ? { credentials: { ...credentials, webhook_secret: webhookSecret } }
      : {}),
    ...(Object.keys(samples.integrationConfig).length === 0
      ? {}
      : { integration_config: samples.integrationConfig }),
    settings: { overrides: { simulator_url: vendor.origin }, revoke_on_delete: true },
  };
}

/** Modes whose credentials of the integration have a place for the secret of webhooks. */
const takesWebhookSecret: ReadonlySet<string> = new Set(["OAUTH2", "OAUTH1", "TBA"]);

/**
 * The body of `PATCH /integrations/{key}` that sets the secret of the vendor's webhooks, where `describeIntegration`
 * has no place for it; undefined where nothing is left to set.
 */
export function describeWebhookSecret({ provider }: Pick<Vendor, "provider">) {
  const secret = sampleWebhookSecret(provider);
  if (secret === undefined || takesWebhookSecret.has(provider.auth_mode)) return undefined;
  return { custom: { webhook_secret: secret } };
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
