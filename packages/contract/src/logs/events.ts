import * as z from "zod";
import { defineRoute } from "../route.ts";
import { listOf } from "./list-of.ts";

/** What can change, as a stream of events names it. */
const topic = z.enum([
  "operations",
  "connections",
  "syncs",
  "problems",
  "deliveries",
  "inbox",
  "setup",
  "agents",
  "connect-links",
  "revocations",
]);

export const eventRoutes = {
  streamEvents: defineRoute({
    method: "GET",
    path: "/events",
    summary:
      "What has changed, as server-sent events: an event is named after its topic, and its data is `topic` and `at`; read the list again. The stream ends after five minutes and when the server stops; connect again with `Last-Event-ID`, and each topic is named once, since something may have been missed",
    principals: ["environment"],
    scope: "any-key",
    query: z.strictObject({
      topics: listOf(topic)
        .unwrap()
        .meta({
          description:
            "What to hear of, with commas: `operations` (`environment:logs:read`), `connections` (`environment:connections:list`), `syncs` (`environment:syncs:read`), `problems` (`environment:problems:read`), `deliveries` and `inbox` (`environment:webhooks:read`), `setup` (`environment:logs:read`): integrations, providers, functions, deployments, API keys and settings; `agents` (`environment:agents:read`): sessions, calls and approvals; `connect-links` (`environment:connect_sessions:read`), `revocations` (`environment:revocations:read`).",
          examples: ["operations"],
        }),
    }),
    success: { status: 200 },
    errors: ["forbidden", "too_many_request"],
    idempotent: false,
    raw: true,
    sessions: "taken",
  }),
} as const;
