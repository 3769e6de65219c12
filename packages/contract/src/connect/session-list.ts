import * as z from "zod";
import { nextCursor, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Connect sessions as their maker sees them. */

const listedSession = z
  .strictObject({
    id: uuid.describe("Id of the session; not its token."),
    state: z
      .enum(["waiting", "success", "error"])
      .describe(
        "How its latest attempt has ended: `waiting` while none has, `success` once it has made a connection, `error` when it failed.",
      ),
    is_open: z.boolean().describe("Whether its token still works."),
    is_reconnect: z
      .boolean()
      .describe("Whether it authorizes an existing connection again instead of making one."),
    tags: z.record(z.string(), z.string()).describe("Tags of the connections that it makes."),
    allowed_integrations: z
      .array(z.string())
      .nullable()
      .describe("Keys of the integrations to choose from; null when all are allowed."),
    error: z
      .strictObject({
        type: z.string().describe("Error code, such as `connection_test_failed`."),
        message: z.string().describe("What happened, for people."),
      })
      .nullable()
      .describe("Why the latest attempt failed; null unless the state is `error`."),
    created_at: timestamp.describe("When it was created."),
    expires_at: timestamp.describe("When it ends or has ended."),
  })
  .meta({ id: "ListedConnectSession", description: "A connect session, without its token." });

export const sessionListRoutes = {
  listConnectSessions: defineRoute({
    method: "GET",
    path: "/connect/sessions",
    summary: "List connect sessions, newest first; ended ones are kept for 31 days",
    principals: ["environment"],
    scope: "environment:connect_sessions:read",
    query: z.strictObject({
      is_open: z
        .enum(["true", "false"])
        .optional()
        .describe("Only sessions whose token still works (`true`), or that have ended (`false`)."),
      ...pageQuery("Sessions", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(listedSession).describe("The sessions, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  endConnectSession: defineRoute({
    method: "DELETE",
    path: "/connect/sessions/{sessionId}",
    summary: "End a connect session at once; its connections stay",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    params: z.strictObject({
      sessionId: z
        .uuid("must be the id of a session, a UUID")
        .describe("Session to end, as the list names it."),
    }),
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
