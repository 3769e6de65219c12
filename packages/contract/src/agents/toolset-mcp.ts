import * as z from "zod";
import { rpcFailure } from "../functions/mcp.ts";
import { defineRoute } from "../route.ts";
import { toolsetName } from "./agent-fields.ts";

const params = z.strictObject({ toolset: toolsetName.describe("Toolset of the session.") });

const spoken = {
  path: "/mcp/{toolset}",
  principals: ["agent"],
  scope: "session",
  params,
  failure: rpcFailure,
  idempotent: false,
  jsonRpc: true,
  leavesCaches: true,
  raw: true,
  sessions: "refused",
} as const;

/** The tools of a session of an agent. Source: Model Context Protocol (Streamable HTTP). */
export const toolsetMcpRoutes = {
  callToolset: defineRoute({
    ...spoken,
    method: "POST",
    summary: "A message of the Model Context Protocol, from an agent with the token of its session",
    body: z.unknown(),
    success: { status: 200, schema: z.unknown() },
    errors: ["forbidden"],
  }),
  refuseToolsetEnd: defineRoute({
    ...spoken,
    method: "DELETE",
    summary: "Answers 405: the protocol has no sessions to end here",
    success: { status: 405, schema: rpcFailure },
    errors: [],
  }),
  refuseToolsetStream: defineRoute({
    ...spoken,
    method: "GET",
    summary: "Answers 405: there are no streams of the server's own",
    success: { status: 405, schema: rpcFailure },
    errors: [],
  }),
} as const;
