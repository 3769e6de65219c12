import * as z from "zod";
import { integrationKey, tags, timestamp, webhookUrl } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Connect sessions and the browser's way through an authorization server. Source: HTTP contract 2.3, 3. */

const completion = z.strictObject({
  data: z.strictObject({
    state: z.enum(["waiting", "success", "error"]),
    connection_id: z.string().optional(),
    provider_config_key: z.string().optional(),
    error: z.strictObject({ type: z.string(), message: z.string() }).optional(),
  }),
});

export const connectRoutes = {
  createConnectSession: defineRoute({
    method: "POST",
    path: "/connect/sessions",
    summary: "Create a session that lets an end user make one connection within 30 minutes",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z.strictObject({
      tags: tags.optional(),
      allowed_integrations: z.array(integrationKey).max(1000).optional(),
      integrations_config_defaults: z
        .record(
          integrationKey,
          z.strictObject({
            user_scopes: z.string().max(2048).optional(),
            authorization_params: z.record(z.string(), z.string()).optional(),
            connection_config: z.record(z.string(), z.string()).optional(),
          }),
        )
        .optional(),
      webhook_url_override: webhookUrl.optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.strictObject({
          token: z.string(),
          connect_link: z.string(),
          expires_at: timestamp,
        }),
      }),
    },
    errors: ["destination_not_allowed"],
    idempotent: true,
  }),
  getConnectSessionResult: defineRoute({
    method: "GET",
    path: "/connect/session/result",
    summary: "Whether the session has made its connection, and which",
    principals: ["session"],
    scope: "session",
    success: { status: 200, schema: completion },
    errors: [],
    idempotent: false,
  }),
  startAuthorization: defineRoute({
    method: "GET",
    path: "/oauth/connect/{providerConfigKey}",
    summary: "Send the end user's browser to the provider; answers a redirect or an error page",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({ providerConfigKey: integrationKey }),
    success: { status: 302 },
    errors: [],
    idempotent: false,
    raw: true,
  }),
  finishAuthorization: defineRoute({
    method: "GET",
    path: "/oauth/callback",
    summary: "Where the provider sends the browser back; answers a page",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
  }),
} as const;
