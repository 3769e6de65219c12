import * as z from "zod";
import { connectionId, integrationKey } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** JSON-RPC 2.0, section 5.1. */
export const rpcFailure = z
  .strictObject({
    jsonrpc: z.literal("2.0").describe("Version of JSON-RPC."),
    id: z
      .union([z.string(), z.number(), z.null()])
      .optional()
      .describe("Id of the request; null where it is not known."),
    error: z
      .strictObject({
        code: z.number().int().describe("Code of JSON-RPC, such as -32601 for an unknown method."),
        message: z.string().describe("What went wrong, in words."),
        data: z.unknown().optional().describe("Further facts, any JSON value; absent without any."),
      })
      .describe("What went wrong."),
  })
  .meta({ id: "JsonRpcError", description: "An error of JSON-RPC 2.0." });

/** Actions as tools of a language model. Source: Model Context Protocol (Streamable HTTP). */
export const mcpRoutes = {
  callMcp: defineRoute({
    method: "POST",
    path: "/mcp",
    summary:
      "A message of the Model Context Protocol: the integration's enabled actions are its tools",
    principals: ["environment"],
    scope: "environment:mcp",
    headers: z.looseObject({
      "connection-id": connectionId.describe("Connection that the tools run for."),
      "provider-config-key": integrationKey.describe(
        "Integration whose enabled actions are the tools.",
      ),
    }),
    body: z.unknown(),
    success: { status: 200, schema: z.unknown() },
    failure: rpcFailure,
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
    ],
    idempotent: false,
    jsonRpc: true,
    leavesCaches: true,
    raw: true,
    sessions: "refused",
  }),
  refuseMcpEnd: defineRoute({
    method: "DELETE",
    path: "/mcp",
    summary: "Answers 405: there are no sessions to end",
    principals: ["environment"],
    scope: "environment:mcp",
    success: { status: 405, schema: rpcFailure },
    errors: [],
    idempotent: false,
    jsonRpc: true,
    raw: true,
    sessions: "refused",
  }),
  refuseMcpStream: defineRoute({
    method: "GET",
    path: "/mcp",
    summary: "Answers 405: there are no sessions and no streams of the server's own",
    principals: ["environment"],
    scope: "environment:mcp",
    success: { status: 405, schema: rpcFailure },
    errors: [],
    idempotent: false,
    jsonRpc: true,
    raw: true,
    sessions: "refused",
  }),
} as const;
