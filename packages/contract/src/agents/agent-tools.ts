import * as z from "zod";
import { integrationKey, nextCursor, pageQuery } from "../fields.ts";
import { defineRoute } from "../route.ts";

const effect = z
  .enum(["read", "write", "destructive"])
  .describe("What it does to data; absent for an action whose author does not say.");

const source = z
  .enum(["action", "operation", "upstream", "api"])
  .describe(
    "Where it comes from: `action`, `operation` of an OpenAPI document, `upstream`: an MCP server of others, `api`: the tool that sends the requests which toolsets allow.",
  );

const agentTools = z
  .strictObject({
    data: z
      .array(
        z.strictObject({
          name: z
            .string()
            .describe(
              "Name of the tool where actions alone are listed, unique among them; that of another tool is `session_name`. At most 64 characters.",
            ),
          session_name: z
            .string()
            .describe("Name of the tool in sessions of toolsets, unique in the environment."),
          source,
          integration: integrationKey.describe("Integration of the tool."),
          action: z.string().describe("Name of the action, or of the tool at its source."),
          title: z.string().optional().describe("Its name for people; absent if there is none."),
          effect: effect.optional(),
          tokens: z
            .number()
            .int()
            .describe("About how many tokens its definition takes in a model's context."),
          warnings: z
            .array(z.enum(["no_description", "no_effect", "large"]))
            .describe(
              "What to improve: it has no description, its author does not say what it does to data, or its definition takes more than 800 tokens.",
            ),
        }),
      )
      .describe("The tools: actions first, then the other sources, each by name."),
    left_out: z
      .array(
        z.strictObject({
          integration: integrationKey.describe("Integration of the action."),
          action: z.string().describe("Name of the action."),
          reason: z
            .enum(["disabled", "not_exposed"])
            .describe("`disabled`: enable it; `not_exposed`: its author keeps it back."),
        }),
      )
      .describe("Actions that are no tools, and why; at most 1,000, on the first page."),
    tokens: z
      .number()
      .int()
      .describe("About how many tokens all tools of all pages take together."),
    total: z.number().int().describe("How many tools all pages have together."),
    next_cursor: nextCursor,
  })
  .meta({
    id: "AgentTools",
    description: "A page of the tools that agents of the environment may have.",
  });

/** Tools of language models. */
export const agentRoutes = {
  listAgentTools: defineRoute({
    method: "GET",
    path: "/agent/tools",
    summary:
      "List the tools that agents may have, from every source, with what they cost in tokens",
    principals: ["environment"],
    scope: "environment:agents:read",
    query: z.strictObject({
      source: source.optional().describe("Only tools of this source. Default: all."),
      integration: integrationKey.optional().describe("Only tools of this integration."),
      ...pageQuery("Tools", { most: 1000, usual: 1000 }),
    }),
    success: {
      status: 200,
      schema: agentTools,
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
} as const;
