import type { toolsetMcpRoutes } from "@jackfield/contract";
import { admitMessage, readAgent, refuseMethod, serveMessage } from "#mcp";
import { AppError, type EnvironmentContext } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { getCatalogue } from "../catalogue/tool-catalogue.ts";
import { failUnknownToken, type ServedSession } from "../sessions/session.ts";
import { findServedSession } from "../sessions/store.ts";
import { createAgentServer } from "./agent-server.ts";

type Handlers = RouteHandlers<typeof toolsetMcpRoutes>;

const callToolset: Handlers["callToolset"] = async (ctx, { params, body }, { request, reply }) => {
  await admitMessage(ctx, { request, reply, body, bucket: "agent" });
  const session = await getOwnSession(ctx);
  if (session.toolset !== params.toolset) {
    throw new AppError("forbidden", `The session is for another toolset than "${params.toolset}".`);
  }
  const place = { session, catalogue: await getCatalogue(ctx), client: readAgent(request) };
  const path = `/mcp/${session.toolset}`;
  await serveMessage(ctx, { request, reply, body, path }, (onAway) =>
    createAgentServer(ctx, place, onAway),
  );
};

/** The session whose token the caller has sent. */
async function getOwnSession(ctx: EnvironmentContext): Promise<ServedSession> {
  const { actor } = ctx;
  if (actor.kind !== "agent") return failUnknownToken();
  const found = await findServedSession(ctx.db, ctx.environment.id, actor.sessionId);
  return found ?? failUnknownToken();
}

const refuseToolsetEnd: Handlers["refuseToolsetEnd"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

const refuseToolsetStream: Handlers["refuseToolsetStream"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

export const toolsetMcpHandlers: Handlers = { callToolset, refuseToolsetEnd, refuseToolsetStream };
