import * as z from "zod";
import { connectionId, integrationKey } from "../fields.ts";
import { rpcFailure } from "../functions/mcp.ts";
import { defineRoute } from "../route.ts";

const spoken = {
  path: "/mcp/connections/{integration}/{connectionId}",
  principals: ["environment"],
  scope: "environment:mcp",
  params: z.strictObject({
    integration: integrationKey.describe("Integration whose provider entry names an MCP server."),
    connectionId: connectionId.describe("Connection whose credentials the server gets."),
  }),
  failure: rpcFailure,
  idempotent: false,
  jsonRpc: true,
  leavesCaches: true,
  raw: true,
  sessions: "refused",
} as const;

/** An MCP server with the stored credentials of a connection, and nothing else between. */
export const connectionMcpRoutes = {
  passToUpstream: defineRoute({
    ...spoken,
    method: "POST",
    summary:
      "A message of the Model Context Protocol for the MCP server of a connection, passed on with its credentials",
    body: z.unknown(),
    success: { status: 200, schema: z.unknown() },
    errors: ["unknown_provider_config", "unknown_connection", "not_found", "forbidden"],
  }),
  refuseUpstreamEnd: defineRoute({
    ...spoken,
    method: "DELETE",
    summary: "Answers 405: sessions of the server end by themselves",
    success: { status: 405, schema: rpcFailure },
    errors: [],
  }),
  refuseUpstreamStream: defineRoute({
    ...spoken,
    method: "GET",
    summary: "Answers 405: streams of the server's own are not passed on",
    success: { status: 405, schema: rpcFailure },
    errors: [],
  }),
} as const;
