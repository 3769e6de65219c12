import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { countUse } from "#connections";
import { AppError, addMs, type EnvironmentContext, MINUTE, messageOf } from "#foundation";
import { estimateTokens, toActionInput } from "#functions";
import { announceChange } from "#logs";
import {
  digestOf,
  explainFailure,
  hasKept,
  holdsOutputs,
  presentResult,
  type ToolFailure,
  toolFailure,
} from "#mcp";
import type { RunCaller } from "#slice";
import type { HeldCall } from "../approvals/held-call.ts";
import {
  type Admitted,
  askForApproval,
  holdCall,
  staleFailure,
  usedFailure,
} from "../approvals/hold-call.ts";
import { giveBackOfDay, hasDayBudget } from "../calls/days/store.ts";
import { withFacts, withNote } from "../calls/result-facts.ts";
import {
  type CallEnd,
  countResult,
  endCall,
  giveBackCall,
  type NewCall,
  noteRefusal,
  type Taken,
} from "../calls/store.ts";
import { takeWithinBudget } from "../calls/take-within-budget.ts";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { mayCallAs, withEffect } from "../catalogue/tool-catalogue.ts";
import type { NewSeen } from "../provenance/store.ts";
import type { Account } from "../sessions/accounts.ts";
import type { ServedSession } from "../sessions/session.ts";
import { offerConnection } from "../sign-in/offer-connection.ts";
import { readTool } from "../sources/read-tool.ts";
import { RefusedCall } from "../sources/refused-call.ts";
import type { ReadTool } from "../sources/tool-source.ts";
import { requireNow, requireUnchanged } from "./agent-serving.ts";
import { ownerOf } from "./ask-to-open.ts";
import { builtInNames } from "./built-in-tools.ts";
import { chooseAccount } from "./choose-account.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { hideInFailure, hideInOutput } from "./hide-in-answer.ts";
import { presentToScript, seenBy } from "./seen-by.ts";

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
  /** The call of the script that makes it: its output is for the script, and not for a model. */
  readonly parentId?: string;
  /** The client knows the tool's schema, and with it that of the output. */
  readonly isListed: boolean;
  /** Session and accounts are of the last second: nothing is refused by them. */
  readonly isRemembered?: boolean;
  /** Hears of the run and is asked; nobody is while a resource is read. */
  readonly caller?: RunCaller;
  /** Takes the output, or the failure, as it is; the result is then of no use. */
  readonly onEnd?: (ended: Uint8Array | ToolFailure) => void;
}

/** Alike answered so often, the third answer says so; the sixth call is not made. */
const NOTED_REPEATS = 2;
const MOST_REPEATS = 5;
/** Of an unknown tool, as its row has it. */
const LONGEST_NAME = 100;
const REPEATS_WITHIN_MS = 10 * MINUTE;

/**
 * Calls a tool for one of the end user's accounts, within the session's budget; what fails is an answer, too. Throws
 * OutOfDate, before anything has happened.
 */
export async function callSessionTool(
  ctx: EnvironmentContext,
  asked: AskedCall,
): Promise<CallToolResult> {
  const { session, client } = asked;
  const action = asked.tool && (await readTool(ctx, asked.tool));
  const tool = asked.tool && asCalled(asked.tool, action, asked.input);
  const call: NewCall = {
    ...{ id: randomUUID(), at: ctx.clock.now(), sessionId: session.id, client },
    ...{
      tool: asked.name.slice(0, LONGEST_NAME),
      integration: tool?.integration,
      effect: tool?.effect,
    },
    ...{ connectionId: undefined, inputDigest: undefined, parentId: asked.parentId },
    ...(tool === undefined ? {} : { isUntrusted: tool.isUntrusted }),
  };
  if (tool === undefined || action === undefined) {
    requireNow(asked);
    return await refuse(ctx, asked, { call, failure: unknownTool(asked) });
  }
  if (!mayCallAs(session, tool)) {
    requireNow(asked);
    return await refuse(ctx, asked, { call, failure: effectDenied(tool) });
  }
  if (asked.readsOnly === true && tool.effect !== "read") {
    const failure: ToolFailure = {
      ...{ code: "wrong_executor", message: `The effect of "${tool.name}" is ${tool.effect}.` },
      next: `Call it by ${builtInNames.write}.`,
    };
    return await refuse(ctx, asked, { call, failure });
  }
  const chosen = chooseAccount(asked.accounts, {
    integration: tool.integration,
    account: asked.account,
  });
  if ("refusal" in chosen) {
    requireNow(asked);
    const where = { integration: tool.integration, connectionId: undefined };
    const failure = await withAddress(ctx, session, chosen.refusal, where);
    return await refuse(ctx, asked, { call, failure });
  }
  const { connectionId } = chosen.account.connection;
  const input = toActionInput(action, asked.input);
  const begun = {
    ...{ ...call, connectionId },
    inputDigest: digestOf([tool.name, connectionId, input ?? null]),
  };
  const version = action.digestFor?.(chosen.account.connection) ?? action.digest;
  const waiting: HeldCall = {
    ...{ sessionId: session.id, tool: tool.name, connectionId, input },
    ...{ ruled: tool, rules: session, caller: asked.caller },
    ...{ endUserId: session.endUserId, toolset: session.toolset, account: chosen.account.alias },
    isResumed: await hasKept(ctx, ownerOf(session), asked.caller?.keptId),
    callDigest: digestOf([tool.name, version, connectionId, input ?? null]),
  };
  const held = await holdCall(ctx, waiting);
  if (held.kind === "refused") {
    return await refuse(ctx, asked, { call: begun, failure: held.failure });
  }
  const taken = await takeWithinBudget(ctx, session, {
    ...begun,
    ...{ mostRepeats: MOST_REPEATS, since: addMs(call.at, -REPEATS_WITHIN_MS) },
    ...{ decidedBy: session, connectionUuid: chosen.account.connection.uuid },
  });
  if (taken === undefined) {
    requireNow(asked);
    await requireUnchanged(ctx, session, chosen.account);
    const failure = await explainRefusal(ctx, asked, { mostRepeats: MOST_REPEATS });
    return await refuse(ctx, asked, { call: begun, failure });
  }
  const calling = { asked, tool, action, input, begun, taken, account: chosen.account, waiting };
  countUse(ctx, chosen.account.connection.uuid, "call");
  const admitted = await held.begin();
  if (admitted === undefined) return await endUsed(ctx, calling);
  return await run(ctx, { ...calling, admitted });
}

interface Begun {
  readonly asked: AskedCall;
  readonly tool: CatalogueTool;
  readonly action: ReadTool;
  readonly input: unknown;
  readonly begun: NewCall;
  readonly taken: Taken;
  readonly account: Account;
  readonly waiting: HeldCall;
}

type Ended = Pick<CallEnd, "outcome" | "code" | "outputDigest" | "seen">;

function endingOf(ctx: EnvironmentContext, { id, at }: NewCall) {
  const startedAt = performance.now();
  return async (ended: Ended) => {
    const durationMs = Math.round(performance.now() - startedAt);
    await endCall(ctx.db, ctx.environment.id, { id, at, ...ended, durationMs });
    announceChange(ctx, ctx.environment.id, "agents");
  };
}

/** Undefined where the call has run as far as it may, or did what its caller was promised. */
async function endHeld(
  ctx: EnvironmentContext,
  { asked, tool, begun, waiting, admitted }: Begun & { admitted: Admitted },
  end: End,
): Promise<CallToolResult | undefined> {
  const { session } = asked;
  if (asked.caller?.isAsking === true) {
    // What another server has done before it asked is not known.
    if (tool.versions !== undefined) await end({ outcome: "failed", code: "input_required" });
    else await endUndone(ctx, { session, begun, end }, "input_required");
    return toolFailure({
      ...{ code: "input_required", message: "The tool asks its user." },
      next: "Answer the question.",
    });
  }
  if (admitted.kind === "preview" && admitted.caller.first !== undefined) {
    const failure = await askForApproval(ctx, waiting, admitted.caller.first);
    await endUndone(ctx, { session, begun, end }, failure.code);
    asked.onEnd?.(failure);
    return toolFailure(failure);
  }
  if (admitted.kind === "approved" && admitted.caller.isStale) {
    await endUndone(ctx, { session, begun, end }, staleFailure.code);
    asked.onEnd?.(staleFailure);
    return toolFailure(staleFailure);
  }
  return undefined;
}

async function endUsed(
  ctx: EnvironmentContext,
  { asked: { session, onEnd }, begun }: Begun,
): Promise<CallToolResult> {
  await endUndone(ctx, { session, begun, end: endingOf(ctx, begun) }, usedFailure.code);
  onEnd?.(usedFailure);
  return toolFailure(usedFailure);
}

async function run(
  ctx: EnvironmentContext,
  begunCall: Begun & { readonly admitted: Admitted },
): Promise<CallToolResult> {
  const { asked, tool, action, input, begun, taken, account, admitted } = begunCall;
  const { session, client } = asked;
  const end = endingOf(ctx, begun);
  const { connection } = account;
  const mcp = {
    ...(client === undefined ? {} : { client }),
    ...{ session: session.id, toolset: session.toolset, end_user_id: session.endUserId },
  };
  try {
    const answered = await action.run(ctx, {
      ...{ integrationKey: tool.integration, connectionId: connection.connectionId },
      ...{ input, meta: { mcp }, caller: admitted.caller },
      ...{ connection, sessionId: session.id },
    });
    const undone = await endHeld(ctx, begunCall, end);
    if (undone !== undefined) return undone;
    const output = await hideInOutput(ctx, account, answered);
    const outputDigest = digestOf(Buffer.from(output).toString());
    const isStructured =
      asked.isListed && action.outputSchema !== undefined && (await holdsOutputs(ctx));
    asked.onEnd?.(output);
    const presented =
      asked.parentId === undefined
        ? await presentResult(ctx, output, {
            owner: { connection, sessionId: session.id },
            ...{ isStructured, readerName: builtInNames.result },
            isContent: action.hints.output === "content",
          })
        : presentToScript(output);
    await noteEnd(ctx, async () => {
      const seen = await seenOf(ctx, begunCall, presented);
      await end({ outcome: "success", outputDigest, seen });
    });
    const result =
      asked.parentId === undefined ? await countTokens(ctx, session, presented) : presented;
    const isRepeated =
      taken.repeats >= NOTED_REPEATS && taken.repeatedOutput?.equals(outputDigest) === true;
    return withFacts(isRepeated ? withNote(result, taken.repeats) : result, { account, taken });
  } catch (error) {
    const undone = await endHeld(ctx, begunCall, end);
    if (undone !== undefined) return undone;
    const failure = explain(error, tool);
    const hidden = failure && (await hideInFailure(ctx, account, failure));
    await noteEnd(ctx, async () => {
      const seen = hidden && (await seenOf(ctx, begunCall, toolFailure(hidden)));
      await end({ outcome: "failed", code: failure?.code ?? "internal", seen });
    });
    if (hidden === undefined) throw error;
    const { connectionId } = connection;
    const shown = await withAddress(ctx, session, hidden, {
      ...{ integration: tool.integration, connectionId },
    });
    asked.onEnd?.(shown);
    return withFacts(toolFailure(shown), { account, taken });
  }
}

/** Undefined for what nobody but the operator is to read of. */
function explain(error: unknown, { integration }: CatalogueTool): ToolFailure | undefined {
  if (error instanceof RefusedCall) return error.failure;
  const isKnown = error instanceof AppError && error.code !== "server_error";
  return isKnown ? explainFailure(error, integration) : undefined;
}

/** What others may have written is found again in later arguments. */
async function seenOf(
  ctx: EnvironmentContext,
  { asked: { session }, tool, taken: { calls } }: Pick<Begun, "asked" | "tool" | "taken">,
  result: CallToolResult,
): Promise<NewSeen | undefined> {
  if (!tool.isUntrusted) return undefined;
  return await seenBy(ctx, session, { tool: tool.name, result, calls });
}

type End = (ended: { outcome: "failed"; code: string }) => Promise<void>;

/** Nothing was changed: what was taken of the budget is given back. */
async function endUndone(
  ctx: EnvironmentContext,
  { session, begun, end }: { session: ServedSession; begun: NewCall; end: End },
  code: ToolFailure["code"],
): Promise<void> {
  await noteEnd(ctx, async () => {
    await giveBackCall(ctx.db, ctx.environment.id, begun);
    if (hasDayBudget(session))
      await giveBackOfDay(ctx.db, ctx.environment.id, { session, ...begun });
    await end({ outcome: "failed", code });
  });
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

/** Adds what a model reads of it to what the session has used of its budget of tokens. */
async function countTokens(
  ctx: EnvironmentContext,
  { id: sessionId, budget }: ServedSession,
  result: CallToolResult,
): Promise<CallToolResult> {
  if (budget.result_tokens === undefined) return result;
  const tokens = estimateTokens(result.content);
  await noteEnd(ctx, async () => {
    await countResult(ctx.db, ctx.environment.id, { sessionId, tokens });
  });
  return result;
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
  { onEnd }: AskedCall,
  { call, failure }: { readonly call: NewCall; readonly failure: ToolFailure },
): Promise<CallToolResult> {
  onEnd?.(failure);
  await noteRefusal(ctx.db, ctx.environment.id, { ...call, code: failure.code });
  return toolFailure(failure);
}

/** With the effect of this very call. */
function asCalled(
  tool: CatalogueTool,
  action: ReadTool | undefined,
  input: unknown,
): CatalogueTool {
  const effect = action?.effectOf?.(input);
  return effect === undefined ? tool : withEffect(tool, effect);
}

function effectDenied({ effect }: CatalogueTool): ToolFailure {
  return {
    ...{
      code: "policy_denied",
      message: `The session may make no call whose effect is ${effect}.`,
    },
    next: "Nothing was done. Do not try it in another way. Tell the user.",
  };
}

function unknownTool({ name }: AskedCall): ToolFailure {
  return {
    ...{ code: "unknown_tool", message: `There is no tool "${name}" here.` },
    next: "Choose one of the tools that are listed or found.",
  };
}
