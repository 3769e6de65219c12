import type { mcpRoutes } from "@jackfield/contract";
import { getCachedConnectionForCall } from "#connections";
import type { RouteHandlers } from "#platform/http";
import { createToolServer } from "./create-tool-server.ts";
import { admitMessage, readAgent, refuseMethod, serveMessage } from "./serve-message.ts";

type Handlers = RouteHandlers<typeof mcpRoutes>;

const callMcp: Handlers["callMcp"] = async (ctx, { headers, body }, { request, reply }) => {
  await admitMessage(ctx, { request, reply, body, bucket: "key" });
  const integrationKey = headers["provider-config-key"];
  const connectionId = headers["connection-id"];
  const { integration, connection } = await getCachedConnectionForCall(ctx, {
    integrationKey,
    connectionId,
  });
  const client = readAgent(request);
  const place = { integration, connection, client };
  await serveMessage(ctx, { request, reply, body, path: "/mcp" }, (onAway) =>
    createToolServer(ctx, place, onAway),
  );
};

const refuseMcpStream: Handlers["refuseMcpStream"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

const refuseMcpEnd: Handlers["refuseMcpEnd"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

export const mcpHandlers: Handlers = { callMcp, refuseMcpStream, refuseMcpEnd };
