import * as z from "zod";
import {
  integrationKey,
  nextCursor,
  pageQuery,
  timestamp,
  uuid,
  webAddress,
  wholeNumber,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import {
  agentBudget,
  apiSelection,
  effects,
  toolSelection,
  toolsetName,
  toolsetPolicy,
} from "./agent-fields.ts";
import { previewRequests, toolsetPreview } from "./toolset-preview.ts";

const mode = z
  .enum(["auto", "direct", "search", "code"])
  .describe(
    "How a client sees the tools: `direct` lists each, up to 300, `search` lists a few fixed ones that find and call the others, `code` lists these and one that runs scripts, `auto` is direct for at most 60 tools of at most 8,000 tokens together.",
  );

/** What a version of a toolset holds. */
const settings = {
  description: z.string().max(500).describe("For people; empty without one."),
  mode,
  pinned: z
    .array(
      z
        .string()
        .min(1)
        .max(64)
        .meta({ description: "Name of a tool.", examples: ["hubspot__find-contacts"] }),
    )
    .max(20)
    .optional()
    .describe(
      "Tools that are listed in each mode, by their names `<integration>__<action>`; one that the session has not is left out.",
    ),
  tools: z
    .array(toolSelection)
    .max(200)
    .meta({
      description:
        "Actions, and operations of OpenAPI documents, that it has; each integration at most once. Empty only with `api`.",
      examples: [[{ integration: "hubspot" }]],
    }),
  api: z
    .array(apiSelection)
    .min(1)
    .max(50)
    .optional()
    .describe(
      "Integrations whose API may be called by the tool `api__<integration>`, and which requests; each at most once. Left out: none.",
    ),
  effects: effects.optional(),
  policy: toolsetPolicy
    .optional()
    .describe(
      "Which calls a person has to approve. Default: the preset `careful`; a toolset that an earlier release made without a policy has none, and asks nobody, until it is given one.",
    ),
  budget: agentBudget.optional().describe("For each session; absent: no budget."),
  authorization: z
    .discriminatedUnion("mode", [
      z.strictObject({
        mode: z
          .literal("hosted")
          .describe("This server lets clients in, after the end user has agreed on a page."),
      }),
      z.strictObject({
        mode: z
          .literal("external")
          .describe(
            "Your own authorization server issues tokens with `mcp_url` as their audience.",
          ),
        issuer: webAddress.meta({
          description: "Issuer of the tokens, JWTs whose keys its metadata names.",
          examples: ["https://login.example.com"],
        }),
        end_user_claim: z
          .string()
          .min(1)
          .max(200)
          .default("sub")
          .describe("Claim that is the end user's id. Default: `sub`."),
      }),
    ])
    .optional()
    .describe(
      "How a client that knows `mcp_url` alone gets a token; absent: only tokens of sessions are taken.",
    ),
};

function namesOnce(given: readonly { readonly integration: string }[]): boolean {
  return new Set(given.map(({ integration }) => integration)).size === given.length;
}

/** What a new version is made of. */
const newSettings = {
  ...settings,
  description: settings.description.default(""),
  mode: mode.default("auto").describe(`${mode.description} Default: \`auto\`.`),
  tools: settings.tools.refine(namesOnce, "names an integration twice"),
  api: settings.api.refine(
    (api) => api === undefined || namesOnce(api),
    "names an integration twice",
  ),
};

function namesTool({ tools, api }: { tools: readonly unknown[]; api?: unknown }): boolean {
  return tools.length > 0 || api !== undefined;
}

const namesNoTool = { message: "must name a tool where there is no `api`", path: ["tools"] };

const newToolset = z
  .strictObject(newSettings)
  .refine(namesTool, namesNoTool)
  .meta({ id: "NewToolset", description: "Which tools an agent has." });

const previewBody = z
  .strictObject({ ...newSettings, requests: previewRequests })
  .refine(namesTool, namesNoTool)
  .meta({
    id: "NewToolsetPreview",
    description:
      "A toolset as it would be made, and requests of which to say whether it lets them.",
  });

const toolset = z
  .strictObject({
    id: uuid.describe("Id of the toolset, the same for all versions."),
    name: toolsetName,
    version: z.number().int().describe("Number of this version, from 1 on."),
    ...settings,
    mcp_url: z
      .string()
      .nullable()
      .describe("By which a client connects without a token; null without `authorization`."),
    session_mcp_url: z
      .string()
      .describe("Where a client connects with the token of a session of the toolset."),
    created_at: timestamp.describe("When this version was made."),
  })
  .meta({ id: "Toolset", description: "A version of a toolset." });

const params = z.strictObject({ name: toolsetName.describe("Name of the toolset.") });

const answer = z.strictObject({ data: toolset.describe("The toolset.") });

const declaration = z
  .strictObject({
    name: z.string().describe("Name of the tool, as agents call it."),
    integration: integrationKey.describe("Its integration."),
    effect: z.enum(["read", "write", "destructive"]).describe("What it does to data."),
    summary: z.string().describe("The beginning of its description; empty without one."),
    typescript: z
      .string()
      .describe(
        "Its call as the type of a method: `(input: { email: string }, options?: { account?: string }): Promise<{ id: string }>`. What is too deep or too long for it is `object` or `unknown`.",
      ),
  })
  .meta({ id: "ToolDeclaration", description: "A tool as TypeScript." });

/** Named configurations of tools for agents. */
export const toolsetRoutes = {
  listToolsets: defineRoute({
    method: "GET",
    path: "/agent/toolsets",
    summary: "List toolsets, oldest first, each in its newest version",
    principals: ["environment"],
    scope: "environment:agents:read",
    query: z.strictObject({
      search: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("Only toolsets whose name or description holds this, upper or lower case."),
      integration: integrationKey
        .optional()
        .describe("Only toolsets that name this integration in `tools` or `api`."),
      ...pageQuery("Toolsets", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(toolset).describe("The toolsets."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getToolset: defineRoute({
    method: "GET",
    path: "/agent/toolsets/{name}",
    summary: "A toolset in its newest version, or in an earlier one",
    principals: ["environment"],
    scope: "environment:agents:read",
    params,
    query: z.strictObject({
      version: wholeNumber({ min: 1, max: 1_000_000_000 })
        .optional()
        .describe("Which version. Default: the newest."),
    }),
    success: { status: 200, schema: answer },
    errors: ["not_found"],
    idempotent: false,
  }),
  listToolsetVersions: defineRoute({
    method: "GET",
    path: "/agent/toolsets/{name}/versions",
    summary: "List the versions of a toolset, newest first",
    principals: ["environment"],
    scope: "environment:agents:read",
    params,
    query: z.strictObject(pageQuery("Versions", { most: 100, usual: 50 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(toolset).describe("The versions, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["not_found", "invalid_cursor"],
    idempotent: false,
  }),
  listToolsetDeclarations: defineRoute({
    method: "GET",
    path: "/agent/toolsets/{name}/declarations",
    summary: "List the tools of a toolset as TypeScript, by name",
    principals: ["environment"],
    scope: "environment:agents:read",
    params,
    query: z.strictObject(pageQuery("Tools", { most: 100, usual: 50 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(declaration).describe("The tools, by name."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["not_found", "invalid_cursor"],
    idempotent: false,
  }),
  previewToolset: defineRoute({
    method: "POST",
    path: "/agent/toolsets/preview",
    summary:
      "Say which tools a toolset would have, what they cost in tokens, and what its policy does with their calls; nothing is stored",
    principals: ["environment"],
    scope: "environment:agents:read",
    body: previewBody,
    success: {
      status: 200,
      schema: z.strictObject({ data: toolsetPreview.describe("What it would have.") }),
    },
    errors: ["unknown_provider_config"],
    idempotent: false,
  }),
  putToolset: defineRoute({
    method: "PUT",
    path: "/agent/toolsets/{name}",
    summary:
      "Make a toolset, or a new version of it; sessions that run lose what the new version lacks, and gain nothing",
    principals: ["environment"],
    scope: "environment:agents:write",
    params: z.strictObject({
      name: toolsetName
        .refine((name) => name !== "manage", "is the address of the environment's own tools")
        .describe("Name of the toolset; not `manage`."),
    }),
    body: newToolset,
    success: { status: 200, schema: answer },
    errors: ["unknown_provider_config", "resource_capped", "destination_not_allowed"],
    idempotent: false,
  }),
  deleteToolset: defineRoute({
    method: "DELETE",
    path: "/agent/toolsets/{name}",
    summary: "Delete a toolset with its versions, and end its sessions",
    principals: ["environment"],
    scope: "environment:agents:write",
    params,
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
