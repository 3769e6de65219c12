import * as z from "zod";
import { connectionId, integrationKey } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** JSON-RPC 2.0, section 5.1. */
const rpcFailure = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  error: z.strictObject({
    code: z.number().int(),
    message: z.string(),
    data: z.unknown().optional(),
  }),
});

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
      "connection-id": connectionId,
      "provider-config-key": integrationKey,
    }),
    body: z.unknown(),
    success: { status: 200, schema: z.unknown() },
    failure: rpcFailure,
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
    ],
    idempotent: false,
    raw: true,
  }),
  refuseMcpStream: defineRoute({
    method: "GET",
    path: "/mcp",
    summary: "Answers 405: there are no sessions and no streams of the server's own",
    principals: ["environment"],
    scope: "environment:mcp",
    success: { status: 405, schema: z.unknown() },
    errors: [],
    idempotent: false,
    raw: true,
  }),
} as const;
