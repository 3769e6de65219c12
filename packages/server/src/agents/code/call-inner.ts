import type { ScriptCall } from "@jackfield/contract/script";
import { type EnvironmentContext, messageOf } from "#foundation";
import type { ToolFailure } from "#mcp";
import { findSessionTool, getCatalogue } from "../catalogue/tool-catalogue.ts";
import { OutOfDate } from "../serving/agent-serving.ts";
import { callSessionTool } from "../serving/call-tool.ts";
import { listAccounts } from "../sessions/accounts.ts";
import { stateOfSession } from "../sessions/session.ts";
import { findServedSession } from "../sessions/store.ts";
import { readTool } from "../sources/read-tool.ts";
import { getSessionCatalogue } from "../upstream/session-catalogue.ts";
import type { ScriptCaller } from "./script-caller.ts";
import type { Answered } from "./script-tape.ts";
import { findMember } from "./tool-members.ts";

interface Inner {
  readonly sessionId: string;
  readonly client: string | undefined;
  /** The call by which the script was begun. */
  readonly parentId: string;
  readonly asked: ScriptCall;
  readonly input: unknown;
  readonly caller: ScriptCaller;
}

const MOST_TRIES = 5;

/**
 * A call of a script, like one of the agent itself. Session, tools and accounts are read for each: what an earlier call
 * has read, and what somebody has taken away meanwhile, counts.
 */
export async function callInner(
  ctx: EnvironmentContext,
  inner: Inner,
  triesLeft = MOST_TRIES,
): Promise<Answered> {
  const { sessionId, client, parentId, asked, input, caller } = inner;
  const session = await findServedSession(ctx.db, ctx.environment.id, sessionId);
  if (session === undefined || stateOfSession(session, ctx.clock.now()) !== "open") {
    return { failure: sessionEnded };
  }
  const accounts = await listAccounts(ctx, session);
  const catalogue = await getSessionCatalogue(ctx, await getCatalogue(ctx), {
    ...{ session, readAccounts: async () => accounts },
  });
  const member = findMember(catalogue, asked);
  const name = member ?? `${asked.integration}.${asked.tool}`;
  let ended: Uint8Array | ToolFailure | undefined;
  try {
    await callSessionTool(ctx, {
      ...{ session, client, caller, name, input, parentId, isListed: false },
      account: asked.account,
      tool: member === undefined ? undefined : findSessionTool(catalogue, session, member),
      accounts,
      onEnd: (end) => {
        ended = end;
      },
    });
  } catch (error) {
    if (error instanceof OutOfDate && triesLeft > 1)
      return await callInner(ctx, inner, triesLeft - 1);
    ctx.log.warn("agents.script_call_failed", { reason: messageOf(error) });
  }
  if (ended === undefined) return { failure: internal };
  return ended instanceof Uint8Array ? { output: ended } : { failure: ended };
}

/** Whether its author says that calling it again does no more. */
export async function isIdempotent(ctx: EnvironmentContext, asked: ScriptCall): Promise<boolean> {
  const catalogue = await getCatalogue(ctx);
  const tool = catalogue.tools.get(findMember(catalogue, asked) ?? "");
  const action = tool && (await readTool(ctx, tool));
  return action !== undefined && (tool?.effect === "read" || action.hints.idempotent === true);
}

const sessionEnded: ToolFailure = {
  ...{ code: "session_ended", message: "The session has ended." },
  next: "Stop, and tell the user that the session has ended.",
};

const internal: ToolFailure = {
  ...{ code: "internal", message: "The server could not make the call; its log has the cause." },
  next: "Look whether the call has taken effect before you make it again.",
};
