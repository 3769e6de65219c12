import * as z from "zod";
import { jsonObject, success, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { environmentSettings, environmentSettingsChange } from "./environment-settings.ts";
import { settingChangeRoutes } from "./setting-changes.ts";
import { webhookSettingsRoutes } from "./webhook-settings.ts";

/** Environments, what they are set to, their variables and where their webhooks go. */

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
  "must be omitted or off: public keys and their HMAC have ended; use connect sessions";
const noSlack = "must be omitted or off: nothing is sent to Slack; subscribe to webhooks";
const noExport = "must be omitted or empty: operations are read with GET /logs/operations";

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

const environmentName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-z0-9_-]+$/, "may hold small letters, digits, _ and - only")
  .meta({
    description: "Name, unique in the account: 1 to 255 lower-case letters, digits, `_` and `-`.",
    examples: ["staging"],
  });

export const environmentRoutes = {
  ...apiKeyRoutes,
  ...settingChangeRoutes,
  ...webhookSettingsRoutes,
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
        name: environmentName,
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
                "Its first key, which may do everything in it; absent when the caller may not create keys.",
              ),
          })
          .meta({ id: "CreatedEnvironment", description: "The new environment." }),
      }),
    },
    errors: ["conflict"],
    idempotent: true,
  }),
  getEnvironment: defineRoute({
    method: "GET",
    path: "/environment",
    summary: "Get the environment that the API key belongs to",
    principals: ["environment"],
    scope: "any-key",
    success: {
      status: 200,
      schema: z.strictObject({
        data: environment
          .extend({
            account: z
              .strictObject({
                id: uuid.describe("Id of the account."),
                name: z.string().describe("Name of the account."),
              })
              .describe("Account that the environment belongs to."),
          })
          .meta({
            id: "EnvironmentOfKey",
            description: "The environment, with the account that it belongs to.",
          }),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  updateEnvironment: defineRoute({
    method: "PATCH",
    path: "/environments/{environmentId}",
    summary: "Rename an environment, or change whether it is a production environment",
    principals: ["account"],
    scope: ["account:environments:update", "account:environments:set_production"],
    params: z.strictObject({
      environmentId: z
        .uuid("must be the id of an environment, a UUID")
        .describe("Environment to change."),
    }),
    body: z
      .strictObject({
        name: environmentName
          .optional()
          .describe("Another name, unique in the account. Needs `account:environments:update`."),
        is_production: z
          .boolean()
          .optional()
          .describe(
            "Whether it is a production environment, which cannot be deleted. Needs `account:environments:set_production`.",
          ),
      })
      .meta({ id: "EnvironmentChange", description: "Only what is sent changes." }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: environment.describe("The environment after the change."),
      }),
    },
    errors: ["not_found", "conflict"],
    idempotent: false,
  }),
  deleteEnvironment: defineRoute({
    method: "DELETE",
    path: "/environments/{environmentId}",
    summary: "Delete an environment with everything in it; its keys stop working at once",
    principals: ["account"],
    scope: "account:environments:delete",
    stepUp: "always",
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
  listEnvironmentVariables: defineRoute({
    method: "GET",
    path: "/environment-variables",
    summary:
      "List the environment's variables; with their values for who holds `environment:secrets:reveal`",
    principals: ["environment"],
    scope: "environment:variables:read",
    success: {
      status: 200,
      schema: z.array(
        environmentVariable
          .extend({
            masked: z
              .literal(true)
              .optional()
              .describe(
                "`true` where `value` is a mask, for want of the scope `environment:secrets:reveal`; otherwise absent.",
              ),
          })
          .meta({ id: "ListedEnvironmentVariable", description: "A variable, or its name alone." }),
      ),
    },
    errors: [],
    idempotent: false,
  }),
  revealEnvironmentVariable: defineRoute({
    method: "POST",
    path: "/environment-variables/{name}/reveal",
    summary: "Show the value of one variable",
    principals: ["environment"],
    scope: "environment:secrets:reveal",
    stepUp: "always",
    noStore: true,
    params: variableParams,
    success: {
      status: 200,
      schema: z.strictObject({ data: environmentVariable.describe("The variable.") }),
    },
    errors: ["not_found", "forbidden"],
    idempotent: false,
    leavesCaches: true,
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
