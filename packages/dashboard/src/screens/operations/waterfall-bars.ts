import type { Operation, OperationMessage } from "../../data/operations.ts";

/** A span of an operation on its time line; places are shares of the whole, from 0 to 1. */
export interface Bar {
  readonly id: string;
  readonly name: string;
  /** Status of the answer; left out without one. */
  readonly answer?: string;
  readonly from: number;
  readonly to: number;
  readonly milliseconds: number;
  readonly kind: "wait" | "call" | "failed";
}

export interface TimeLine {
  readonly bars: readonly Bar[];
  readonly milliseconds: number;
}

const FAILURES_FROM = 400;
const LEAST_MS = 1;

/** The wait in the queue, then each call to the provider, on one time line from the operation's creation to its end. */
export function layOutCalls(operation: Operation, messages: readonly OperationMessage[]): TimeLine {
  const calls = messages.filter(({ type }) => type === "http");
  const spans = [...waitOf(operation), ...calls.map(spanOf)];
  const begin = Date.parse(operation.created_at);
  const ends = spans.map(({ at, milliseconds }) => at + milliseconds);
  const operationEnd = operation.ended_at === null ? begin : Date.parse(operation.ended_at);
  const whole = Math.max(operationEnd, ...ends, begin + LEAST_MS) - begin;
  const share = (at: number) => Math.min(Math.max((at - begin) / whole, 0), 1);
  const bars = spans.map(({ at, ...span }) => ({
    ...span,
    from: share(at),
    to: share(at + span.milliseconds),
  }));
  return { bars, milliseconds: whole };
}

interface Span extends Omit<Bar, "from" | "to"> {
  readonly at: number;
}

function waitOf({ id, created_at: createdAt, started_at: startedAt }: Operation): Span[] {
  if (startedAt === null) return [];
  const at = Date.parse(createdAt);
  const milliseconds = Date.parse(startedAt) - at;
  return milliseconds > 0 ? [{ id, name: "queued", at, milliseconds, kind: "wait" }] : [];
}

/** A call's message is written when it begins or when it ends; `ended_at` less its duration is when it began. */
function spanOf(message: OperationMessage): Span {
  const milliseconds = message.duration_ms ?? 0;
  const at =
    message.ended_at === null
      ? Date.parse(message.created_at)
      : Date.parse(message.ended_at) - milliseconds;
  const { method, url } = Object(message.request);
  const { code } = Object(message.response);
  const hasFailed = message.error !== null || Number(code) >= FAILURES_FROM;
  const name = `${method ?? ""} ${pathOf(url)}`.trim();
  return {
    id: message.id,
    name: name === "" ? message.message : name,
    ...(code === undefined ? {} : { answer: String(code) }),
    at,
    milliseconds,
    kind: hasFailed ? "failed" : "call",
  };
}

function pathOf(url: unknown): string {
  if (typeof url !== "string" || !URL.canParse(url)) return String(url ?? "");
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
