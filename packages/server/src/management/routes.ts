import type { managementMcpRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { admitMessage, refuseMethod, serveMessage } from "#mcp";
import { createManagementServer, listsOf } from "./create-management-server.ts";

type Handlers = RouteHandlers<typeof managementMcpRoutes>;

const callManagement: Handlers["callManagement"] = async (ctx, { body }, { request, reply }) => {
  await admitMessage(ctx, { request, reply, body, bucket: "key" });
  const path = "/mcp/manage";
  const owner = ctx.actor.kind === "key" ? `key ${ctx.actor.keyId}` : "";
  const message = { request, reply, body, path, owner };
  const asksAlways = async () => false;
  await serveMessage(ctx, { ...message, asksAlways, lists: listsOf(ctx) }, (parts) =>
    createManagementServer(ctx, request, parts),
  );
};

const refuseManagementEnd: Handlers["refuseManagementEnd"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

const refuseManagementStream: Handlers["refuseManagementStream"] = async (
  _ctx,
  _input,
  { reply },
) => {
  await refuseMethod(reply);
};

export const managementHandlers: Handlers = {
  callManagement,
  refuseManagementEnd,
  refuseManagementStream,
};
