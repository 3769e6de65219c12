import * as z from "zod";
import { pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Erasing what belongs to one end user. */

const endUserId = z
  .string()
  .min(1)
  .max(255)
  .meta({
    description: "Your id of the end user: the tag `end_user_id` of connections and sessions.",
    examples: ["u1"],
  });

const count = z.number().int();

const erasure = z
  .strictObject({
    id: uuid.describe("Id of the erasure."),
    state: z
      .enum(["running", "done"])
      .describe("`running`, also after a restart, until all is erased; then `done`."),
    erased: z
      .strictObject({
        connections: count.describe("Connections that were deleted and lost their name."),
        connect_sessions: count.describe("Connect sessions."),
        connect_links: count.describe("Connect links."),
        agent_sessions: count.describe("Sessions of agents."),
        api_keys: count.describe("Keys for agents that were bound to the end user."),
        agent_calls: count.describe("Calls of agents that lost the end user and the connection."),
        record_models: count.describe("Models, with all of their records."),
        runs: count.describe("Runs of syncs and of handlers of webhooks."),
        actions: count.describe("Asynchronous actions, with input and outcome."),
        dry_runs: count.describe(
          "Dry runs of the integrations concerned, regardless of who asked for them.",
        ),
        tapes: count.describe("Recorded runs of the connections."),
        webhook_deliveries: count.describe("Webhooks to you about the connections."),
        received_webhooks: count.describe("Webhooks of providers that name the person."),
        problems: count.describe("Problems that named a connection."),
        audit_names: count.describe("Rows of the audit log that lost a name."),
        log_operations: count.describe("Operations of the connections, or that name the person."),
        log_messages: count.describe("Lines of these, or that name the person."),
      })
      .describe("How much has been erased so far, by kind."),
    created_at: timestamp.describe("When it was asked for."),
    ended_at: timestamp.nullable().describe("When it was done; null before."),
  })
  .meta({
    id: "Erasure",
    description:
      "The receipt of an erasure. It does not name the end user; `GET /erasures?end_user_id=` finds it.",
  });

export const endUserRoutes = {
  deleteEndUser: defineRoute({
    method: "DELETE",
    path: "/end-users/{endUserId}",
    summary: "Erase what belongs to an end user: connections, records, webhooks, logs",
    principals: ["environment"],
    scope: "environment:end_users:delete",
    params: z.strictObject({ endUserId }),
    success: {
      status: 202,
      schema: z.strictObject({ data: erasure.describe("The erasure, which has begun.") }),
    },
    errors: [],
    idempotent: false,
    stepUp: "production",
  }),
  listErasures: defineRoute({
    method: "GET",
    path: "/erasures",
    summary: "List erasures of end users, newest first",
    principals: ["environment"],
    scope: "environment:end_users:read",
    query: z.strictObject({
      end_user_id: endUserId.optional().describe("Only erasures of this end user."),
      ...pageQuery("Erasures", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(erasure).describe("The erasures, newest first."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getErasure: defineRoute({
    method: "GET",
    path: "/erasures/{erasureId}",
    summary: "Get the receipt of an erasure",
    principals: ["environment"],
    scope: "environment:end_users:read",
    params: z.strictObject({ erasureId: uuid.describe("The erasure.") }),
    success: {
      status: 200,
      schema: z.strictObject({ data: erasure.describe("The erasure.") }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
