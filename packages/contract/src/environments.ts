import * as z from "zod";
import { apiKeyRoutes } from "./api-keys.ts";
import { environmentSettings, environmentSettingsChange } from "./environment-settings.ts";
import { jsonObject, success, timestamp, uuid, webhookUrl } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { failingReceiver } from "./webhook-deliveries.ts";

/** Environments, what they are set to, their variables and where their webhooks go. */

export const webhookSettings = z
  .strictObject({
    primary_url: webhookUrl.describe(
      "Address that receives the webhooks. Without one, nothing is sent.",
    ),
    secondary_url: webhookUrl.describe("Second address that receives the same webhooks."),
    on_sync_completion_always: z
      .boolean()
      .describe(
        "Sends a webhook after every successful run of a sync, not only after one that changed records.",
      ),
    on_auth_creation: z
      .boolean()
      .describe("Sends a webhook when a connection is made, or could not be made."),
    on_auth_refresh_error: z
      .boolean()
      .describe("Sends a webhook when the credentials of a connection can no longer be renewed."),
    on_sync_error: z.boolean().describe("Sends a webhook after a failed run of a sync."),
    on_async_action_completion: z
      .boolean()
      .describe("Sends a webhook when an asynchronous action has ended."),
    on_webhook_sync_completion: z
      .boolean()
      .describe("Sends a webhook after a sync has successfully handled a provider's webhook."),
    forward: z.boolean().describe("Forwards the webhooks of providers."),
  })
  .meta({
    id: "WebhookSettings",
    description: "Where webhooks of an environment go, and which are sent.",
  });

export type WebhookSettings = z.infer<typeof webhookSettings>;

const webhookSettingsWithKeys = webhookSettings
  .extend({
    signing_key: z.string().describe("The newest key that signs webhooks, as `whsec_…`."),
    signing_keys: z
      .array(
        z.strictObject({
          key: z.string().describe("The key, as `whsec_…`."),
          created_at: timestamp.describe("When it was made."),
          expires_at: timestamp.nullable().describe("When it stops signing; null for the newest."),
        }),
      )
      .describe("The keys that sign webhooks now, newest first."),
    failing_receivers: z
      .array(failingReceiver)
      .describe(
        "Addresses whose last attempts failed. Webhooks to a disabled one are held until it is enabled.",
      ),
  })
  .meta({ id: "WebhookSettingsWithKeys" });

/** The keys only for who may read them. */
const changedWebhookSettings = webhookSettingsWithKeys
  .partial({
    signing_key: true,
    signing_keys: true,
  })
  .meta({
    id: "ChangedWebhookSettings",
    description:
      "The settings; the signing keys only for a key with the scope `environment:webhooks:read`.",
  });

const environment = z
  .strictObject({
    id: uuid.describe("Id of the environment."),
    name: z.string().meta({ description: "Name, unique in the account.", examples: ["staging"] }),
    is_production: z
      .boolean()
      .describe("Whether it is a production environment, which cannot be deleted."),
    created_at: timestamp.describe("When it was created."),
  })
  .meta({
    id: "Environment",
    description:
      "An environment: its integrations, connections and keys are apart from those of others.",
  });

const noHmac =
  "must be left out or off: public keys and their HMAC have ended; use connect sessions";
const noSlack = "must be left out or off: nothing is sent to Slack; subscribe to webhooks";
const noExport = "must be left out or empty: operations are read with GET /logs/operations";

/** Taken from older clients as long as they ask for nothing. */
const notBuilt = {
  hmac_enabled: z
    .literal(false, noHmac)
    .optional()
    .describe(
      "Accepted from older clients only as `false`: public keys and their HMAC are no longer supported.",
    ),
  hmac_key: z
    .literal("", noHmac)
    .optional()
    .describe("Accepted from older clients only as an empty text."),
  slack_notifications: z
    .literal(false, noSlack)
    .optional()
    .describe("Accepted from older clients only as `false`: nothing is sent to Slack."),
  otlp_endpoint: z
    .literal("", noExport)
    .optional()
    .describe(
      "Accepted from older clients only as an empty text: operations are read from `GET /logs/operations`.",
    ),
  otlp_headers: z
    .array(z.unknown())
    .max(0, noExport)
    .optional()
    .describe("Accepted from older clients only as an empty list."),
};

const variableName = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[a-zA-Z_][a-zA-Z0-9_]*$/,
    "may hold letters, digits and _ only, and may not start with a digit",
  );

const environmentVariable = z
  .strictObject({
    name: z.string().meta({ description: "Name of the variable.", examples: ["REGION"] }),
    value: z.string().meta({ description: "Text of the variable.", examples: ["eu-1"] }),
  })
  .meta({
    id: "EnvironmentVariable",
    description: "A text that the environment's functions can read.",
  });

const variableParams = z.strictObject({
  name: variableName.meta({
    description: "Name of the variable: letters, digits and `_`, not beginning with a digit.",
    examples: ["REGION"],
  }),
});

export const environmentRoutes = {
  ...apiKeyRoutes,
  listEnvironments: defineRoute({
    method: "GET",
    path: "/environments",
    summary: "List the environments of the account",
    principals: ["account"],
    scope: "account:environments:list",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(environment).describe("The environments, oldest first."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  createEnvironment: defineRoute({
    method: "POST",
    path: "/environments",
    summary: "Create an environment; with the scope to create keys, also its first key, shown once",
    principals: ["account"],
    scope: "account:environments:create",
    body: z
      .strictObject({
        name: z
          .string()
          .min(1)
          .max(255)
          .regex(/^[a-z0-9_-]+$/, "may hold small letters, digits, _ and - only")
          .meta({
            description:
              "Name, unique in the account: 1 to 255 lower-case letters, digits, `_` and `-`.",
            examples: ["staging"],
          }),
        is_production: z
          .boolean()
          .optional()
          .describe(
            "Whether it is a production environment, which cannot be deleted. Default `false`.",
          ),
        callback_url: environmentSettings.shape.callback_url
          .optional()
          .describe(
            "Address to which providers send end users back. Default: this installation's `/oauth/callback`.",
          ),
        ...notBuilt,
      })
      .meta({ id: "NewEnvironment" }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: environment
          .extend({
            api_key: z
              .strictObject({
                id: uuid.describe("Id of the key; not its secret."),
                display_name: z.string().describe("Name for people."),
                secret: z
                  .string()
                  .describe(
                    "The text to send as `Authorization: Bearer`. It is shown only in this answer.",
                  ),
              })
              .optional()
              .describe(
                "Its first key, which may do everything in it; left out when the caller may not create keys.",
              ),
          })
          .meta({ id: "CreatedEnvironment", description: "The new environment." }),
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
    params: z.strictObject({
      environmentId: z
        .uuid("must be the id of an environment, a UUID")
        .describe("Environment to delete."),
    }),
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
    success: {
      status: 200,
      schema: z.strictObject({ data: environmentSettings.describe("The settings.") }),
    },
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
    success: {
      status: 200,
      schema: z.strictObject({
        data: environmentSettings.describe("All settings after the change."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  getWebhookSettings: defineRoute({
    method: "GET",
    path: "/environment/webhooks",
    summary: "Get where webhooks go, which are sent, and the keys that sign them",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: webhookSettingsWithKeys.describe(
          "The settings, with signing keys and failing receivers.",
        ),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  updateWebhookSettings: defineRoute({
    method: "PATCH",
    path: "/environment/webhooks",
    summary: "Change webhook addresses and toggles; only the fields sent change",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: webhookSettings.partial().meta({
      id: "WebhookSettingsChange",
      description: "Any part of the settings; what is left out stays as it is.",
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: changedWebhookSettings.describe("The settings after the change."),
      }),
    },
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
      immediate: z
        .boolean()
        .optional()
        .describe(
          "`true` ends every older key at once. Default `false`: the newest of them signs for another 24 hours.",
        ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({ webhook_signing_key: z.string().describe("The new key, as `whsec_…`.") })
          .describe("The result of the rotation."),
      }),
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
      schema: z.array(environmentVariable),
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
    body: z.strictObject({
      value: z
        .string()
        .max(65_536)
        .meta({
          description:
            "Text of the variable, up to 65,536 characters; functions read it with `getEnvironmentVariables`.",
          examples: ["eu-1"],
        }),
    }),
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
