import * as z from "zod";
import { timestamp, webhookUrl } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Environments and where their webhooks go. */

export const webhookSettings = z.strictObject({
  primary_url: webhookUrl,
  secondary_url: webhookUrl,
  on_sync_completion_always: z.boolean(),
  on_auth_creation: z.boolean(),
  on_auth_refresh_error: z.boolean(),
  on_sync_error: z.boolean(),
  on_async_action_completion: z.boolean(),
});

export type WebhookSettings = z.infer<typeof webhookSettings>;

const webhookSettingsWithKeys = webhookSettings.extend({
  /** Keys that sign webhooks now, newest first. */
  signing_keys: z.array(
    z.strictObject({ key: z.string(), created_at: timestamp, expires_at: timestamp.nullable() }),
  ),
});

export const environmentRoutes = {
  listEnvironments: defineRoute({
    method: "GET",
    path: "/environments",
    summary: "List the environments of the account",
    principals: ["account"],
    scope: "account:environments:list",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            id: z.uuid(),
            name: z.string(),
            is_production: z.boolean(),
            created_at: timestamp,
          }),
        ),
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
    success: { status: 200, schema: z.strictObject({ data: webhookSettingsWithKeys }) },
    errors: ["destination_not_allowed"],
    idempotent: false,
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
} as const;
