import * as z from "zod";
import { connectionId, integrationKey, nextCursor, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { actionOfTool, agentBudget, effects, policyPreset, toolsetName } from "./agent-fields.ts";

const endUserId = z
  .string()
  .min(1)
  .max(255)
  .meta({
    description: "The end user for whom it acts: the tag `end_user_id` of their connections.",
    examples: ["u1"],
  });

const policy = z
  .strictObject({
    integrations: z
      .array(integrationKey)
      .min(1)
      .max(200)
      .optional()
      .describe("Only tools of these integrations."),
    actions: z
      .array(actionOfTool)
      .min(1)
      .max(500)
      .optional()
      .describe("Only tools that are actions of these names."),
    effects: effects.optional(),
    connections: z
      .array(connectionId)
      .min(1)
      .max(200)
      .optional()
      .describe("Of the end user's connections only these."),
    preset: policyPreset
      .optional()
      .describe("Holds where it is stricter than what the toolset says of a tool."),
  })
  .meta({
    id: "AgentPolicy",
    description:
      "Restrictions of the session beyond its toolset. They can only reduce what it may do.",
  });

const newSession = z
  .strictObject({
    toolset: toolsetName.describe("Toolset whose tools it has."),
    end_user_id: endUserId,
    expires_in_seconds: z
      .number()
      .int()
      .min(60)
      .max(86_400)
      .optional()
      .describe("How long it lasts, 60 to 86,400 seconds. Default 3,600."),
    policy: policy.optional(),
    budget: agentBudget
      .optional()
      .describe("Of this and the toolset's budget, the smaller number holds."),
  })
  .meta({ id: "NewAgentSession", description: "For whom an agent acts, and with which tools." });

const count = z.number().int();

const session = z
  .strictObject({
    id: uuid.describe("Id of the session; not its token."),
    toolset: toolsetName.describe("Its toolset."),
    toolset_version: count.describe("Version of the toolset that it began with."),
    end_user_id: endUserId,
    policy: policy.describe("What it may less than its toolset; empty for nothing less."),
    budget: agentBudget.describe("What it may do in all; empty without a budget."),
    used: z
      .strictObject({
        calls: count.describe("Calls that have begun."),
        writes: count.describe("Of these, those of tools that do not only read."),
        result_tokens: count.describe(
          "Tokens of results; counted only where the budget has `result_tokens`.",
        ),
        code_seconds: count.describe(
          "Seconds for which scripts have run; of one that runs, all that it may take.",
        ),
      })
      .describe("What of its budget it has used."),
    taint: z
      .strictObject({
        private_read: z.boolean().describe("Whether a tool was called for one of its accounts."),
        untrusted_seen: z
          .boolean()
          .describe(
            "Whether a tool was called whose answer others may have written. Calls that send something outside or destroy then wait for a person.",
          ),
      })
      .describe("What the agent has read."),
    state: z
      .enum(["open", "ended", "expired"])
      .describe("`ended`: before its time, by a call of this API or with its toolset."),
    created_at: timestamp.describe("When it was made."),
    expires_at: timestamp.describe("When it expires."),
    ended_at: timestamp.nullable().describe("When it was ended; null unless it was."),
  })
  .meta({ id: "AgentSession", description: "Permission for an agent to act for one end user." });

const account = z
  .strictObject({
    integration: integrationKey.describe("Integration of the connection."),
    connection_id: connectionId.describe("Id of the connection."),
    alias: z
      .string()
      .describe(
        "How an agent names it: who it is at the provider where that is known, else its id.",
      ),
    identity: z
      .string()
      .nullable()
      .describe(
        "Who it is at the provider, such as an e-mail address; null where that is unknown.",
      ),
    state: z
      .enum(["ok", "reconnect"])
      .describe("`reconnect`: its credentials do not work until the end user connects again."),
  })
  .meta({ id: "AgentAccount", description: "A connection of the end user, as an agent sees it." });

const sessionWithAccounts = session
  .extend({
    accounts: z
      .array(account)
      .describe("Connections that it may use; empty unless the session is open."),
  })
  .meta({ id: "AgentSessionWithAccounts", description: "A session with its accounts." });

const created = z
  .strictObject({
    id: uuid.describe("Id of the session."),
    token: z
      .string()
      .describe("Token for `Authorization: Bearer …` at `mcp_url`; shown only once."),
    mcp_url: z.string().describe("Where a client of the Model Context Protocol connects."),
    toolset_version: count.describe("Version of the toolset that it begins with."),
    expires_at: timestamp.describe("When it expires."),
    mode: z
      .enum(["direct", "search", "code"])
      .describe("Whether a client is shown each tool, or those that find them."),
    tools: z
      .strictObject({
        count: count.describe("How many tools it may call."),
        tokens: count.describe("About how many tokens the list takes that a client is shown."),
        can_send: z.boolean().describe("Whether one of them may send something outside."),
      })
      .describe("What it can do."),
    accounts: z.array(account).describe("Connections that it may use."),
    missing: z
      .array(integrationKey)
      .describe("Integrations of its tools for which the end user has no connection."),
  })
  .meta({ id: "CreatedAgentSession", description: "A new session, with its token." });

const params = z.strictObject({
  sessionId: z
    .uuid("must be the id of a session, a UUID")
    .describe("The session, as the list names it."),
});

/** Agents that act for one end user. */
export const agentSessionRoutes = {
  createAgentSession: defineRoute({
    method: "POST",
    path: "/agent/sessions",
    summary: "Let an agent act for one end user with the tools of a toolset, for a limited time",
    principals: ["environment"],
    scope: "environment:agents:sessions",
    body: newSession,
    success: { status: 201, schema: z.strictObject({ data: created.describe("The session.") }) },
    errors: ["not_found"],
    idempotent: true,
    noStore: true,
  }),
  listAgentSessions: defineRoute({
    method: "GET",
    path: "/agent/sessions",
    summary: "List sessions of agents, newest first; ended ones are kept for 31 days",
    principals: ["environment"],
    scope: "environment:agents:read",
    query: z.strictObject({
      end_user_id: endUserId.optional().describe("Only sessions for this end user."),
      toolset: toolsetName.optional().describe("Only sessions of this toolset."),
      integration: integrationKey
        .optional()
        .describe("Only sessions whose toolset has tools of this integration."),
      state: z.enum(["open"]).optional().describe("Only sessions that are open."),
      ...pageQuery("Sessions", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(session).describe("The sessions, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getAgentSession: defineRoute({
    method: "GET",
    path: "/agent/sessions/{sessionId}",
    summary: "A session of an agent, what it has used, and the accounts that it may use",
    principals: ["environment"],
    scope: "environment:agents:read",
    params,
    success: {
      status: 200,
      schema: z.strictObject({ data: sessionWithAccounts.describe("The session.") }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  updateAgentSession: defineRoute({
    method: "PATCH",
    path: "/agent/sessions/{sessionId}",
    summary: "Narrow a session that is open, or change when it ends",
    principals: ["environment"],
    scope: "environment:agents:sessions",
    params,
    body: z
      .strictObject({
        policy: policy.optional().describe("Further restrictions, added to those that it has."),
        budget: agentBudget
          .optional()
          .describe("Of this and the budget that it has, the smaller number holds."),
        expires_in_seconds: z
          .number()
          .int()
          .min(60)
          .max(86_400)
          .optional()
          .describe(
            "How long it lasts from now on, 60 to 86,400 seconds. That of a client which connected by URL alone gets only shorter.",
          ),
      })
      .refine((body) => Object.keys(body).length > 0, "must change something")
      .meta({
        id: "AgentSessionChange",
        description: "What a session may less, and when it ends.",
        examples: [{ policy: { effects: ["read"] } }],
      }),
    success: { status: 200, schema: z.strictObject({ data: session.describe("The session.") }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  endAgentSession: defineRoute({
    method: "DELETE",
    path: "/agent/sessions/{sessionId}",
    summary: "End a session: no call of it begins after the answer",
    principals: ["environment"],
    scope: "environment:agents:sessions",
    params,
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
  stopAgents: defineRoute({
    method: "POST",
    path: "/agent/stop",
    summary: "End all sessions that fit what is given: no call of them begins after the answer",
    principals: ["environment"],
    scope: "environment:agents:sessions",
    body: z
      .strictObject({
        toolset: toolsetName.optional().describe("Sessions of this toolset."),
        integration: integrationKey
          .optional()
          .describe("Sessions whose toolset has tools of this integration."),
        end_user_id: endUserId.optional().describe("Sessions for this end user."),
        all: z.literal(true).optional().describe("All sessions of the environment."),
      })
      .refine(
        (body) => Object.keys(body).length === 1,
        "must have one of toolset, integration, end_user_id and all",
      ),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({ ended: count.describe("How many sessions it has ended.") })
          .describe("What it has done."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
