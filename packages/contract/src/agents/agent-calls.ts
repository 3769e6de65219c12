import * as z from "zod";
import { integrationKey, nextCursor, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { toolEffect, toolsetName } from "./agent-fields.ts";

const digest = z.string().nullable();

const agentCall = z
  .strictObject({
    id: uuid.describe("Id of the call."),
    at: timestamp.describe("When it began."),
    session_id: uuid.describe("Session that made it."),
    end_user_id: z.string().nullable().describe("For whom; null once the end user was erased."),
    client: z
      .string()
      .nullable()
      .describe("Name and version that the client gives itself; null where it gives none."),
    toolset: toolsetName.describe("Toolset of the session."),
    toolset_version: z.number().int().describe("Version of the toolset that the session has."),
    tool: z.string().describe("Name of the tool, as the agent called it."),
    integration: integrationKey.nullable().describe("Its integration; null for an unknown tool."),
    connection_id: z
      .string()
      .nullable()
      .describe("Connection that it ran for; null where it was refused, or once it was erased."),
    effect: toolEffect.nullable().describe("Its effect; null for an unknown tool."),
    outcome: z
      .enum(["running", "success", "failed", "refused"])
      .describe(
        "`running`: it has not ended; `refused`: nothing of it has run. One whose process has died is `failed` with `outcome_unknown` once no action could run so long.",
      ),
    code: z
      .string()
      .nullable()
      .describe("Why it failed or was refused, as the agent read it; null otherwise."),
    input_digest: digest.describe("SHA-256 of tool, account and arguments; null where refused."),
    output_digest: digest.describe("SHA-256 of the output; null without one."),
    duration_ms: z.number().int().nullable().describe("How long it took; null until it ends."),
    parent_id: uuid
      .nullable()
      .describe(
        "Call of the tool `run_code` whose script made it, or which it continues; null for one that the agent made itself.",
      ),
  })
  .meta({ id: "AgentCall", description: "A call of a tool by an agent." });

/** What agents did. */
export const agentCallRoutes = {
  listAgentCalls: defineRoute({
    method: "GET",
    path: "/agent/calls",
    summary: "List calls of agents, newest first: who did what for whom, and how it ended",
    principals: ["environment"],
    scope: "environment:agents:read",
    query: z.strictObject({
      session_id: z.uuid("must be a UUID").optional().describe("Only calls of this session."),
      end_user_id: z.string().min(1).max(255).optional().describe("Only calls for this end user."),
      parent_id: z
        .uuid("must be a UUID")
        .optional()
        .describe("Only calls of this script: the id of its call of `run_code`."),
      ...pageQuery("Calls", { most: 200, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(agentCall).describe("The calls, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
} as const;
