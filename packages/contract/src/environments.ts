import * as z from "zod";
import { apiKeyRoutes } from "./api-keys.ts";
import { environmentSettings, environmentSettingsChange } from "./environment-settings.ts";
import { jsonObject, success, timestamp, webhookUrl } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { failingReceiver } from "./webhook-deliveries.ts";

/** Environments, what they are set to, their variables and where their webhooks go. */

export const webhookSettings = z.strictObject({
  primary_url: webhookUrl,
  secondary_url: webhookUrl,
  on_sync_completion_always: z.boolean(),
  on_auth_creation: z.boolean(),
  on_auth_refresh_error: z.boolean(),
  on_sync_error: z.boolean(),
  on_async_action_completion: z.boolean(),
  /** After a run of a sync's webhook handler that succeeded. */
  on_webhook_sync_completion: z.boolean(),
  /** What providers send, passed on. */
  forward: z.boolean(),
});

export type WebhookSettings = z.infer<typeof webhookSettings>;

const webhookSettingsWithKeys = webhookSettings.extend({
  /** The newest key that signs webhooks. */
  signing_key: z.string(),
  /** Keys that sign webhooks now, newest first. */
  signing_keys: z.array(
    z.strictObject({ key: z.string(), created_at: timestamp, expires_at: timestamp.nullable() }),
  ),
  /** Addresses whose last attempts failed; webhooks to a disabled one are held until it is enabled. */
  failing_receivers: z.array(failingReceiver),
});

/** The keys only for who may read them. */
const changedWebhookSettings = webhookSettingsWithKeys.partial({
  signing_key: true,
  signing_keys: true,
});

const environment = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  is_production: z.boolean(),
  created_at: timestamp,
});

const noHmac =
  "must be left out or off: public keys and their HMAC have ended; use connect sessions";
const noSlack = "must be left out or off: nothing is sent to Slack; subscribe to webhooks";
const noExport = "must be left out or empty: operations are read with GET /logs/operations";

/** Taken from older clients as long as they ask for nothing. */
const notBuilt = {
  hmac_enabled: z.literal(false, noHmac).optional(),
  hmac_key: z.literal("", noHmac).optional(),
  slack_notifications: z.literal(false, noSlack).optional(),
  otlp_endpoint: z.literal("", noExport).optional(),
  otlp_headers: z.array(z.unknown()).max(0, noExport).optional(),
};

const variableName = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[a-zA-Z_][a-zA-Z0-9_]*$/,
    "may hold letters, digits and _ only, and may not start with a digit",
  );

const variableParams = z.strictObject({ name: variableName });

export const environmentRoutes = {
  ...apiKeyRoutes,
  listEnvironments: defineRoute({
    method: "GET",
    path: "/environments",
    summary: "List the environments of the account",
    principals: ["account"],
    scope: "account:environments:list",
    success: { status: 200, schema: z.strictObject({ data: z.array(environment) }) },
    errors: [],
    idempotent: false,
  }),
  createEnvironment: defineRoute({
    method: "POST",
    path: "/environments",
    summary: "Create an environment; with the scope to create keys, also its first key, shown once",
    principals: ["account"],
    scope: "account:environments:create",
    body: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(255)
        .regex(/^[a-z0-9_-]+$/, "may hold small letters, digits, _ and - only"),
      is_production: z.boolean().optional(),
      callback_url: environmentSettings.shape.callback_url.optional(),
      ...notBuilt,
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: environment.extend({
          /** Left out when the caller may not create keys. */
          api_key: z
            .strictObject({ id: z.uuid(), display_name: z.string(), secret: z.string() })
            .optional(),
        }),
      }),
    },
    errors: ["conflict"],
    idempotent: true,
  }),
  deleteEnvironment: defineRoute({
    method: "DELETE",
    path: "/environments/{environmentId}",
    summary: "Delete an environment with everything in it; its keys stop working at once",
    principals: ["account"],
    scope: "account:environments:delete",
    params: z.strictObject({ environmentId: z.uuid("must be the id of an environment, a UUID") }),
    success: { status: 204 },
    errors: ["not_found", "cannot_delete_prod_environment"],
    idempotent: false,
  }),
  getEnvironmentSettings: defineRoute({
    method: "GET",
    path: "/environment/settings",
    summary: "Get what the environment is set to",
    principals: ["environment"],
    scope: "environment:settings:read",
    success: { status: 200, schema: z.strictObject({ data: environmentSettings }) },
    errors: [],
    idempotent: false,
  }),
  updateEnvironmentSettings: defineRoute({
    method: "PATCH",
    path: "/environment/settings",
    summary: "Change settings of the environment; only what is sent changes, at every depth",
    principals: ["environment"],
    scope: "environment:settings:write",
    body: environmentSettingsChange,
    success: { status: 200, schema: z.strictObject({ data: environmentSettings }) },
    errors: [],
    idempotent: false,
  }),
  getWebhookSettings: defineRoute({
    method: "GET",
    path: "/environment/webhooks",
    summary: "Get where webhooks go, which are sent, and the keys that sign them",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    success: { status: 200, schema: z.strictObject({ data: webhookSettingsWithKeys }) },
    errors: [],
    idempotent: false,
  }),
  updateWebhookSettings: defineRoute({
    method: "PATCH",
    path: "/environment/webhooks",
    summary: "Change webhook addresses and toggles; only the fields sent change",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: webhookSettings.partial(),
    success: { status: 200, schema: z.strictObject({ data: changedWebhookSettings }) },
    errors: ["destination_not_allowed"],
    idempotent: false,
  }),
  rotateWebhookSigningKey: defineRoute({
    method: "POST",
    path: "/environment/webhook-signing-key/rotate",
    summary: "Make a new signing key; the old one signs next to it for 24 hours, or ends at once",
    principals: ["environment"],
    scope: "environment:webhook_signing_key:rotate",
    body: z.strictObject({
      /** Ends every older key now. */
      immediate: z.boolean().optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: z.strictObject({ webhook_signing_key: z.string() }) }),
    },
    errors: ["multiple_webhook_signing_keys"],
    idempotent: true,
  }),
  listEnvironmentVariables: defineRoute({
    method: "GET",
    path: "/environment-variables",
    summary: "List the environment's variables with their values",
    principals: ["environment"],
    scope: "environment:variables:read",
    success: {
      status: 200,
      schema: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    },
    errors: [],
    idempotent: false,
  }),
  setEnvironmentVariable: defineRoute({
    method: "PUT",
    path: "/environment-variables/{name}",
    summary: "Set a variable that the environment's functions can read",
    principals: ["environment"],
    scope: "environment:variables:write",
    params: variableParams,
    body: z.strictObject({ value: z.string().max(65_536) }),
    success: { status: 200, schema: success },
    errors: [],
    idempotent: false,
  }),
  sendCliTelemetry: defineRoute({
    method: "POST",
    path: "/cli/telemetry",
    summary: "Accepts what older command lines report of themselves, and forgets it",
    principals: ["public"],
    scope: "public",
    body: jsonObject,
    success: { status: 204 },
    errors: [],
    idempotent: false,
  }),
  deleteEnvironmentVariable: defineRoute({
    method: "DELETE",
    path: "/environment-variables/{name}",
    summary: "Delete a variable",
    principals: ["environment"],
    scope: "environment:variables:write",
    params: variableParams,
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
