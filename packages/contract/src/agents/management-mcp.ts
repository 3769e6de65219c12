import * as z from "zod";
import { rpcFailure } from "../functions/mcp.ts";
import { defineRoute } from "../route.ts";

const spoken = {
  path: "/mcp/manage",
  principals: ["environment"],
  scope: "any-key",
  failure: rpcFailure,
  idempotent: false,
  jsonRpc: true,
  leavesCaches: true,
  raw: true,
  sessions: "refused",
} as const;

/** The environment itself as tools, for coding agents. Source: Model Context Protocol (Streamable HTTP). */
export const managementMcpRoutes = {
  callManagement: defineRoute({
    ...spoken,
    method: "POST",
    summary:
      "A message of the Model Context Protocol, from a coding agent with an API key: its tools are the routes that the key may call",
    body: z.unknown(),
    success: { status: 200, schema: z.unknown() },
    errors: [],
  }),
  refuseManagementEnd: defineRoute({
    ...spoken,
    method: "DELETE",
    summary: "Answers 405: the protocol has no sessions to end here",
    success: { status: 405, schema: rpcFailure },
    errors: [],
  }),
  refuseManagementStream: defineRoute({
    ...spoken,
    method: "GET",
    summary: "Answers 405: there are no streams of the server's own",
    success: { status: 405, schema: rpcFailure },
    errors: [],
  }),
} as const;
