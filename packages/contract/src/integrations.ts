import * as z from "zod";
import { integrationKey, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Integrations: a provider, configured. Source: HTTP contract 2.4; decisions 57, 58. */

export const integrationCredentials = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("OAUTH2"),
    client_id: z.string().min(1).max(255),
    client_secret: z.string().min(1).max(2048),
    scopes: z
      .string()
      .regex(/^([0-9a-zA-Z:/_.*-]+(,[0-9a-zA-Z:/_.*-]+)*)?$/, "is a comma-separated list")
      .optional(),
    webhook_secret: z.string().max(255).optional(),
  }),
]);

export const integrationSettings = z.strictObject({
  allowed_hosts: z.array(z.string().min(1).max(253)).max(100).optional(),
});

const integrationConfig = z.record(z.string().max(255), z.string().max(8192));

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
  webhook_url: z.string().nullable().optional(),
  credentials: z.record(z.string(), z.unknown()).nullable().optional(),
});

const keyParams = z.strictObject({ uniqueKey: integrationKey });

export const integrationRoutes = {
  listIntegrations: defineRoute({
    method: "GET",
    path: "/integrations",
    summary: "List integrations; a connect session sees those it allows",
    principals: ["environment", "session"],
    scope: ["environment:integrations:list", "environment:integrations:list_credentials"],
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
    query: z.strictObject({
      include: z
        .union([z.enum(["webhook", "credentials"]), z.array(z.enum(["webhook", "credentials"]))])
        .transform((include) => [include].flat())
        .optional(),
    }),
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
        .regex(/^[a-zA-Z0-9_-]+$/, "is not a provider name"),
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
