import * as z from "zod";
import { connectionState } from "../connections/connection.ts";
import { timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { createdSession } from "./connect-session.ts";

/** What an end user sees and does about their own connections, in a session with `purpose: "manage"`. */

const ownConnection = z
  .strictObject({
    id: uuid.describe("Id of the connection for the calls of this session."),
    provider_config_key: z.string().describe("Its integration."),
    display_name: z.string().describe("Name of the service, for people."),
    provider: z.string().describe("Provider, by which its logo is found."),
    state: connectionState.describe("Whether it works."),
    account: z
      .string()
      .nullable()
      .describe("Whose account it is at the provider; null if unknown."),
    connected_at: timestamp.describe("When it was made."),
    last_used_at: timestamp.nullable().describe("When it was used last; null if never."),
    scopes_granted: z
      .array(z.string())
      .nullable()
      .describe("What the provider has granted; null where it does not say."),
    models: z
      .array(
        z.strictObject({
          name: z.string().describe("Name of the model."),
          count: z.number().int().describe("Records that are stored."),
        }),
      )
      .describe("What was read from it, by kind."),
    withdrawable: z
      .boolean()
      .describe("Whether its access is also withdrawn at the provider when it is deleted."),
  })
  .meta({ id: "OwnConnection", description: "A connection as its end user sees it." });

const params = z.strictObject({ ownConnectionId: uuid.describe("The connection, by its `id`.") });

export const manageRoutes = {
  listOwnConnections: defineRoute({
    method: "GET",
    path: "/connect/connections",
    summary: "List the connections of the end user whom the session's tags name; at most 100",
    principals: ["session"],
    scope: "session",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(ownConnection).describe("Their connections, newest first."),
      }),
    },
    errors: ["forbidden"],
    idempotent: false,
  }),
  reconnectOwnConnection: defineRoute({
    method: "POST",
    path: "/connect/connections/{ownConnectionId}/reconnect",
    summary: "Create a session that authorizes one of the end user's connections again",
    principals: ["session"],
    scope: "session",
    params,
    success: { status: 200, schema: createdSession },
    errors: ["forbidden", "not_found"],
    idempotent: false,
    noStore: true,
  }),
  deleteOwnConnection: defineRoute({
    method: "DELETE",
    path: "/connect/connections/{ownConnectionId}",
    summary: "Delete one of the end user's connections; its access is withdrawn at the provider",
    principals: ["session"],
    scope: "session",
    params,
    success: { status: 204 },
    errors: ["forbidden", "not_found"],
    idempotent: false,
  }),
} as const;
