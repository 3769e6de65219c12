import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { EnvironmentContext } from "#foundation";
import { ModelServer, readAnswers, toolFailure, withOwnWords } from "#mcp";
import type { ServedSession } from "../sessions/session.ts";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { APPROVE } from "./defer-call.ts";
import {
  openPart,
  presentTask,
  requireTasks,
  type Status,
  sealPart,
  waitsForPerson,
} from "./deferred-call.ts";
import { type MakeCall, readOutcome, resume, unknownOutcome } from "./run-deferred.ts";
import {
  cancelDeferred,
  type DeferredRow,
  endDeferred,
  findDeferred,
  noteAnswers,
} from "./store.ts";

type Request = Pick<ServerContext, "mcpReq">;
type Handler = Parameters<ModelServer["_wrapHandler"]>[1];

/** A server whose calls may be answered by tasks, which the library does not know of. */
export class TaskServer extends ModelServer {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    let task: Result | undefined;
    const wrapped = super._wrapHandler(method, async (request, server) => {
      task = undefined;
      const result = await handler(request, server);
      if (result["resultType"] !== "task") return result;
      const { content: _, ...own } = result;
      task = own;
      return { content: [] };
    });
    return async (request, server) => {
      const result = await wrapped(request, server);
      return task ?? result;
    };
  }
}

interface Tasks {
  readonly session: ServedSession;
  readonly make: MakeCall;
  readonly onAway: Parameters<typeof withOwnWords>[0]["onAway"];
}

const named = z.looseObject({ taskId: z.string().max(100) });

/** Lets clients look after the calls that they follow: those of their own session. */
export function serveTasks(ctx: EnvironmentContext, server: TaskServer, tasks: Tasks): void {
  const serve = (work: (row: DeferredRow, request: Request) => Promise<Result>) => {
    return async ({ taskId }: { taskId: string }, request: Request) =>
      await withOwnWords({ ctx, onAway: tasks.onAway }, async () => {
        requireTasks(request);
        return await work(await requireOwn(ctx, tasks.session, taskId), request);
      });
  };
  server.setRequestHandler(
    "tasks/get",
    { params: named },
    serve(async (row) => await look(ctx, tasks, row)),
  );
  server.setRequestHandler(
    "tasks/update",
    { params: named },
    serve(async (row, { mcpReq }) => {
      // The library takes them out of the parameters of any request.
      await answer(ctx, tasks, { row, inputResponses: { ...Object(mcpReq.inputResponses) } });
      return {};
    }),
  );
  server.setRequestHandler(
    "tasks/cancel",
    { params: named },
    serve(async ({ id }) => {
      const now = ctx.clock.now();
      const { id: sessionId } = tasks.session;
      await cancelDeferred(ctx.db, ctx.environment.id, { id, sessionId, now });
      return {};
    }),
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function requireOwn(
  ctx: EnvironmentContext,
  { id: sessionId }: ServedSession,
  id: string,
): Promise<DeferredRow> {
  const row = UUID.test(id)
    ? await findDeferred(ctx.db, ctx.environment.id, { id, sessionId, now: ctx.clock.now() })
    : undefined;
  if (row !== undefined) return row;
  const message = "A session asked for a task that it has not.";
  noteRefusal(ctx, { code: "not_found", message, meta: { session: sessionId } });
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "The session has no such task, or its time is over.",
  );
}

/** How the call is now; continues it where that is possible by now. */
async function look(
  ctx: EnvironmentContext,
  { make }: Pick<Tasks, "make">,
  row: DeferredRow,
): Promise<Result> {
  const { id } = row;
  const running: Status = { status: "working", statusMessage: "The tool is running." };
  switch (row.state) {
    case "ended": {
      const outcome = await readOutcome(ctx, row);
      if ("result" in outcome) {
        return { ...presentTask(row, { status: "completed" }), result: outcome.result };
      }
      const { error } = outcome;
      const status: Status = { status: "failed", statusMessage: error.message };
      return { ...presentTask(row, status), error };
    }
    case "cancelled":
      return presentTask(row, { status: "cancelled" });
    case "asking":
      return await presentAsked(ctx, row, "The tool asks its user.");
    case "running": {
      if (row.isLeased) return presentTask(row, running);
      // Its process has died. What was to be approved, and is approved still, has not been done.
      if (row.approval === "approved") break;
      const now = ctx.clock.now();
      await endDeferred(ctx.db, ctx.environment.id, {
        ...{ id, attempt: row.attempt, now, state: "ended" },
        result: await sealPart(ctx, { id, name: "result", value: { result: unknownOutcome() } }),
      });
      return { ...presentTask(row, { status: "completed" }), result: unknownOutcome() };
    }
    case "waiting":
      if (row.approval === "waiting") return await presentAsked(ctx, row, waitsForPerson);
      if (row.approval !== "approved" && row.approval !== "denied")
        return await endUndone(ctx, row);
  }
  const call = await openPart(ctx, { id, name: "call", sealed: row.call });
  await resume(ctx, row, { call, make });
  return presentTask(row, running);
}

async function presentAsked(
  ctx: EnvironmentContext,
  row: DeferredRow,
  statusMessage: string,
): Promise<Result> {
  const { id, asked } = row;
  if (asked === null) return presentTask(row, { status: "working", statusMessage });
  const inputRequests = await openPart(ctx, { id, name: "asked", sealed: asked });
  return { ...presentTask(row, { status: "input_required", statusMessage }), inputRequests };
}

/** Of a call whose approval has expired, or was used by another one. */
async function endUndone(ctx: EnvironmentContext, row: DeferredRow): Promise<Result> {
  const { id, attempt } = row;
  const result = toolFailure({
    ...{ code: "approval_required", message: "Nobody has approved this call in time." },
    next: "Nothing was changed. Call again with the same arguments if it is wanted still.",
  });
  const { db, environment } = ctx;
  await endDeferred(db, environment.id, {
    ...{ id, attempt, now: ctx.clock.now(), state: "ended" },
    result: await sealPart(ctx, { id, name: "result", value: { result } }),
  });
  return { ...presentTask(row, { status: "completed" }), result };
}

/** Takes answers to what is asked now; others, and later ones to the same, are left alone. */
async function answer(
  ctx: EnvironmentContext,
  { make, session }: Tasks,
  { row, inputResponses }: { row: DeferredRow; inputResponses: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { id, attempt, asked } = row;
  if (asked === null || (row.state !== "asking" && row.state !== "waiting")) return;
  const open = await openPart(ctx, { id, name: "asked", sealed: asked });
  const given = readAnswers(inputResponses).filter(([key]) => Object.hasOwn(open, key));
  if (given.length === 0) return;
  const now = ctx.clock.now();
  const refused = given.some(([key, each]) => key === APPROVE && each.answer.action !== "accept");
  if (refused) {
    await cancelDeferred(ctx.db, ctx.environment.id, { id, sessionId: session.id, now });
    return;
  }
  const left = Object.fromEntries(
    Object.entries(open).filter(([key]) => given.every(([name]) => name !== key)),
  );
  const known = await openPart(ctx, { id, name: "call", sealed: row.call });
  const answers = given
    .filter(([key]) => key !== APPROVE)
    .map(([key, each]) => [key.slice(key.indexOf("/") + 1), each] as const);
  const call = { ...known, answers: { ...known.answers, ...Object.fromEntries(answers) } };
  if (row.state === "asking" && Object.keys(left).length === 0) {
    await resume(ctx, row, { call, make });
    return;
  }
  const isAsked = Object.keys(left).length > 0;
  await noteAnswers(ctx.db, ctx.environment.id, {
    ...{ id, attempt, now, call: await sealPart(ctx, { id, name: "call", value: call }) },
    asked: isAsked ? await sealPart(ctx, { id, name: "asked", value: left }) : null,
  });
}
