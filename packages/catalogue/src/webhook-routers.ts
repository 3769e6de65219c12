import type { Provider } from "./schema.ts";

/**
 * The server's routers for webhooks, each with the names in connection_config by which it finds the connection
 * of an event: one of them has to be filled by an entry that uses the router.
 */
export const webhookRouters: Readonly<Record<string, readonly string[]>> = {
  affinity: [],
  airtable: [],
  asana: [],
  attio: ["workspace_id"],
  "cal-com": [],
  calendly: ["owner"],
  checkr: ["account_id"],
  connectwise: [],
  discord: ["guild.id"],
  fathom: [],
  fillout: [],
  folk: [],
  github: ["installation_id"],
  gitlab: [],
  "google-calendar": ["emailAddressHash"],
  "google-drive": [],
  "google-mail": ["emailAddressHash"],
  highlevel: ["locationId", "companyId"],
  hubspot: ["portalId"],
  intercom: ["app_id"],
  jira: ["baseUrl"],
  jobber: ["accountId"],
  jobdiva: [],
  linear: ["organizationId"],
  "microsoft-teams": ["tenantId"],
  microsoft: ["tenantId"],
  notion: ["workspace_id"],
  pagerduty: [],
  quickbooks: ["realmId"],
  salesforce: [],
  sellsy: ["corpid"],
  sentry: ["installation_id", "installationId"],
  shipstation: [],
  shopify: ["subdomain"],
  slack: ["team.id"],
  streak: ["streakWebhookToken"],
  stripe: ["stripe_user_id"],
  ticketing: ["webhookGuid"],
  twilio: ["accountSid"],
  typeform: [],
  unauthenticated: [],
  videoask: [],
  xero: ["tenant_id"],
  zendesk: [],
  zoom: ["account_id", "accountId"],
};

/** Filled by the customer or the server after the connection was made, so no entry has to. */
const SET_LATER = new Set(["webhookGuid", "streakWebhookToken"]);

/** Events have to find their connection: by something that the entry asks for or takes from an answer. */
export function checkWebhooks(provider: Provider, captured: readonly string[]): string[] {
  const { webhooks, connection_config } = provider;
  if (webhooks === undefined) return [];
  const isFilled = (name: string) =>
    captured.includes(name) || Object.hasOwn(connection_config, name) || SET_LATER.has(name);
  if (webhooks.router === undefined) {
    return (webhooks.hmac?.match ?? [])
      .map(({ property }) => property)
      .filter((property) => property.startsWith("config."))
      .filter((property) => !isFilled(property.slice("config.".length)))
      .map((property) => `webhooks match on ${property}, which nothing fills`);
  }
  const names = Object.hasOwn(webhookRouters, webhooks.router)
    ? webhookRouters[webhooks.router]
    : undefined;
  if (names === undefined) return [`there is no webhook router "${webhooks.router}"`];
  if (!webhooks.matched || names.length === 0 || names.some(isFilled)) return [];
  return [
    `the webhook router "${webhooks.router}" matches on config.${names.join(" or config.")}, which nothing fills`,
  ];
}
