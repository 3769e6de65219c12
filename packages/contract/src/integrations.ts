import * as z from "zod";
import { flag, includeOf, integrationKey, namedTexts, timestamp } from "./fields.ts";
import { integrationCredentials } from "./integration-credentials.ts";
import { defineRoute } from "./route.ts";

/** Integrations: a provider, configured. */

const [firstKind, ...otherKinds] = integrationCredentials.options;

/** Only what changes; an empty text removes an optional value. */
const integrationCredentialsChange = z.discriminatedUnion("type", [
  asChange(firstKind),
  ...otherKinds.map(asChange),
]);

function asChange(kind: z.ZodObject) {
  return kind.partial().required({ type: true });
}

const overrideUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .optional();

const overrideTexts = z.record(z.string().min(1).max(255), z.string().max(2048)).optional();

/** `header:<name>`, `query:<name>`, or names and list indexes in the payload with dots between them. */
const place = z
  .string()
  .max(255)
  .regex(
    /^((header|query):[A-Za-z0-9_.-]+|[^.:\0]+(\.[^.:\0]+)*)$/,
    "has to be header:<name>, query:<name>, or names in the payload with dots between them",
  );

const connectionProperty = z
  .string()
  .max(255)
  .regex(
    /^(connectionId|(config|metadata)\.[A-Za-z_][A-Za-z0-9_.-]*)$/,
    "has to be connectionId, config.<name> or metadata.<name>",
  );

const webhookRules = z.strictObject({
  /** In order, before what the provider's router finds: where an event names the account, and what of a connection equals it. */
  match: z
    .array(z.strictObject({ value: place, property: connectionProperty }))
    .max(10)
    .optional(),
  /** Where an event names its type, by which syncs subscribe to it. */
  type: place.optional(),
  /** Where an event has an id of its own, the same in every repetition. */
  event_id: place.optional(),
});

export const integrationSettings = z.strictObject({
  /** Hosts next to the provider's own to which its credentials may be sent. */
  allowed_hosts: z.array(z.string().min(1).max(253)).max(100).optional(),
  /** `off`: an authorization may end in another browser than it began in. */
  state_binding: z.enum(["strict", "off"]).optional(),
  overrides: z
    .strictObject({
      /** Address of a simulator that stands in for the provider; only one that the operator opened. */
      simulator_url: z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .optional(),
      base_url: overrideUrl,
      authorization_url: overrideUrl,
      token_url: overrideUrl,
      refresh_url: overrideUrl,
      revocation_url: overrideUrl,
      /** In place of those that the entry always requests; the integration's own are added. */
      scopes: z.array(z.string().min(1).max(500)).max(200).optional(),
      /** Added to those of the entry, or in their place. */
      headers: overrideTexts,
      authorization_params: overrideTexts,
      token_params: overrideTexts,
    })
    .optional(),
  /** Of a custom provider: `pinned`, the default, keeps the version of the entry; `latest` follows it. */
  provider_version: z.enum(["pinned", "latest"]).optional(),
  /**
   * Whether the provider is told to end the tokens of a deleted connection. Where left out it is, unless that would
   * end those of other connections as well.
   */
  revoke_on_delete: z.boolean().optional(),
  /** Forwarded webhooks also carry the bytes as received, in base64. */
  forward_raw: z.boolean().optional(),
  /** Takes webhooks without a signature although a secret is set. */
  allow_unsigned_webhooks: z.boolean().optional(),
  /** How webhooks of this integration are read, beyond what its provider's router knows. */
  webhooks: webhookRules.optional(),
  /** Webhooks taken in a minute; those above are answered 429. Left out: what the operator has set. 0: no limit. */
  webhook_limit_per_min: z.number().int().min(0).max(10_000_000).optional(),
});

const integrationConfig = namedTexts;

const include = includeOf("webhook", "credentials");

export const integration = z.strictObject({
  unique_key: z.string(),
  provider: z.string(),
  display_name: z.string(),
  logo: z.string(),
  forward_webhooks: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
  integration_config: integrationConfig.optional(),
  custom: integrationConfig.optional(),
  settings: integrationSettings.optional(),
  /** Version of the custom provider's entry that it works by. */
  provider_version: z.number().int().optional(),
  webhook_url: z.string().nullable().optional(),
  /** What to register at the provider, where browsers are sent there; not in lists. */
  callback_url: z.string().optional(),
  /** Left out where the integration has none. */
  credentials: z.record(z.string(), z.unknown()).optional(),
});

const text = z.string().nullable().optional();

const legacyIntegration = z.strictObject({
  unique_key: z.string(),
  provider: z.string(),
  syncs: z.array(z.unknown()),
  actions: z.array(z.unknown()),
  client_id: text,
  client_secret: text,
  scopes: text,
  app_link: text,
  webhook_secret: text,
  webhook_url: text,
  custom: integrationConfig.optional(),
  auth_mode: z.string().optional(),
  created_at: timestamp.optional(),
  docs: text,
  has_webhook: z.boolean().optional(),
  has_webhook_user_defined_secret: z.boolean().optional(),
  /** The newest 100, for a key that may list connections. */
  connections: z
    .array(
      z.strictObject({
        id: z.number().int(),
        connection_id: z.string(),
        provider_config_key: z.string(),
        created: timestamp,
      }),
    )
    .optional(),
  connection_count: z.number().int().optional(),
});

const keyParams = z.strictObject({ uniqueKey: integrationKey });

export const integrationRoutes = {
  listIntegrations: defineRoute({
    method: "GET",
    path: "/integrations",
    summary:
      "List integrations; a connect session sees those it allows; `include=credentials` needs list_credentials",
    principals: ["environment", "session"],
    scope: ["environment:integrations:list", "environment:integrations:list_credentials"],
    query: z.strictObject({ include }),
    success: {
      status: 200,
      schema: z.strictObject({ configs: z.array(integration), data: z.array(integration) }),
    },
    errors: [],
    idempotent: false,
  }),
  getIntegration: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}",
    summary: "Get an integration; `include=credentials` needs the read_credentials scope",
    principals: ["environment"],
    scope: ["environment:integrations:read", "environment:integrations:read_credentials"],
    params: keyParams,
    query: z.strictObject({ include }),
    success: { status: 200, schema: z.strictObject({ data: integration }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  createIntegration: defineRoute({
    method: "POST",
    path: "/integrations",
    summary: "Configure a provider as an integration",
    principals: ["environment"],
    scope: "environment:integrations:create",
    body: z.strictObject({
      provider: z
        .string()
        .max(255)
        .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only"),
      unique_key: integrationKey,
      display_name: z.string().min(1).max(255).optional(),
      credentials: integrationCredentials.optional(),
      integration_config: integrationConfig.optional(),
      custom: integrationConfig.optional(),
      forward_webhooks: z.boolean().optional(),
      settings: integrationSettings.optional(),
    }),
    success: { status: 200, schema: z.strictObject({ data: integration }) },
    errors: [],
    idempotent: true,
  }),
  updateIntegration: defineRoute({
    method: "PATCH",
    path: "/integrations/{uniqueKey}",
    summary:
      "Change an integration; only what is sent changes, an empty text clears an optional value",
    principals: ["environment"],
    scope: "environment:integrations:update",
    params: keyParams,
    body: z.strictObject({
      /** Another key, as long as the integration has no connections. */
      unique_key: integrationKey.optional(),
      /** Empty: the provider's name. */
      display_name: z.string().max(255).optional(),
      credentials: integrationCredentialsChange.optional(),
      integration_config: integrationConfig.optional(),
      custom: integrationConfig.optional(),
      forward_webhooks: z.boolean().optional(),
      settings: integrationSettings.optional(),
    }),
    success: { status: 200, schema: z.strictObject({ data: integration }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  getIntegrationLegacy: defineRoute({
    method: "GET",
    path: "/config/{providerConfigKey}",
    summary: "Get an integration in its older shape",
    principals: ["environment"],
    scope: ["environment:integrations:read", "environment:integrations:read_credentials"],
    params: z.strictObject({ providerConfigKey: integrationKey }),
    query: z.strictObject({ include_creds: flag.optional() }),
    success: { status: 200, schema: z.strictObject({ config: legacyIntegration }) },
    errors: [{ code: "unknown_provider_config", status: 400 }],
    idempotent: false,
    deprecated: {
      since: "2026-11-21",
      sunset: "2027-11-21",
      use: "GET /integrations/{uniqueKey}",
    },
  }),
  deleteIntegration: defineRoute({
    method: "DELETE",
    path: "/integrations/{uniqueKey}",
    summary: "Delete an integration with its connections, functions and schedules",
    principals: ["environment"],
    scope: "environment:integrations:delete",
    params: keyParams,
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
