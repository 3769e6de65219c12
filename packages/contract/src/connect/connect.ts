import * as z from "zod";
import { connectionId, integrationKey, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { authorizationRoutes } from "./authorization.ts";
import { connectFunnelRoutes } from "./connect-funnel.ts";
import { connectLinkRoutes } from "./connect-links.ts";
import {
  attemptQuery,
  attemptResult,
  createdSession,
  openSession,
  sessionAccess,
  sessionFields,
} from "./connect-session.ts";
import { manageRoutes } from "./manage.ts";
import { sessionListRoutes } from "./session-list.ts";

/** Connect sessions and the page that they open. */

export const connectRoutes = {
  createConnectSession: defineRoute({
    method: "POST",
    path: "/connect/sessions",
    summary: "Create a session that lets an end user make connections within 30 minutes",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z
      .strictObject({
        ...sessionFields,
        allowed_integrations: z
          .array(integrationKey)
          .max(1000)
          .optional()
          .meta({
            description:
              "Keys of the integrations that the end user may choose from, at most 1,000. Default, and for an empty list: all.",
            examples: [["github"]],
          }),
        purpose: z
          .enum(["connect", "manage"])
          .optional()
          .describe(
            "`manage`: the session shows, renews and deletes the connections of the end user or organization that its tags name, and makes none. Default `connect`.",
          ),
      })
      .meta({ id: "NewConnectSession" }),
    success: { status: 200, schema: createdSession },
    errors: ["destination_not_allowed", "resource_capped"],
    idempotent: true,
    leavesCaches: true,
  }),
  createReconnectSession: defineRoute({
    method: "POST",
    path: "/connect/sessions/reconnect",
    summary: "Create a session that lets an end user authorize one connection again",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z
      .strictObject({
        ...sessionFields,
        connection_id: connectionId.describe("Connection to authorize again."),
        integration_id: integrationKey.describe("Integration of that connection."),
        allow_account_change: z
          .boolean()
          .optional()
          .describe(
            "`true` lets the end user authorize another account than the connection has. Default `false`: the attempt fails with `account_changed`.",
          ),
      })
      .meta({ id: "NewReconnectSession" }),
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
  getConnectAccess: defineRoute({
    method: "GET",
    path: "/connect/session/access/{integrationKey}",
    summary: "What connecting an integration gives access to, as its page shows it",
    principals: ["session"],
    scope: "session",
    params: z.strictObject({ integrationKey: integrationKey.describe("Key of the integration.") }),
    success: { status: 200, schema: sessionAccess },
    errors: ["integration_not_allowed", "unknown_provider_config"],
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
    success: {
      status: 200,
      schema: z.strictObject({ data: attemptResult.describe("The attempt.") }),
    },
    errors: [],
    idempotent: false,
  }),
  streamConnectSessionEvents: defineRoute({
    method: "GET",
    path: "/connect/session/events",
    summary:
      "The result of an attempt, the latest without `attempt_id`, as server-sent events: immediately and at each change, until the connection is made and no longer pending, or the session ends",
    principals: ["session"],
    scope: "session",
    query: attemptQuery,
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  sendConnectTelemetry: defineRoute({
    method: "POST",
    path: "/connect/telemetry",
    summary: "Accepted for older clients; nothing is stored",
    principals: ["public"],
    scope: "public",
    body: z.strictObject({
      token: z.string().max(255).describe("Token of the session."),
      event: z
        .string()
        .min(1)
        .max(64)
        .meta({ description: "What happened on the page.", examples: ["view:list"] }),
      timestamp: z
        .union([timestamp, z.number()])
        .describe("When it happened: ISO 8601, or milliseconds since 1970."),
      dimensions: z
        .strictObject({
          integration: z.string().max(255).optional().describe("Key of the integration."),
        })
        .optional()
        .describe("What the event is about."),
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
    sessions: "refused",
  }),
  showManagePage: defineRoute({
    method: "GET",
    path: "/connect/manage/",
    summary: "The hosted page on which end users see, renew and delete their connections",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  getConnectPageAsset: defineRoute({
    method: "GET",
    path: "/connect/assets/{path+}",
    summary: "Scripts and styles of the hosted pages",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: ["not_found"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  ...sessionListRoutes,
  ...connectFunnelRoutes,
  ...connectLinkRoutes,
  ...manageRoutes,
  ...authorizationRoutes,
} as const;
