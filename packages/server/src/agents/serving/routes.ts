import type { toolsetMcpRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { agentBucket } from "#gateway";
import { admitMessage, readAgent, refuseMethod, serveMessage } from "#mcp";
import {
  type AgentActor,
  sessionIfFresh,
  sessionIfRemembered,
} from "../sessions/authenticate-agent.ts";
import { failUnknownToken, type ServedSession, stateOfSession } from "../sessions/session.ts";
import { findServedSession } from "../sessions/store.ts";
import { noteRefusal, refuse } from "../sign-in/note-refusal.ts";
import { createAgentServer, listsOf } from "./agent-server.ts";
import { openServing } from "./agent-serving.ts";
import { ownerOf } from "./ask-to-open.ts";
import { readCalled, requireScope } from "./require-scope.ts";

type Handlers = RouteHandlers<typeof toolsetMcpRoutes>;

const callToolset: Handlers["callToolset"] = async (ctx, { params, body }, { request, reply }) => {
  const { actor } = ctx;
  if (actor.kind !== "agent") return failUnknownToken();
  const bucket = agentBucket(actor.sessionId);
  await admitMessage(ctx, { request, reply, body, bucket });
  const remembered = bearsMemory(body) ? sessionIfRemembered(actor) : undefined;
  const session = remembered ?? (await getOwnSession(ctx, actor));
  requireOwnToolset(ctx, session, params.toolset);
  const isRemembered = readCalled(body) !== undefined;
  const serving = await openServing(ctx, { session, client: readAgent(request), isRemembered });
  await requireScope(ctx, serving, body);
  const path = `/mcp/${session.toolset}`;
  const message = { request, reply, body, path, owner: ownerOf(session) };
  const asksAlways = async (name: string) => serving.catalogue.tools.get(name)?.asks === true;
  const lists = listsOf(ctx, async () => await findOpenSession(ctx, session.id));
  await serveMessage(ctx, { ...message, asksAlways, lists }, (parts) =>
    createAgentServer(ctx, serving, parts),
  );
};

/** A call is decided again where it was decided by what is no more; others are answered by what there is now. */
function bearsMemory(body: unknown): boolean {
  return readCalled(body) !== undefined || Object(body).method === "ping";
}

/** Undefined once it has ended, or its client may be let in no more. */
async function findOpenSession(
  ctx: EnvironmentContext,
  id: string,
): Promise<ServedSession | undefined> {
  const found = await findServedSession(ctx.db, ctx.environment.id, id);
  const isOpen = found !== undefined && stateOfSession(found, ctx.clock.now()) === "open";
  return isOpen && mayServe(found) ? found : undefined;
}

/** A toolset that lets no clients in any more has none. */
function mayServe({ clientId, settings: [, { authorization }] }: ServedSession): boolean {
  return clientId === undefined || authorization !== undefined;
}

/** A token is for one address: a client's own for the id of its toolset, a backend's for the name, too. */
function requireOwnToolset(
  ctx: EnvironmentContext,
  { toolset, toolsetId, clientId, id }: ServedSession,
  named: string,
): void {
  const isOwn = named === toolsetId || (clientId === undefined && named === toolset);
  if (isOwn) return;
  throw refuse(ctx, {
    ...{ code: "forbidden", meta: { session: id } },
    message: `The session is for another toolset than "${named}".`,
  });
}

/** The session whose token the caller has sent. */
async function getOwnSession(ctx: EnvironmentContext, agent: AgentActor): Promise<ServedSession> {
  const found =
    sessionIfFresh(agent) ?? (await findServedSession(ctx.db, ctx.environment.id, agent.sessionId));
  if (found === undefined) return failUnknownToken();
  if (mayServe(found)) return found;
  const message = "The toolset lets no clients in any more.";
  noteRefusal(ctx, { code: "unknown_agent_token", message, meta: { session: found.id } });
  return failUnknownToken();
}

const refuseToolsetEnd: Handlers["refuseToolsetEnd"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

const refuseToolsetStream: Handlers["refuseToolsetStream"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

export const toolsetMcpHandlers: Handlers = { callToolset, refuseToolsetEnd, refuseToolsetStream };
