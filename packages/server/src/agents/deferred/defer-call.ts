import { randomUUID } from "node:crypto";
import type {
  CallToolResult,
  InputRequests,
  InputRequiredResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import { inputRequired } from "@modelcontextprotocol/server";
import { addMs, type EnvironmentContext, inTime } from "#foundation";
import { askRound, roundOf, type ToolCall, toInputRequired } from "#mcp";
import type { RunCaller } from "#slice";
import { ownerOf } from "../serving/ask-to-open.ts";
import type { ServedSession } from "../sessions/session.ts";
import {
  createdTask,
  type DeferredCall,
  LEASE_MS,
  LIFE_MS,
  MOST_KEPT,
  MOST_OPEN,
  sealPart,
  waitsForPerson,
} from "./deferred-call.ts";
import { detach, follow, type MakeCall } from "./run-deferred.ts";
import { insertDeferred, type NewDeferredCall } from "./store.ts";

interface Asked {
  readonly session: ServedSession;
  readonly server: ServerContext;
  readonly call: ToolCall;
  readonly client: string | undefined;
  readonly onProgress: RunCaller["reportProgress"];
  readonly make: MakeCall;
}

/** The result of the call, or what its client has to do, or to wait for, before there is one. */
type Answered =
  | { readonly kind: "done"; readonly result: CallToolResult }
  | { readonly kind: "asked"; readonly result: InputRequiredResult | CallToolResult };

/** The key of the request to open the page on which the end user approves; no question of a tool has a space in it. */
export const APPROVE = "approve call";

/**
 * Makes a call of a client that can follow it: one that waits for a person, or takes long, is answered by a task. What
 * the client's user has to answer first is asked before there is one.
 */
export async function callWithTask(ctx: EnvironmentContext, asked: Asked): Promise<Answered> {
  const { server, call, client, session, make } = asked;
  const round = roundOf(server);
  const detached = detach(ctx);
  const onGone = () => detached.abort();
  ctx.signal.addEventListener("abort", onGone, { once: true });
  if (ctx.signal.aborted) onGone();
  let isFollowed = false;
  const working = askRound(
    round,
    (progress) => {
      if (!isFollowed) asked.onProgress(progress);
    },
    async (caller) => make(detached.ctx, call, { caller, client }),
  );
  const { canAsk, canOpen, keptId } = round;
  const deferred: DeferredCall = {
    ...{ name: call.name, given: call.given, client, canAsk, canOpen, keptId },
    answers: Object.fromEntries(round.answers),
  };
  try {
    const first = await inTime(ctx.settings.mcpTaskAfterMs, working, ctx.signal);
    if (first === undefined) {
      const task = await open(ctx, session, { call: deferred, state: "running" });
      if (task !== undefined) {
        isFollowed = true;
        void follow(detached, { id: task.id, attempt: 1 }, { call: deferred, working });
        const status = { status: "working", statusMessage: "The tool is running." } as const;
        return { kind: "asked", result: createdTask(task, status) };
      }
    }
    const end = first ?? (await working);
    if (end.kind === "asking") {
      const owner = ownerOf(session);
      const result = await toInputRequired(ctx, { server, call, owner, round, end });
      return { kind: "asked", result };
    }
    const { result } = end;
    const task = await waitForPerson(ctx, session, { call: deferred, result });
    return task === undefined ? { kind: "done", result } : { kind: "asked", result: task };
  } finally {
    ctx.signal.removeEventListener("abort", onGone);
    if (!isFollowed) detached[Symbol.dispose]();
  }
}

/** Undefined where the call waits for nobody, or the session has as many tasks as it may. */
async function waitForPerson(
  ctx: EnvironmentContext,
  session: ServedSession,
  { call, result }: { readonly call: DeferredCall; readonly result: CallToolResult },
): Promise<CallToolResult | undefined> {
  const { approvalId, url } = readApproval(result);
  if (approvalId === undefined) return undefined;
  const requests = url === undefined || !call.canOpen ? undefined : askToApprove(url);
  const task = await open(ctx, session, { call, state: "waiting", approvalId, requests });
  if (task === undefined) return undefined;
  const status = requests === undefined ? "working" : "input_required";
  return createdTask(task, { status, statusMessage: waitsForPerson });
}

function askToApprove(url: string): InputRequests {
  const message = "Look at what would be sent, and approve or deny it.";
  return { [APPROVE]: inputRequired.elicitUrl({ url, message }) };
}

interface Opened {
  readonly call: DeferredCall;
  readonly state: NewDeferredCall["state"];
  readonly approvalId?: string;
  readonly requests?: InputRequests | undefined;
}

async function open(
  ctx: EnvironmentContext,
  session: ServedSession,
  { call, state, approvalId, requests }: Opened,
) {
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const row: NewDeferredCall = {
    ...{ id, sessionId: session.id, state, approvalId, createdAt },
    expiresAt: new Date(Math.min(addMs(createdAt, LIFE_MS).getTime(), session.expiresAt.getTime())),
    call: await sealPart(ctx, { id, name: "call", value: call }),
    asked:
      requests === undefined
        ? undefined
        : await sealPart(ctx, { id, name: "asked", value: requests }),
  };
  const isOpen = await insertDeferred(ctx.db, ctx.environment.id, {
    ...{ ...row, mostOpen: MOST_OPEN, mostKept: MOST_KEPT, leaseMs: LEASE_MS },
  });
  return isOpen ? { ...row, updatedAt: createdAt } : undefined;
}

function readApproval({ isError, content: [first] }: CallToolResult): {
  approvalId?: string;
  url?: string;
} {
  if (isError !== true || first?.type !== "text") return {};
  const { code, approval_id: approvalId, approval_url: url } = Object(JSON.parse(first.text));
  return code === "approval_required" && typeof approvalId === "string" ? { approvalId, url } : {};
}
