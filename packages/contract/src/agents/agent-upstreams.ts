import * as z from "zod";
import { connectionId, integrationKey, nextCursor, pageQuery, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { toolEffect } from "./agent-fields.ts";

const params = z.strictObject({
  integration: integrationKey.describe("Integration whose provider entry names an MCP server."),
});

const upstreamToolName = z
  .string()
  .regex(/^[A-Za-z0-9_./-]{1,128}$/, "is no name of a tool")
  .describe("Name of the tool at its server.");

const digest = z
  .string()
  .regex(/^([0-9a-f]{64}|built-in)$/, "must be a digest as `GET` shows it")
  .describe(
    "SHA-256 of all that the server says of the tool: name, title, description, schemas and annotations. `built-in` for the tool that reads resources, which is this server's own.",
  );

const hints = z
  .strictObject({
    readOnlyHint: z.boolean().optional().describe("It changes nothing, as the server says."),
    destructiveHint: z.boolean().optional().describe("It may delete, as the server says."),
    idempotentHint: z.boolean().optional().describe("Twice is as once, as the server says."),
    openWorldHint: z.boolean().optional().describe("It reaches others, as the server says."),
  })
  .meta({
    id: "UpstreamToolHints",
    description:
      "What the server claims of its tool. Anybody may claim anything: it can only make the effect stricter.",
  });

const schema = z.record(z.string(), z.unknown());

const definition = z
  .strictObject({
    digest,
    title: z.string().optional().describe("Its name for people; left out without one."),
    description: z
      .string()
      .describe("The server's text, without control and invisible characters, cut to 1,000."),
    input_schema: schema.describe("JSON Schema of the arguments."),
    output_schema: schema.optional().describe("JSON Schema of the result; left out without one."),
    annotations: hints,
    first_seen_at: timestamp.describe("When the server first listed it so."),
  })
  .meta({
    id: "UpstreamToolVersion",
    description: "What another MCP server says of a tool: text of a stranger, to be read as data.",
  });

const tool = z
  .strictObject({
    name: upstreamToolName,
    server_url: z.string().describe("Address of its server."),
    state: z
      .enum(["new", "allowed", "changed", "refused", "gone"])
      .describe(
        "`new`: nobody has decided; `allowed`: agents may call it; `changed`: its server lists another version than the allowed one, and agents do not see it; `refused`: somebody has refused it; `gone`: it was allowed, and its server no longer lists it.",
      ),
    effect: toolEffect.describe(
      "The effect that counts: the one that you have set, otherwise `write`; never weaker than what its server declares.",
    ),
    sends: z
      .boolean()
      .describe("Whether what it is given counts as sent outside, once a session is tainted."),
    definition: definition.describe("The allowed version, else the newest."),
    changed: z
      .strictObject({
        definition: definition.describe("As the server lists it now."),
        changes: z
          .array(
            z.strictObject({
              path: z.string().describe("JSON pointer to the place."),
              before: z.string().nullable().describe("JSON text; null where it was not there."),
              after: z.string().nullable().describe("JSON text; null where it is gone."),
            }),
          )
          .describe("Where it is other than the allowed version, at most 100 places."),
      })
      .nullable()
      .describe("What has changed; null unless the state is `changed`."),
    decided_at: timestamp.nullable().describe("When somebody decided; null until then."),
  })
  .meta({ id: "UpstreamTool", description: "A tool of another MCP server." });

const allowance = z
  .union([z.enum(["all", "read_only", "none"]), z.array(upstreamToolName).min(1).max(500)])
  .meta({
    id: "UpstreamAllowance",
    description:
      "Which tools of the first list of a server are allowed: `all`, `read_only` (those of which the server says that they change nothing), `none`, or these. Tools and versions that come later wait for a decision in any case.",
    examples: ["read_only"],
  });

const summary = z
  .strictObject({
    integration: integrationKey.describe("Key of the integration."),
    allow: allowance.describe("What of a first list is allowed."),
    server: z
      .strictObject({
        name: z.string().nullable().describe("As it calls itself; null where it does not."),
        version: z
          .string()
          .nullable()
          .describe("Its version; null if the server does not state one."),
        protocol: z
          .enum(["modern", "legacy"])
          .describe("`modern`: revision 2026-07-28; `legacy`: an earlier one."),
        url: z.string().describe("Its address."),
        is_public: z
          .boolean()
          .describe("Whether it lists the same for everybody, so that connections share the list."),
      })
      .nullable()
      .describe("The server whose list was read last; null until one was."),
    refreshed_at: timestamp.nullable().describe("When that was; null until then."),
    expires_at: timestamp
      .nullable()
      .describe("From when on the list is read again at its next use."),
    failure: z.string().nullable().describe("Why the last reading failed; null where it did not."),
    tools: z
      .strictObject({
        new: z.number().int().describe("Tools that wait for a first decision."),
        allowed: z.number().int().describe("Tools that agents may call."),
        changed: z.number().int().describe("Tools that their server has changed."),
        refused: z.number().int().describe("Tools that were refused."),
        gone: z.number().int().describe("Tools that their server no longer lists."),
      })
      .describe("How many tools are in which state."),
  })
  .meta({ id: "Upstream", description: "An MCP server whose tools an integration has." });

const whole = summary
  .extend({ list: z.array(tool).describe("A page of its tools, by name.") })
  .meta({ id: "UpstreamWithTools", description: "The server with a page of its tools." });

const shared = {
  principals: ["environment"],
  errors: ["unknown_provider_config", "not_found"],
  idempotent: false,
} as const;

const success = {
  status: 200,
  schema: z.strictObject({
    data: whole.describe("The server, as it is now."),
    next_cursor: nextCursor,
  }),
} as const;

/** MCP servers of others, whose tools integrations have. */
export const agentUpstreamRoutes = {
  listUpstreams: defineRoute({
    method: "GET",
    path: "/agent/upstreams",
    summary: "List integrations whose tools come from MCP servers of others, oldest first",
    principals: ["environment"],
    scope: "environment:agents:read",
    query: z.strictObject({
      integration: integrationKey
        .optional()
        .describe("Only the server of this integration; none where it has none."),
      ...pageQuery("Servers", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(summary).describe("The servers, those of the oldest integrations first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getUpstream: defineRoute({
    ...shared,
    method: "GET",
    path: "/agent/upstreams/{integration}",
    summary:
      "Get the tools of an integration's MCP server, which are allowed, and what has changed",
    scope: "environment:agents:read",
    params,
    query: z.strictObject({
      search: z.string().min(1).max(128).optional().describe("Only tools with this in their name."),
      ...pageQuery("Tools", { most: 500, usual: 100 }),
    }),
    success,
    errors: ["unknown_provider_config", "not_found", "invalid_cursor"],
  }),
  refreshUpstream: defineRoute({
    ...shared,
    method: "POST",
    path: "/agent/upstreams/{integration}/refresh",
    summary: "Read the list of tools of an integration's MCP server now",
    scope: "environment:agents:write",
    params,
    body: z
      .strictObject({
        connection_id: connectionId
          .optional()
          .describe("With whose credentials; left out: those of any connection."),
      })
      .meta({ id: "UpstreamRefresh" }),
    success,
    errors: ["unknown_provider_config", "not_found", "unknown_connection"],
  }),
  allowUpstream: defineRoute({
    ...shared,
    method: "PUT",
    path: "/agent/upstreams/{integration}/allow",
    summary: "Say which tools of an MCP server's first list agents may call",
    scope: "environment:agents:write",
    params,
    body: z
      .strictObject({
        allow: allowance.describe("Which tools; those that are new are allowed now."),
      })
      .meta({ id: "NewUpstreamAllowance" }),
    success,
  }),
  decideUpstreamTool: defineRoute({
    ...shared,
    method: "POST",
    path: "/agent/upstreams/{integration}/tools/{name}",
    summary: "Accept or refuse a version of a tool of an MCP server",
    scope: "environment:agents:write",
    params: params.extend({ name: upstreamToolName }),
    body: z
      .strictObject({
        decision: z.enum(["accept", "refuse"]).describe("What you decide."),
        digest,
        server_url: z
          .string()
          .max(2048)
          .optional()
          .describe("The server, if connections of the integration have several."),
        effect: toolEffect
          .optional()
          .describe("What the tool does, as you know it. Default: a write."),
        sends: z
          .boolean()
          .optional()
          .describe(
            "Whether a tool that reads may send what it is given to others, such as one that opens addresses. Default: false.",
          ),
      })
      .meta({ id: "UpstreamToolDecision" }),
    success,
    errors: ["unknown_provider_config", "not_found", "conflict"],
  }),
} as const;
