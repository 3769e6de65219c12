import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { type EnvironmentContext, messageOf, stopping } from "#foundation";
import { askRound, type Round, type RoundEnd, type ToolCall, toolFailure } from "#mcp";
import type { RunCaller } from "#slice";
import {
  type DeferredCall,
  HEARTBEAT_MS,
  LEASE_MS,
  type Outcome,
  openPart,
  sealPart,
} from "./deferred-call.ts";
import { claimDeferred, type DeferredRow, endDeferred, extendDeferred } from "./store.ts";

/** Makes the call, like any other of the session. */
export type MakeCall = (
  ctx: EnvironmentContext,
  call: ToolCall,
  caller: { readonly caller: RunCaller; readonly client: string | undefined },
) => Promise<CallToolResult>;

export interface Attempt {
  readonly id: string;
  readonly attempt: number;
}

/** Its time is not that of the request by which it began. */
export interface Detached extends Disposable {
  readonly ctx: EnvironmentContext;
  readonly abort: () => void;
}

/** A context whose work ends with the server, and not with its request. */
export function detach(ctx: EnvironmentContext): Detached {
  const own = new AbortController();
  const abort = () => own.abort();
  const stop = stopping.of(ctx).signal;
  stop.addEventListener("abort", abort, { once: true });
  return {
    ctx: { ...ctx, signal: own.signal },
    abort,
    [Symbol.dispose]: () => stop.removeEventListener("abort", abort),
  };
}

/** Begins the next attempt in this process, where no other has it. */
export async function resume(
  ctx: EnvironmentContext,
  row: Pick<DeferredRow, "id" | "attempt">,
  { call, make }: { readonly call: DeferredCall; readonly make: MakeCall },
): Promise<void> {
  const { db, environment } = ctx;
  const { id } = row;
  const attempt = await claimDeferred(db, environment.id, {
    ...{ id, attempt: row.attempt, now: ctx.clock.now(), leaseMs: LEASE_MS },
    call: await sealPart(ctx, { id, name: "call", value: call }),
  });
  if (attempt === undefined) return;
  const round = toRound(call);
  const detached = detach(ctx);
  const working = askRound(
    round,
    () => {},
    async (caller) => make(detached.ctx, call, { caller, client: call.client }),
  );
  void follow(detached, { id, attempt }, { call, working });
}

export function toRound({ answers, keptId, canAsk, canOpen }: DeferredCall): Round {
  const given = Object.entries(answers).flatMap(([key, answer]) =>
    answer === undefined ? [] : [[key, answer] as const],
  );
  return { answers: new Map(given), keptId, canAsk, canOpen };
}

/** Says that the call runs until it has ended, and then how. */
export async function follow(
  detached: Detached,
  { id, attempt }: Attempt,
  { call, working }: { readonly call: DeferredCall; readonly working: Promise<RoundEnd> },
): Promise<void> {
  using owned = detached;
  const { ctx, abort } = owned;
  const { db, environment, clock, log } = ctx;
  let isCancelled = false;
  const beat = setInterval(() => {
    extendDeferred(db, environment.id, { id, attempt, leaseMs: LEASE_MS }).then(
      (isOwn) => {
        if (isOwn) return;
        isCancelled = true;
        abort();
      },
      (error: unknown) => log.warn("agents.deferred_lease", { reason: messageOf(error) }),
    );
  }, HEARTBEAT_MS);
  try {
    const end = await working.catch((error: unknown) => error);
    const now = clock.now();
    if (isCancelled) {
      await endDeferred(db, environment.id, { id, attempt, now, state: "cancelled" });
      return;
    }
    await keep(ctx, { id, attempt }, { call, end });
  } catch (error) {
    log.warn("agents.deferred_not_ended", { reason: messageOf(error) });
  } finally {
    clearInterval(beat);
  }
}

async function keep(
  ctx: EnvironmentContext,
  { id, attempt }: Attempt,
  { call, end }: { readonly call: DeferredCall; readonly end: unknown },
): Promise<void> {
  const { db, environment } = ctx;
  const now = ctx.clock.now();
  if (isAsking(end)) {
    // A key is that of one question only, as long as the task lives.
    const requests = Object.entries(end.requests).map(([key, each]) => [`${attempt}/${key}`, each]);
    await endDeferred(db, environment.id, {
      ...{ id, attempt, now, state: "asking" },
      asked: await sealPart(ctx, { id, name: "asked", value: Object.fromEntries(requests) }),
      call: await sealPart(ctx, { id, name: "call", value: { ...call, keptId: end.keptId } }),
    });
    return;
  }
  const value = toOutcome(end, ctx.signal);
  await endDeferred(db, environment.id, {
    ...{ id, attempt, now, state: "ended" },
    result: await sealPart(ctx, { id, name: "result", value }),
  });
}

type End = RoundEnd | undefined;

function isAsking(end: unknown): end is Extract<RoundEnd, { kind: "asking" }> {
  return Object(end).kind === "asking";
}

function isDone(end: unknown): end is Extract<NonNullable<End>, { kind: "done" }> {
  return Object(end).kind === "done";
}

function toOutcome(end: unknown, signal: AbortSignal): Outcome {
  if (isDone(end)) return { result: end.result };
  if (signal.aborted) return { result: unknownOutcome() };
  const isOurs = !(end instanceof ProtocolError);
  const message = isOurs
    ? "The server could not make the call; its log has the cause."
    : end.message;
  return { error: { code: isOurs ? ProtocolErrorCode.InternalError : end.code, message } };
}

/** Of a call whose process has ended while it ran. */
export function unknownOutcome(): CallToolResult {
  return toolFailure({
    ...{ code: "outcome_unknown", message: "The server was stopped while the call ran." },
    next: "It may have taken effect: look before you call again.",
  });
}

export async function readOutcome(
  ctx: EnvironmentContext,
  { id, result }: Pick<DeferredRow, "id" | "result">,
): Promise<Outcome> {
  if (result === null) return { result: unknownOutcome() };
  return await openPart(ctx, { id, name: "result", sealed: result });
}
