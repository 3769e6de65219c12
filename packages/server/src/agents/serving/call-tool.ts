import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { triggerAction } from "#actions";
import { type ActionTool, toActionInput } from "#functions";
import { explainFailure, holdsOutputs, presentResult, type ToolFailure, toolFailure } from "#mcp";
import { AppError, addMs, type EnvironmentContext, MINUTE, messageOf } from "#platform";
import { endCall, type NewCall, noteRefusal, type Taken, takeCall } from "../calls/store.ts";
import { type CatalogueTool, readTool } from "../catalogue/tool-catalogue.ts";
import type { Account } from "../sessions/accounts.ts";
import { type ServedSession, stateOfSession } from "../sessions/session.ts";
import { findSession } from "../sessions/store.ts";
import { offerConnection } from "../sign-in/offer-connection.ts";
import { builtInNames } from "./built-in-tools.ts";
import { chooseAccount } from "./choose-account.ts";
import { digestOf } from "./digest.ts";

/** A call as an agent asks for it. */
export interface AskedCall {
  readonly session: ServedSession;
  readonly client: string | undefined;
  /** As the agent named it. */
  readonly name: string;
  /** Undefined for one that the session has not. */
  readonly tool: CatalogueTool | undefined;
  readonly accounts: readonly Account[];
  /** As the agent named it; undefined where it named none. */
  readonly account: unknown;
  /** Arguments, without the account. */
  readonly input: unknown;
  /** Only tools that read are called. */
  readonly readsOnly?: boolean;
  /** The client knows the tool's schema, and with it that of the output. */
  readonly isListed: boolean;
}

/** Alike answered so often, the third answer says so; the sixth call is not made. */
const NOTED_REPEATS = 2;
const MOST_REPEATS = 5;
/** Of an unknown tool, as its row has it. */
const LONGEST_NAME = 100;
const REPEATS_WITHIN_MS = 10 * MINUTE;

/** Calls a tool for one of the end user's accounts, within the session's budget; what fails is an answer, too. */
export async function callSessionTool(
  ctx: EnvironmentContext,
  asked: AskedCall,
): Promise<CallToolResult> {
  const { session, tool, client } = asked;
  const call: NewCall = {
    ...{ id: randomUUID(), at: ctx.clock.now(), sessionId: session.id, client },
    ...{
      tool: asked.name.slice(0, LONGEST_NAME),
      integration: tool?.integration,
      effect: tool?.effect,
    },
    ...{ connectionId: undefined, inputDigest: undefined },
  };
  const action = tool && (await readTool(ctx, tool));
  if (tool === undefined || action === undefined)
    return await refuse(ctx, call, unknownTool(asked));
  if (asked.readsOnly === true && tool.effect !== "read") {
    return await refuse(ctx, call, {
      ...{ code: "wrong_executor", message: `The effect of "${tool.name}" is ${tool.effect}.` },
      next: `Call it by ${builtInNames.write}.`,
    });
  }
  const chosen = chooseAccount(asked.accounts, {
    integration: tool.integration,
    account: asked.account,
  });
  if ("refusal" in chosen) {
    const where = { integration: tool.integration, connectionId: undefined };
    return await refuse(ctx, call, await withAddress(ctx, session, chosen.refusal, where));
  }
  const { connectionId } = chosen.account.connection;
  const input = toActionInput(action, asked.input);
  const begun = {
    ...{ ...call, connectionId },
    inputDigest: digestOf([tool.name, connectionId, input ?? null]),
  };
  const taken = await takeCall(ctx.db, ctx.environment.id, {
    ...begun,
    ...{ mostRepeats: MOST_REPEATS, since: addMs(call.at, -REPEATS_WITHIN_MS) },
  });
  if (taken === undefined) return await refuse(ctx, begun, await explainRefusal(ctx, asked));
  return await run(ctx, { asked, tool, action, input, begun, taken, account: chosen.account });
}

interface Begun {
  readonly asked: AskedCall;
  readonly tool: CatalogueTool;
  readonly action: ActionTool;
  readonly input: unknown;
  readonly begun: NewCall;
  readonly taken: Taken;
  readonly account: Account;
}

async function run(
  ctx: EnvironmentContext,
  { asked, tool, action, input, begun, taken, account }: Begun,
): Promise<CallToolResult> {
  const { session, client } = asked;
  const startedAt = performance.now();
  const end = async (ended: {
    outcome: "success" | "failed";
    code?: string;
    outputDigest?: Buffer;
  }) =>
    await endCall(ctx.db, ctx.environment.id, {
      ...{ id: begun.id, at: begun.at, ...ended },
      durationMs: Math.round(performance.now() - startedAt),
    });
  const { connection } = account;
  const mcp = {
    ...(client === undefined ? {} : { client }),
    ...{ session: session.id, toolset: session.toolset, end_user_id: session.endUserId },
  };
  try {
    const output = await triggerAction(ctx, {
      ...{ integrationKey: tool.integration, connectionId: connection.connectionId },
      ...{ actionName: tool.action, input, meta: { mcp } },
    });
    const outputDigest = digestOf(Buffer.from(output).toString());
    const isStructured =
      asked.isListed && action.outputSchema !== undefined && (await holdsOutputs(ctx));
    const [result] = await Promise.all([
      presentResult(ctx, output, {
        owner: { connection, sessionId: session.id },
        ...{ isStructured, readerName: builtInNames.result },
      }),
      noteEnd(ctx, async () => await end({ outcome: "success", outputDigest })),
    ]);
    const isRepeated =
      taken.repeats >= NOTED_REPEATS && taken.repeatedOutput?.equals(outputDigest) === true;
    return withFacts(isRepeated ? withNote(result, taken.repeats) : result, { account, taken });
  } catch (error) {
    const failure =
      error instanceof AppError && error.code !== "server_error"
        ? explainFailure(error, tool.integration)
        : undefined;
    await noteEnd(
      ctx,
      async () => await end({ outcome: "failed", code: failure?.code ?? "internal" }),
    );
    if (failure === undefined) throw error;
    const { connectionId } = connection;
    const shown = await withAddress(ctx, session, failure, {
      ...{ integration: tool.integration, connectionId },
    });
    return withFacts(toolFailure(shown), { account, taken });
  }
}

/** Where an account is missing, the address at which the end user connects it. */
async function withAddress(
  ctx: EnvironmentContext,
  session: ServedSession,
  failure: ToolFailure,
  where: { integration: string; connectionId: string | undefined },
): Promise<ToolFailure> {
  if (failure.code !== "authorization_required") return failure;
  const url = await offerConnection(ctx, session, where);
  if (url === undefined) return failure;
  return {
    ...{ ...failure, connect_url: url },
    next: "Give the user connect_url to open in their browser, and call again when they have finished.",
  };
}

/** What the call did, or why it failed, is the answer also where its row cannot say so. */
async function noteEnd(ctx: EnvironmentContext, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (error) {
    ctx.log.warn("agents.call_not_noted", { reason: messageOf(error) });
  }
}

async function refuse(
  ctx: EnvironmentContext,
  call: NewCall,
  failure: ToolFailure,
): Promise<CallToolResult> {
  await noteRefusal(ctx.db, ctx.environment.id, { ...call, code: failure.code });
  return toolFailure(failure);
}

function unknownTool({ name }: AskedCall): ToolFailure {
  return {
    ...{ code: "unknown_tool", message: `There is no tool "${name}" here.` },
    next: "Choose one of the tools that are listed or found.",
  };
}

/** Why a call may not begin: its session as it is now says that. */
async function explainRefusal(
  ctx: EnvironmentContext,
  { session: { id }, tool }: AskedCall,
): Promise<ToolFailure> {
  const session = await findSession(ctx.db, ctx.environment.id, id);
  if (session === undefined || stateOfSession(session, ctx.clock.now()) !== "open") {
    return {
      ...{ code: "session_ended", message: "The session has ended." },
      next: "Stop, and tell the user that the session has ended.",
    };
  }
  const { budget, used } = session;
  const isOver = (which: "calls" | "writes") => used[which] >= (budget[which] ?? Infinity);
  const which = isOver("calls")
    ? "calls"
    : tool?.effect !== "read" && isOver("writes")
      ? "writes"
      : undefined;
  if (which !== undefined) {
    return {
      ...{
        code: "budget_exhausted",
        message: `The session may make ${budget[which]} ${which} and has made them.`,
      },
      next: "Stop, and tell the user what is done and what is not.",
    };
  }
  return {
    ...{
      code: "repeated_call",
      message: `The same call was answered alike ${MOST_REPEATS} times.`,
    },
    next: "Use the answer that you have, or do something else.",
  };
}

function withNote(result: CallToolResult, repeats: number): CallToolResult {
  const text = `You have this answer already: the same call was answered alike ${repeats} times before.`;
  return { ...result, content: [...result.content, { type: "text", text }] };
}

function withFacts(
  result: CallToolResult,
  { account, taken }: { account: Account; taken: Taken },
): CallToolResult {
  const { calls, writes, maxCalls, maxWrites } = taken;
  const left = {
    ...(maxCalls === null ? {} : { calls: maxCalls - calls }),
    ...(maxWrites === null ? {} : { writes: maxWrites - writes }),
  };
  return {
    ...result,
    _meta: {
      "dev.jackfield/account": { alias: account.alias, identity: account.identity ?? null },
      ...(Object.keys(left).length === 0 ? {} : { "dev.jackfield/budget": left }),
    },
  };
}
