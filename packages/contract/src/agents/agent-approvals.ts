import * as z from "zod";
import { connectionId, integrationKey, nextCursor, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { approver, toolEffect, toolsetName } from "./agent-fields.ts";

const state = z
  .enum(["waiting", "approved", "denied", "used", "expired"])
  .describe(
    "`waiting`: nobody has decided; `approved`: the agent may make the call; `used`: it has; `expired`: its time or its session is over.",
  );

const scope = z.enum(["once", "session"]);

const approval = z
  .strictObject({
    id: uuid.describe("Id of the approval."),
    session_id: uuid.describe("Session that wants to make the call."),
    end_user_id: z.string().describe("For whom."),
    toolset: toolsetName.describe("Toolset of the session."),
    tool: z.string().describe("Name of the tool."),
    integration: integrationKey.describe("Its integration."),
    connection_id: connectionId.describe("Connection that the call is for."),
    effect: toolEffect.describe("Effect of the tool."),
    state,
    scope: scope.nullable().describe("What was approved; null unless it was."),
    reason: z.string().nullable().describe("Why it was denied; null without a reason."),
    created_at: timestamp.describe("When the agent asked."),
    expires_at: timestamp.describe("When it expires: 15 minutes after the request."),
    decided_at: timestamp.nullable().describe("When somebody decided; null until then."),
    approver: approver.describe("Who is asked, by the policy when the agent called."),
    decided_by: approver
      .nullable()
      .describe("Who has decided; null until then, and where an earlier release noted nobody."),
  })
  .meta({ id: "AgentApproval", description: "A call of an agent that a person has to approve." });

const shownRequest = z
  .strictObject({
    call: z
      .string()
      .meta({ description: "What the action calls, by its name in `svc`.", examples: ["proxy"] }),
    method: z.string().nullable().describe("HTTP method; null for what is no request."),
    url: z
      .string()
      .nullable()
      .describe("Address, or path at the provider's; null for what is no request."),
    details: z
      .record(z.string(), z.unknown())
      .describe("What else it is made with, such as query and headers, without credentials."),
    body: z
      .string()
      .nullable()
      .describe("The body as text, its first 20,000 characters; null without a text."),
    body_bytes: z.number().int().describe("Bytes of the whole body."),
  })
  .meta({
    id: "ApprovedRequest",
    description: "The first request of the call that changes something. It was not sent.",
  });

const origin = z
  .strictObject({
    path: z.string().describe("JSON pointer to the argument."),
    text: z.string().describe("What of it was read before, in lower case, cut to 200 characters."),
    tool: z.string().describe("Tool that answered it."),
    at: timestamp.describe("When the agent read it."),
  })
  .meta({
    id: "AgentArgumentOrigin",
    description: "Where an agent has an argument from: text that others may have written.",
  });

const approvalWithRequest = approval
  .extend({
    account: z
      .string()
      .nullable()
      .describe("Whose account it is, as the agent names it; null where an earlier release asked."),
    input: z.unknown().describe("Arguments of the call."),
    tainted: z
      .boolean()
      .describe("Whether the agent had read text that others may have written when it called."),
    origins: z
      .array(origin)
      .describe("Arguments that come from such texts, at most 20; empty where none was found."),
    request: shownRequest,
  })
  .meta({ id: "AgentApprovalWithRequest", description: "The approval, with what it is about." });

const params = z.strictObject({
  id: z.uuid("must be the id of an approval, a UUID").describe("Id of the approval."),
});

/** Calls of agents that wait for a person. */
export const agentApprovalRoutes = {
  listAgentApprovals: defineRoute({
    method: "GET",
    path: "/agent/approvals",
    summary: "List calls of agents that a person has to approve, newest first",
    principals: ["environment"],
    scope: "environment:agents:read",
    query: z.strictObject({
      state: state.optional().describe("Only approvals in this state."),
      session_id: z.uuid("must be a UUID").optional().describe("Only those of this session."),
      end_user_id: z.string().min(1).max(255).optional().describe("Only those for this end user."),
      ...pageQuery("Approvals", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(approval).describe("The approvals, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getAgentApproval: defineRoute({
    method: "GET",
    path: "/agent/approvals/{id}",
    summary: "Get an approval with the arguments of the call and the request that it would send",
    principals: ["environment"],
    scope: "environment:agents:approve",
    params,
    success: {
      status: 200,
      schema: z.strictObject({ data: approvalWithRequest.describe("The approval.") }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  decideAgentApproval: defineRoute({
    method: "POST",
    path: "/agent/approvals/{id}",
    summary: "Approve or deny a call of an agent; the agent then calls again",
    principals: ["environment"],
    scope: "environment:agents:approve",
    params,
    body: z
      .strictObject({
        decision: z.enum(["approve", "deny"]).describe("What you decide."),
        scope: scope
          .optional()
          .describe(
            "`once`: this call; `session`: also later calls of the tool for the same account in this session, with any arguments, which destructive tools cannot get. Default `once`.",
          ),
        reason: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe("Why you deny it; the agent reads it."),
      })
      .meta({ id: "AgentApprovalDecision" }),
    success: {
      status: 200,
      schema: z.strictObject({ data: approval.describe("The approval, decided.") }),
    },
    errors: ["not_found", "conflict"],
    idempotent: false,
  }),
} as const;

const page = {
  principals: ["public"],
  scope: "public",
  errors: ["not_found", "forbidden"],
  idempotent: false,
  raw: true,
  sessions: "refused",
  path: "/agent/approve/{id}",
  params,
} as const;

/** The page on which an end user approves a call of an agent that acts for them. */
export const approvalPageRoutes = {
  showAgentApproval: defineRoute({
    ...page,
    method: "GET",
    summary:
      "Sends the browser to prove its user; then the page on which that user approves or denies a call",
    query: z.strictObject({
      ticket: z
        .string()
        .max(100)
        .optional()
        .describe("What the browser brings back once its user is proven."),
    }),
    success: { status: 200 },
  }),
  decideAgentApprovalOnPage: defineRoute({
    ...page,
    method: "POST",
    summary: "What the user has decided on that page",
    body: z.strictObject({
      ticket: z.string().max(100).describe("As the page has it."),
      decision: z.enum(["approve", "deny"]).describe("What the user decides."),
    }),
    form: true,
    success: { status: 303 },
  }),
} as const;
