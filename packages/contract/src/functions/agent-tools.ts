import * as z from "zod";
import { integrationKey } from "../fields.ts";
import { defineRoute } from "../route.ts";

const effect = z
  .enum(["read", "write", "destructive"])
  .describe("What the author says that it does; absent where the author does not say.");

const agentTools = z
  .strictObject({
    data: z
      .array(
        z.strictObject({
          name: z
            .string()
            .describe("Name of the tool, unique in the environment; at most 64 characters."),
          integration: integrationKey.describe("Integration of the action."),
          action: z.string().describe("Name of the action."),
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
      .describe("The tools."),
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
      .describe("Actions that are no tools, and why."),
    tokens: z.number().int().describe("About how many tokens all tools take together."),
  })
  .meta({ id: "AgentTools", description: "Actions as tools of language models." });

/** Actions as tools of language models. */
export const agentRoutes = {
  listAgentTools: defineRoute({
    method: "GET",
    path: "/agent/tools",
    summary: "List the actions that are tools of language models, with what they cost in tokens",
    principals: ["environment"],
    scope: "environment:agents:read",
    success: {
      status: 200,
      schema: agentTools,
    },
    errors: [],
    idempotent: false,
  }),
} as const;
