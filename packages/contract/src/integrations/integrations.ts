import * as z from "zod";
import { countsByState } from "../connections/connection-lists.ts";
import { revealRoutes } from "../connections/reveal.ts";
import { credentialsWithoutType } from "../credential-type.ts";
import { flag, includeOf, integrationKey, namedTexts, success, timestamp } from "../fields.ts";
import { defineRoute, replacedBy } from "../route.ts";
import { integrationCredentials } from "./integration-credentials.ts";
import { integrationSettings, integrationSettingsChange } from "./integration-settings.ts";
import { providerField } from "./providers.ts";

/** Integrations: a provider, configured. */

const [firstKind, ...otherKinds] = integrationCredentials.options;

/** Only what changes; an empty text removes an optional value. */
const integrationCredentialsChange = z
  .discriminatedUnion("type", [asChange(firstKind), ...otherKinds.map(asChange)])
  .meta({
    id: "IntegrationCredentialsChange",
    description:
      "The credentials that change; the others stay. An empty text removes an optional one.",
  });

function asChange(kind: z.ZodObject) {
  return kind.partial().required({ type: true });
}

const integrationConfig = namedTexts;

const include = includeOf("webhook", "credentials", "fields");

const integrationStats = z
  .strictObject({
    connections: z.number().int().describe("Connections that the integration has."),
    connections_by_state: countsByState.describe("How many of them are in each state."),
  })
  .meta({ id: "IntegrationStats", description: "Counts of an integration." });

const integrationField = providerField
  .extend({
    is_set: z.boolean().describe("Whether the integration has a value."),
    value: z.string().optional().describe("The value; absent for secrets, and where none is set."),
  })
  .meta({ id: "IntegrationField", description: "A value that an integration has or may have." });

const fieldsByName = z.record(z.string(), integrationField);

const integrationFields = z
  .strictObject({
    credentials: fieldsByName.describe(
      "Credentials, by name; empty where integrations of the provider have none of their own.",
    ),
    integration_config: fieldsByName.describe("Values that the provider declares, by name."),
    custom: fieldsByName.describe(
      "`webhook_secret`, where it is no part of the credentials; otherwise empty.",
    ),
  })
  .meta({
    id: "IntegrationFields",
    description:
      "What an integration is set up with, without secrets. Each group has the name under which a change takes it.",
  });

export const integration = z
  .strictObject({
    unique_key: z.string().meta({
      description: "Key of the integration, unique in its environment.",
      examples: ["github"],
    }),
    provider: z.string().meta({ description: "Id of the provider.", examples: ["github"] }),
    display_name: z.string().meta({
      description: "Name for people; the provider's unless it was set.",
      examples: ["GitHub"],
    }),
    logo: z.string().describe("Address of the provider's logo, an SVG."),
    forward_webhooks: z.boolean().describe("Whether the provider's webhooks are forwarded to you."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it was last changed."),
    deleting_since: timestamp
      .optional()
      .describe(
        "Since when it is being deleted in the background, with its connections; absent for others.",
      ),
    integration_config: integrationConfig
      .optional()
      .describe(
        "Values that the provider declares, such as `base_url`; absent in lists, and without any.",
      ),
    custom: integrationConfig
      .optional()
      .describe("Values for a provider that declares none; absent in lists, and without any."),
    settings: integrationSettings
      .optional()
      .describe("How it behaves; absent in lists, and where everything is at its default."),
    provider_version: z
      .number()
      .int()
      .optional()
      .describe(
        "Version of the custom provider's entry that it works with; absent for other providers, and in lists.",
      ),
    webhook_url: z
      .string()
      .nullable()
      .optional()
      .describe("Address for the provider to send its webhooks to. Only with `include=webhook`."),
    callback_url: z
      .string()
      .optional()
      .describe(
        "Callback URL to register at the provider; absent in lists, and where end users are not sent to the provider.",
      ),
    credentials: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "Its credentials, by `type`. Only with `include=credentials` and the scope for it; absent when there are none.",
      ),
    fields: integrationFields
      .optional()
      .describe(
        "What it is set up with: each value, or for a secret whether it is set. Only for one integration, with `include=fields`.",
      ),
    stats: integrationStats
      .optional()
      .describe("Its counts. Only in the list, with `include=stats`."),
  })
  .meta({ id: "Integration", description: "An integration: a provider, configured." });

const text = z.string().nullable().optional();

const legacyIntegration = z
  .strictObject({
    unique_key: z.string().meta({ description: "Key of the integration.", examples: ["github"] }),
    provider: z.string().meta({ description: "Id of the provider.", examples: ["github"] }),
    syncs: z
      .array(z.unknown())
      .describe("Always empty; use `GET /integrations/{uniqueKey}/functions`."),
    actions: z
      .array(z.unknown())
      .describe("Always empty; use `GET /integrations/{uniqueKey}/functions`."),
    client_id: text.describe("Id of the OAuth client; null without one."),
    client_secret: text.describe("Secret of the OAuth client; null without one."),
    scopes: text.describe("OAuth scopes to request, separated by commas; null without any."),
    app_link: text.describe("Public address of the app; null without one."),
    webhook_secret: text.describe(
      "Secret with which the provider signs its webhooks; null without one.",
    ),
    webhook_url: text.describe("Address for the provider to send its webhooks to."),
    custom: integrationConfig.optional().describe("Values for a provider that declares none."),
    auth_mode: z.string().optional().describe("How the provider authorizes."),
    created_at: timestamp.optional().describe("When it was created."),
    docs: text.describe("Address of the provider's documentation; null without one."),
    has_webhook: z
      .boolean()
      .optional()
      .describe("Always `true`: any provider's webhooks are received."),
    has_webhook_user_defined_secret: z
      .boolean()
      .optional()
      .describe("Whether a webhook secret is set."),
    connections: z
      .array(
        z.strictObject({
          id: z.number().int().describe("Number of the connection, unique in the installation."),
          connection_id: z
            .string()
            .meta({ description: "Id of the connection.", examples: ["user-42"] }),
          provider_config_key: z.string().describe("Key of this integration."),
          created: timestamp.describe("When the connection was made."),
        }),
      )
      .optional()
      .describe(
        "Its newest 100 connections, for a key that may list connections; otherwise empty.",
      ),
    connection_count: z.number().int().optional().describe("How many connections it has."),
  })
  .meta({
    id: "LegacyIntegration",
    description:
      "An integration in its older form. All but the first four fields need `include_creds=true` and the scope for credentials.",
  });

const keyParams = z.strictObject({ uniqueKey: integrationKey.describe("Integration to work on.") });

export const integrationRoutes = {
  listIntegrations: defineRoute({
    method: "GET",
    path: "/integrations",
    summary:
      "List integrations; a connect session sees those it allows; `include=credentials` needs list_credentials",
    principals: ["environment", "session"],
    scope: ["environment:integrations:list", "environment:integrations:list_credentials"],
    query: z.strictObject({
      include: includeOf("webhook", "credentials", "stats").describe(
        "`webhook` adds the address for webhooks; `credentials` the credentials, for a key with the scope `environment:integrations:list_credentials`; `stats` how many connections there are, for a key with the scope `environment:connections:list`.",
      ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        configs: z.array(integration).describe("The integrations; the same as `data`."),
        data: z.array(integration).describe("The integrations."),
      }),
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
    query: z.strictObject({
      include: include.describe(
        "`webhook` adds the address for webhooks, `fields` what it is set up with and which secrets are set, `credentials` the credentials, for a key with the scope `environment:integrations:read_credentials`.",
      ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: integration.describe("The integration.") }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  createIntegration: defineRoute({
    method: "POST",
    path: "/integrations",
    summary: "Configure a provider as an integration",
    principals: ["environment"],
    scope: "environment:integrations:create",
    body: z
      .strictObject({
        provider: z
          .string()
          .max(255)
          .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only")
          .meta({ description: "Provider to configure.", examples: ["github"] }),
        unique_key: integrationKey.describe(
          "Key to name the integration by, unique in the environment.",
        ),
        display_name: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .meta({
            description: "Name for people, 1 to 255 characters. Default: the provider's.",
            examples: ["GitHub"],
          }),
        credentials: z
          .discriminatedUnion("type", [integrationCredentials, credentialsWithoutType])
          .optional()
          .describe(
            "OAuth client or app, where the provider's `auth_mode` needs one. `type` may be omitted.",
          ),
        integration_config: integrationConfig
          .optional()
          .describe(
            "Values that the provider declares, such as `base_url`; `GET /providers/{provider}` lists them.",
          ),
        forward_webhooks: z
          .boolean()
          .optional()
          .describe("Whether the provider's webhooks are forwarded to you. Default `true`."),
        settings: integrationSettings
          .optional()
          .describe("How the integration behaves; every setting has a default."),
      })
      .meta({ id: "NewIntegration" }),
    success: {
      status: 200,
      schema: z.strictObject({ data: integration.describe("The new integration.") }),
    },
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
    body: z
      .strictObject({
        unique_key: integrationKey
          .optional()
          .describe("New key; refused while the integration has connections."),
        display_name: z
          .string()
          .max(255)
          .optional()
          .meta({
            description:
              "New name for people, up to 255 characters; an empty text restores the provider's.",
            examples: ["GitHub"],
          }),
        credentials: z
          .discriminatedUnion("type", [integrationCredentialsChange, credentialsWithoutType])
          .optional()
          .describe("Credentials that change; `type` may be omitted."),
        integration_config: integrationConfig
          .optional()
          .describe("Values that change; an empty text removes an optional one."),
        custom: integrationConfig
          .optional()
          .describe(
            "Values for a provider that declares no `integration_config`, and `webhook_secret` of its webhooks; an empty text removes one.",
          ),
        forward_webhooks: z
          .boolean()
          .optional()
          .describe("Whether the provider's webhooks are forwarded to you."),
        settings: integrationSettingsChange
          .optional()
          .describe("Settings that change; `null` takes one back to its default."),
      })
      .meta({ id: "IntegrationChange" }),
    success: {
      status: 200,
      schema: z.strictObject({ data: integration.describe("The integration after the change.") }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  getIntegrationLegacy: defineRoute({
    method: "GET",
    path: "/config/{providerConfigKey}",
    summary: "Get an integration in its older shape",
    principals: ["environment"],
    scope: ["environment:integrations:read", "environment:integrations:read_credentials"],
    params: z.strictObject({ providerConfigKey: integrationKey.describe("Integration to read.") }),
    query: z.strictObject({
      include_creds: flag
        .optional()
        .describe(
          "`true` adds credentials and details, for a key with the scope `environment:integrations:read_credentials`.",
        ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ config: legacyIntegration.describe("The integration.") }),
    },
    errors: [{ code: "unknown_provider_config", status: 400 }],
    idempotent: false,
    deprecated: replacedBy("GET /integrations/{uniqueKey}"),
  }),
  revealIntegrationField: revealRoutes.revealIntegrationField,
  deleteIntegration: defineRoute({
    method: "DELETE",
    path: "/integrations/{uniqueKey}",
    summary:
      "Delete an integration with its connections, functions and schedules; what takes long goes in the background",
    principals: ["environment"],
    scope: "environment:integrations:delete",
    stepUp: "production",
    params: keyParams,
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
