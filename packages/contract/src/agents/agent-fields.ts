import * as z from "zod";
import { integrationKey, webAddress } from "../fields.ts";

/** What toolsets and sessions of agents have in common. */

export const toolsetName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9][a-z0-9-]*$/, "may hold lower-case letters, digits and - only")
  .meta({
    id: "ToolsetName",
    description: "Name of a toolset, unique in the environment; a part of its URL.",
    examples: ["support-agent"],
  });

export const toolEffect = z.enum(["read", "write", "destructive"]).meta({
  id: "ToolEffect",
  description:
    "What a tool does to data: `read` changes nothing, `write` adds or changes, `destructive` may delete or overwrite. A tool whose author does not say counts as `write`.",
});

/** Names of actions, and those that other MCP servers give their tools. */
export const actionOfTool = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9_./-]+$/, "may hold letters, digits and _ . / - only")
  .meta({
    id: "ToolActionName",
    description:
      "Name of an action, or of a tool of another MCP server, without the integration's.",
    examples: ["create-contact"],
  });

export const toolSelection = z
  .strictObject({
    integration: integrationKey.describe("Integration whose actions are tools."),
    actions: z
      .array(actionOfTool)
      .min(1)
      .max(500)
      .optional()
      .describe(
        "Names of the actions, or of the tools of its MCP server; absent: all that the integration has, and will have.",
      ),
  })
  .meta({ id: "ToolSelection", description: "Tools of one integration." });

export const apiMethod = z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).meta({
  id: "ApiMethod",
  description: "Method of a request to a provider.",
});

const apiPath = z
  .string()
  .min(1)
  .max(500)
  .regex(
    /^\/(?:[^\s?#%\\;]*)$/,
    "must begin with / and hold no spaces, queries, backslashes, `;` or encoded characters",
  )
  .refine(
    (path) =>
      path === "/" ||
      path
        .slice(1)
        .split("/")
        .every((part) => !/^\.{0,2}$/.test(part)),
    "may not hold empty or dotted parts",
  )
  .meta({
    description:
      "Path below the base address of the connection's calls, part by part: `*` in a part is any characters of it, and `**` as the last part is any further parts.",
    examples: ["/crm/v3/objects/*", "/crm/**"],
  });

const apiRule = z
  .strictObject({
    methods: z.array(apiMethod).min(1).max(6).describe("Of these methods."),
    paths: z.array(apiPath).min(1).max(100).describe("To paths of one of these forms."),
  })
  .meta({ id: "ApiRule", description: "Requests that an agent may send, or may not." });

export const apiSelection = z
  .strictObject({
    integration: integrationKey.describe("Integration whose API may be called."),
    allow: z.array(apiRule).min(1).max(50).describe("What may be called; nothing else may."),
    deny: z.array(apiRule).max(50).optional().describe("Exceptions: what may not be called."),
  })
  .meta({
    id: "ApiSelection",
    description: "Which requests an agent may send to a provider by the tool `api__<integration>`.",
  });

export const agentBudget = z
  .strictObject({
    calls: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("Calls of tools in all; absent: any number."),
    writes: z
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("Of these, calls of tools that do not only read; absent: any number."),
    calls_per_day: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        "Calls in a day of UTC, in all sessions of the end user with the toolset; absent: any number.",
      ),
    writes_per_day: z
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("Of these, calls of tools that do not only read; absent: any number."),
    result_tokens: z
      .number()
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe(
        "Tokens that the results of a session may take, by 3.6 bytes a token; the call that reaches it is the last. Absent: any number.",
      ),
    code_seconds: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        "Seconds for which scripts of the session may run together, tools that they call included; left out: any number.",
      ),
  })
  .meta({ id: "AgentBudget", description: "How much one session may do." });

export const policyPreset = z.enum(["trusted", "careful", "read_only"]).meta({
  id: "AgentPolicyPreset",
  description:
    "What happens to calls that no rule is about. `trusted`: all are made; `careful`: those of tools that do not only read wait for a person; `read_only`: the session has no other tools than those that read. Once a session has read text that others may have written, calls that send something outside or destroy wait for a person in each preset.",
});

const pathOfInput = z
  .string()
  .max(200)
  .refine((path) => path === "" || path.startsWith("/"), "must be empty or begin with /")
  .meta({
    description:
      "JSON pointer into the arguments, in which `*` is every item of a list. A list at its end counts as its items.",
    examples: ["/to/*/email"],
  });

const inputCondition = z
  .discriminatedUnion("op", [
    z.strictObject({
      path: pathOfInput,
      op: z.literal("in").describe("The value is one of these."),
      value: z
        .array(z.union([z.string().max(500), z.number(), z.boolean()]))
        .min(1)
        .max(200)
        .describe("The values."),
    }),
    z.strictObject({
      path: pathOfInput,
      op: z
        .literal("matches")
        .describe(
          "The value is a text of this form, upper or lower case: `*` is any characters, `?` is one.",
        ),
      value: z.string().min(1).max(200).describe("The form, such as `*@example.com`."),
    }),
    z.strictObject({
      path: pathOfInput,
      op: z.literal("lte").describe("The value is a number up to this one."),
      value: z.number().describe("The number."),
    }),
    z.strictObject({
      path: pathOfInput,
      op: z
        .literal("domain_in")
        .describe("The value is a mail or web address of one of these domains, or below one."),
      value: z.array(z.string().min(1).max(253)).min(1).max(200).describe("The domains."),
    }),
  ])
  .meta({ id: "AgentInputCondition", description: "What a rule asks of the arguments of a call." });

const policyRule = z
  .strictObject({
    integration: integrationKey.optional().describe("Only for tools of this integration."),
    action: actionOfTool.optional().describe("Only for actions of this name."),
    effect: toolEffect.optional().describe("Only for tools of this effect."),
    input: z
      .array(inputCondition)
      .min(1)
      .max(10)
      .optional()
      .describe(
        "Only for calls whose arguments meet all of these. Where a path leads to several values, `allow` needs each of them to, `ask` and `deny` one.",
      ),
    tainted: z
      .boolean()
      .optional()
      .describe(
        "Only while the session has (`true`) or has not (`false`) read text that others may have written. Without it, `allow` lets no call pass that sends or destroys while the session has.",
      ),
    provenance: z
      .literal("untrusted")
      .optional()
      .describe("Only for calls with an argument that comes from such a text."),
    verdict: z
      .enum(["allow", "ask", "deny"])
      .describe(
        "`ask`: a person has to approve the call; `deny`: it is refused, and where the rule is about all calls of a tool, the session has no such tool.",
      ),
  })
  .meta({ id: "AgentPolicyRule", description: "What happens to calls of some tools." });

export const approver = z.enum(["operator", "end_user", "client"]).meta({
  id: "AgentApprover",
  description:
    "Who approves a call. `operator`: anybody with the scope `environment:agents:approve`; `end_user`: also the end user for whom the agent acts, on a page of this server, once they have proven who they are; `client`: also the user of the agent's client, by that client's word alone, which can answer by itself.",
});

export const toolsetPolicy = z
  .strictObject({
    preset: policyPreset,
    approver: approver
      .optional()
      .describe("Who approves the calls that wait. Default: `operator`."),
    rules: z
      .array(policyRule)
      .max(100)
      .optional()
      .describe("Exceptions from the preset; the first that is about a tool holds for it."),
    url: webAddress.optional().meta({
      description:
        "Asked before each call that the rules do not deny, with the call's arguments, signed as webhooks are. It answers `{ verdict, reason? }` within 3 seconds; `verdict` is that of a rule, and the strictest holds. Without such an answer the call is denied.",
      examples: ["https://example.com/agent-policy"],
    }),
  })
  .meta({ id: "ToolsetPolicy", description: "Which calls a person has to approve." });

export const effects = z
  .array(toolEffect)
  .min(1)
  .max(3)
  .describe("Only tools of these effects; absent: of all effects.");
