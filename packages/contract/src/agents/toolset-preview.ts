import * as z from "zod";
import { integrationKey } from "../fields.ts";
import { apiMethod, toolEffect } from "./agent-fields.ts";

/** What a toolset would let an agent do, before it is made. */

const request = {
  integration: integrationKey.describe("Integration whose API it would call."),
  method: apiMethod,
  path: z
    .string()
    .min(1)
    .max(2000)
    .meta({
      description: "Path below the base address of the connection's calls, as an agent gives it.",
      examples: ["/crm/v3/objects/contacts"],
    }),
};

export const previewRequests = z
  .array(z.strictObject(request).meta({ id: "PreviewRequest", description: "A request." }))
  .max(20)
  .optional()
  .describe(
    "Requests by the tool `api__<integration>` of which to say whether they would be sent.",
  );

const policyVerdict = z
  .enum(["allow", "ask", "deny", "depends"])
  .describe(
    "What the policy does with calls while the session has read no text of others: `depends` where the first rule about them looks at arguments or at what the session has read.",
  );

const policyRule = z
  .number()
  .int()
  .nullable()
  .describe("Position in `policy.rules` of the rule that says so, from 0 on; null: the preset.");

const tool = z
  .strictObject({
    name: z.string().describe("Name by which agents call it."),
    integration: integrationKey.describe("Its integration."),
    action: z.string().describe("Name in selections and rules."),
    source: z
      .enum(["action", "operation", "api", "upstream"])
      .describe(
        "`action`: a deployed function; `operation`: of an OpenAPI document; `api`: sends any request that `api` allows; `upstream`: of another MCP server.",
      ),
    title: z.string().optional().describe("Its name for people; left out without one."),
    description: z
      .string()
      .describe(
        "The beginning of its description, at most 300 characters; for a tool of another MCP server text of a stranger.",
      ),
    effect: toolEffect,
    tokens: z
      .number()
      .int()
      .describe("About how many tokens its definition takes in a model's context."),
    can_send: z.boolean().describe("Whether what it is given may leave for people outside."),
    verdict: policyVerdict,
    rule: policyRule,
  })
  .meta({ id: "PreviewTool", description: "A tool that sessions of the toolset would have." });

const leftOut = z
  .strictObject({
    name: z.string().describe("Name of the tool."),
    integration: integrationKey.describe("Its integration."),
    action: z.string().describe("Name in selections and rules."),
    effect: toolEffect,
    reason: z
      .enum(["effects", "policy"])
      .describe("`effects` does not name its effect, or the policy denies all of its calls."),
  })
  .meta({ id: "PreviewLeftOut", description: "A tool that is selected, and that sessions lack." });

const answeredRequest = z
  .strictObject({
    ...request,
    allowed: z.boolean().describe("Whether it would be sent, if need be after an approval."),
    reason: z
      .enum(["allowed", "denied", "not_named", "no_api", "ambiguous_path", "effects", "policy"])
      .describe(
        "`denied`: by a rule of `deny`; `not_named`: no rule of `allow` is about it; `no_api`: the integration is not in `api`; `ambiguous_path`: servers may read the path in several ways; `effects`, `policy`: these leave no call of its effect.",
      ),
    decided_by: z
      .strictObject({
        list: z.enum(["allow", "deny"]).describe("Of which list."),
        rule: z.number().int().describe("Position of the rule in it, from 0 on."),
        path: z.string().describe("The path of the rule that fits."),
      })
      .nullable()
      .describe("The rule of `api` that decides; null where none is about the request."),
    effect: toolEffect.describe(
      "What it does to data: by its method, and by what the provider's entry knows of it.",
    ),
    verdict: policyVerdict,
    rule: policyRule,
  })
  .meta({ id: "PreviewedRequest", description: "What would happen to a request." });

export const toolsetPreview = z
  .strictObject({
    mode: z
      .enum(["direct", "search", "code"])
      .describe("Whether a client is shown each tool, or those that find them."),
    count: z.number().int().describe("How many tools a session has at most."),
    tokens: z
      .number()
      .int()
      .describe("About how many tokens the list takes that a client is shown."),
    tokens_of_tools: z
      .number()
      .int()
      .describe("About how many the definitions of all its tools take together."),
    can_send: z.boolean().describe("Whether one of them may send something outside."),
    tools: z.array(tool).describe("The tools by name, at most 1,000."),
    left_out: z.array(leftOut).describe("Selected tools that it lacks, at most 1,000."),
    unknown: z
      .array(z.string())
      .describe("Selected names that no tool has, as `<integration>__<action>`."),
    pinned_missing: z.array(z.string()).describe("Pinned names that none of its tools has."),
    requests: z.array(answeredRequest).describe("What would happen to `requests`, in their order."),
  })
  .meta({ id: "ToolsetPreview", description: "What a toolset would let an agent do." });
