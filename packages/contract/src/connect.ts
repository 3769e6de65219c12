import * as z from "zod";
import { attemptId, authorizationRoutes } from "./authorization.ts";
import { endUser } from "./end-user.ts";
import {
  connectionId,
  integrationKey,
  namedTexts,
  tags,
  timestamp,
  webAddress,
  webhookUrl,
  webOrigin,
} from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Connect sessions and the page that they open. */

const organization = z.strictObject({
  id: z.string().min(1).max(255),
  display_name: z.string().max(255).optional(),
});

const integrationDefaults = z.strictObject({
  user_scopes: z.string().max(2048).optional(),
  authorization_params: namedTexts.optional(),
  connection_config: namedTexts.optional(),
});

const sessionFields = {
  tags: tags.optional(),
  end_user: endUser.optional().meta({ deprecated: true }),
  organization: organization.optional().meta({ deprecated: true }),
  integrations_config_defaults: z.record(integrationKey, integrationDefaults).optional(),
  overrides: z
    .record(integrationKey, z.strictObject({ docs_connect: webAddress.optional() }))
    .optional(),
  webhook_url_override: webhookUrl.optional(),
  allowed_origins: z.array(webOrigin).max(100).optional(),
  return_url: webAddress.optional(),
};

const createdSession = z.strictObject({
  data: z.strictObject({ token: z.string(), connect_link: z.string(), expires_at: timestamp }),
});

const attemptResult = z.strictObject({
  state: z.enum(["waiting", "success", "error"]),
  attempt_id: z.string().optional(),
  connection_id: z.string().optional(),
  provider_config_key: z.string().optional(),
  is_pending: z.boolean().optional(),
  error: z.strictObject({ type: z.string(), message: z.string() }).optional(),
});

/** The session's latest attempt where none is named. */
const attemptQuery = z.strictObject({ attempt_id: attemptId.optional() });

const theme = z.strictObject({ primary: z.string() });

const openSession = z.strictObject({
  data: z.strictObject({
    endUser: z
      .strictObject({
        id: z.string(),
        display_name: z.string().nullable(),
        email: z.string().nullable(),
        tags: z.record(z.string(), z.string()).nullable(),
        organization: z
          .strictObject({ id: z.string(), display_name: z.string().nullable() })
          .nullable(),
      })
      .nullable(),
    connectUISettings: z.strictObject({
      theme: z.strictObject({ light: theme, dark: theme }),
      defaultTheme: z.enum(["light", "dark", "system"]),
      showWatermark: z.boolean(),
    }),
    expires_at: timestamp,
    allowed_integrations: z.array(z.string()).optional(),
    integrations_config_defaults: z.record(z.string(), integrationDefaults).optional(),
    overrides: z
      .record(z.string(), z.strictObject({ docs_connect: z.string().optional() }))
      .optional(),
    isReconnecting: z.literal(true).optional(),
    return_url: z.string().optional(),
    allowed_origins: z.array(z.string()).optional(),
    websocketsPath: z.string().optional(),
    /** The latest 50 attempts, newest first. */
    attempts: z.array(attemptResult),
  }),
});

export const connectRoutes = {
  createConnectSession: defineRoute({
    method: "POST",
    path: "/connect/sessions",
    summary: "Create a session that lets an end user make connections within 30 minutes",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z.strictObject({
      ...sessionFields,
      allowed_integrations: z.array(integrationKey).max(1000).optional(),
    }),
    success: { status: 200, schema: createdSession },
    errors: ["destination_not_allowed", "resource_capped"],
    idempotent: true,
    leavesCaches: true,
  }),
  createReconnectSession: defineRoute({
    method: "POST",
    path: "/connect/sessions/reconnect",
    summary: "Create a session that lets an end user authorise one connection again",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z.strictObject({
      ...sessionFields,
      connection_id: connectionId,
      integration_id: integrationKey,
    }),
    success: { status: 200, schema: createdSession },
    errors: ["destination_not_allowed", "resource_capped"],
    idempotent: true,
  }),
  getConnectSession: defineRoute({
    method: "GET",
    path: "/connect/session",
    summary: "What the session allows and what its page shows",
    principals: ["session"],
    scope: "session",
    success: { status: 200, schema: openSession },
    errors: [],
    idempotent: false,
  }),
  deleteConnectSession: defineRoute({
    method: "DELETE",
    path: "/connect/session",
    summary: "End the session; its connections stay",
    principals: ["session"],
    scope: "session",
    success: { status: 204 },
    errors: [],
    idempotent: false,
  }),
  getConnectSessionResult: defineRoute({
    method: "GET",
    path: "/connect/session/result",
    summary: "How far an attempt of the session is, the latest without `attempt_id`",
    principals: ["session"],
    scope: "session",
    query: attemptQuery,
    success: { status: 200, schema: z.strictObject({ data: attemptResult }) },
    errors: [],
    idempotent: false,
  }),
  streamConnectSessionEvents: defineRoute({
    method: "GET",
    path: "/connect/session/events",
    summary:
      "The result of an attempt, the latest without `attempt_id`, as server-sent events: at once and at each change, until its connection is made, pending no more, or the session ends",
    principals: ["session"],
    scope: "session",
    query: attemptQuery,
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
  }),
  sendConnectTelemetry: defineRoute({
    method: "POST",
    path: "/connect/telemetry",
    summary: "Accepted for older clients; nothing is stored",
    principals: ["public"],
    scope: "public",
    body: z.strictObject({
      token: z.string().max(255),
      event: z.string().min(1).max(64),
      timestamp: z.union([timestamp, z.number()]),
      dimensions: z.strictObject({ integration: z.string().max(255).optional() }).optional(),
    }),
    success: { status: 204 },
    errors: [],
    idempotent: false,
  }),
  showConnectPage: defineRoute({
    method: "GET",
    path: "/connect/",
    summary: "The hosted page at which an end user connects; `session_token` names the session",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
  }),
  getConnectPageAsset: defineRoute({
    method: "GET",
    path: "/connect/assets/{path+}",
    summary: "Scripts and styles of the hosted page",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: ["not_found"],
    idempotent: false,
    raw: true,
  }),
  ...authorizationRoutes,
} as const;
