import { addAbortListener } from "node:events";
import { Doorbell, type EnvironmentContext, SECOND } from "#foundation";
import { listenToSession } from "../notify-session.ts";
import { getOwnSession } from "./get-own-session.ts";
import { describeResult, pickAttempt, type SessionResult } from "./get-session-result.ts";

// Below the idle time after which common proxies close a connection.
const HEARTBEAT_MS = 15 * SECOND;
const LOOK_EVERY_MS = SECOND;

export interface EventOptions {
  /** What the client calls the attempt; undefined: the session's latest. */
  readonly attemptId?: string | undefined;
  readonly heartbeatMs?: number;
  /** How often to look while notices may be missed. */
  readonly lookEveryMs?: number;
}

/**
 * The result of an attempt, the latest unless one is named, as server-sent events: at once, at each change, and for
 * the last time when its connection is made, pending no more, or at the session's end. Comments keep the way open.
 */
export async function* streamSessionEvents(
  ctx: EnvironmentContext,
  stopping: AbortSignal,
  { attemptId, heartbeatMs = HEARTBEAT_MS, lookEveryMs = LOOK_EVERY_MS }: EventOptions = {},
): AsyncGenerator<string> {
  const stopped = AbortSignal.any([stopping, ctx.signal]);
  const first = await getOwnSession(ctx);
  const bell = new Doorbell();
  using _stopping = addAbortListener(stopped, () => bell.ring());
  using _listening = listenToSession(ctx, first.id, () => bell.ring());
  let sent = "";
  let spokenAt = performance.now();
  while (!stopped.aborted) {
    const session = await getOwnSession(ctx);
    const attempt = await pickAttempt(ctx, session, attemptId);
    const isOver = session.expiresAt <= ctx.clock.now();
    const hasConnection = attempt.state === "success";
    const isLost = isOver && !hasConnection;
    const event = toEvent(isLost ? ended : await describeResult(ctx, attempt));
    if (event !== sent) {
      yield event;
      sent = event;
      spokenAt = performance.now();
    }
    if (isOver || (hasConnection && !attempt.isPending)) return;
    const untilHeartbeatMs = spokenAt + heartbeatMs - performance.now();
    if (untilHeartbeatMs <= 0) {
      yield ": \n\n";
      spokenAt = performance.now();
      continue;
    }
    const lookMs = ctx.notices.isListening ? untilHeartbeatMs : lookEveryMs;
    await bell.wait(Math.min(untilHeartbeatMs, lookMs));
  }
}

const ended: SessionResult = {
  state: "error",
  error: { type: "unknown_connect_session_token", message: "The connect session has ended." },
};

function toEvent(result: SessionResult): string {
  return `data: ${JSON.stringify({ data: result })}\n\n`;
}
