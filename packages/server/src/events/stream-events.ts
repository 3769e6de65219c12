import { addAbortListener } from "node:events";
import { type EnvironmentContext, endOf, MINUTE, SECOND } from "#foundation";
import { type EventStream, eventHub } from "./event-hub.ts";

// Below the idle time after which common proxies close a connection.
const HEARTBEAT_MS = 15 * SECOND;
/** Then the client comes again, and what it may hear is looked at again. */
const LONGEST_MS = 5 * MINUTE;
/** Between two looks where changes cannot be heard. */
const DEAF_MS = 5 * SECOND;

export interface StreamOptions {
  readonly stream: EventStream;
  /** Until when the client has heard a stream before, in milliseconds since 1970; undefined: it has not. */
  readonly resumedAfter: number | undefined;
  readonly heartbeatMs?: number;
  readonly longestMs?: number;
  readonly deafMs?: number;
}

/** An event for each topic in which something has changed. Comments keep the connection open. */
export async function* streamEvents(
  ctx: EnvironmentContext,
  stopping: AbortSignal,
  options: StreamOptions,
): AsyncGenerator<string> {
  const { heartbeatMs = HEARTBEAT_MS, longestMs = LONGEST_MS, deafMs = DEAF_MS } = options;
  using stream = options.stream;
  const stopped = AbortSignal.any([stopping, ctx.signal]);
  using _stopping = addAbortListener(stopped, () => stream.wake());
  const untilEndMs = (endOf(ctx.actor)?.getTime() ?? Infinity) - ctx.clock.now().getTime();
  const endsAt = performance.now() + Math.min(longestMs, untilEndMs);
  let spokenAt = performance.now();
  // Answered at once, so that the client knows that it is heard.
  yield "retry: 1000\n: \n\n";
  if (options.resumedAfter !== undefined) {
    stream.add(eventHub.of(ctx).changedSince(ctx.environment.id, options.resumedAfter));
  }
  while (!stopped.aborted && !stream.isOver && performance.now() < endsAt) {
    const topics = stream.take();
    const at = ctx.clock.now();
    if (topics.length > 0) {
      yield topics.map((topic) => toEvent(topic, at)).join("");
      spokenAt = performance.now();
      continue;
    }
    const silentMs = performance.now() - spokenAt;
    if (silentMs >= heartbeatMs) {
      yield ": \n\n";
      spokenAt = performance.now();
      continue;
    }
    const isDeaf = !ctx.notices.isListening;
    const restMs = Math.min(heartbeatMs - silentMs, endsAt - performance.now());
    await stream.wait(Math.max(1, isDeaf ? Math.min(restMs, deafMs) : restMs));
    if (isDeaf) stream.addAll();
  }
}

function toEvent(topic: string, at: Date): string {
  const data = JSON.stringify({ topic, at: at.toISOString() });
  return `id: ${at.getTime()}\nevent: ${topic}\ndata: ${data}\n\n`;
}
