import type { mcpRoutes } from "@jackfield/contract";
import { getCachedConnectionForCall } from "#connections";
import type { RouteHandlers } from "#foundation/http";
import { createToolServer, listsOf, ownerOf } from "./create-tool-server.ts";
import { requireBounds } from "./require-bounds.ts";
import { admitMessage, readAgent, refuseMethod, serveMessage } from "./serve-message.ts";
import { findTool } from "./tools.ts";

type Handlers = RouteHandlers<typeof mcpRoutes>;

const callMcp: Handlers["callMcp"] = async (ctx, { headers, body }, { request, reply }) => {
  await admitMessage(ctx, { request, reply, body, bucket: "key" });
  const integrationKey = headers["provider-config-key"];
  const connectionId = headers["connection-id"];
  const { integration, connection } = await getCachedConnectionForCall(ctx, {
    integrationKey,
    connectionId,
  });
  requireBounds(ctx, { integrationKey, connectionId, tags: connection.tags });
  const client = readAgent(request);
  const place = { integration, connection, client };
  const message = { request, reply, body, path: "/mcp", owner: ownerOf(connection) };
  const asksAlways = async (name: string) =>
    (await findTool(ctx, integration, name))?.hints.asks === true;
  const lists = listsOf(ctx, integration);
  await serveMessage(ctx, { ...message, asksAlways, lists }, (parts) =>
    createToolServer(ctx, place, parts),
  );
};

const refuseMcpStream: Handlers["refuseMcpStream"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

const refuseMcpEnd: Handlers["refuseMcpEnd"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

export const mcpHandlers: Handlers = { callMcp, refuseMcpStream, refuseMcpEnd };
