import type { Operation, OperationMessage } from "../../data/operations.ts";
import type { Bar } from "../../parts/waterfall/bar.ts";

/** A span of an operation on its time line. */
export interface OperationBar extends Bar {
  readonly name: string;
  /** What a bar without a request of its own is about. */
  readonly part?: Part;
  /** Where the time of a call went. */
  readonly timing?: Timing;
  /** Saves of records in it, whose time is shown as if they followed one another. */
  readonly saves?: number;
  readonly milliseconds: number;
}

type Part =
  | "queue"
  | "before"
  | "process"
  | "cold"
  | "warm"
  | "function"
  | "saves"
  | "credentials"
  | "wait"
  | "upstream"
  | "other";
type Timing = NonNullable<OperationMessage["timing"]>;
type Phases = NonNullable<Operation["phases"]>;

export interface TimeLine {
  readonly bars: readonly OperationBar[];
  readonly milliseconds: number;
}

const FAILURES_FROM = 400;
const LEAST_MS = 1;

/**
 * The wait in the queue, then the parts of a proxy request, or the phases of a function's run with each call to the
 * provider and each pause before one is repeated, on one time line to the operation's end.
 */
export function layOutCalls(operation: Operation, messages: readonly OperationMessage[]): TimeLine {
  const calls = messages.filter(({ type }) => type === "http");
  const spans = [
    ...waitOf(operation),
    ...runOf(operation),
    ...partsOf(operation),
    ...calls.map(spanOf),
  ];
  const begin = Date.parse(operation.created_at) - (operation.phases?.queue_ms ?? 0);
  const ends = spans.map(({ at, milliseconds }) => at + milliseconds);
  const operationEnd = operation.ended_at === null ? begin : Date.parse(operation.ended_at);
  const whole = Math.max(operationEnd, ...ends, begin + LEAST_MS) - begin;
  const share = (at: number) => Math.min(Math.max((at - begin) / whole, 0), 1);
  const bars = spans.map(({ at, ...span }) => ({
    ...span,
    from: share(at),
    to: share(at + span.milliseconds),
    ...(span.timing === undefined ? {} : { held: span.timing.wait_ms / whole }),
  }));
  return { bars, milliseconds: whole };
}

interface Span extends Omit<OperationBar, "from" | "to" | "held"> {
  readonly at: number;
}

function waitOf({ id, phases, created_at: createdAt, started_at: startedAt }: Operation): Span[] {
  if (startedAt === null) return [];
  const at = Date.parse(createdAt) - (phases?.queue_ms ?? 0);
  const milliseconds = Date.parse(startedAt) - at;
  const bar = { id, name: "", part: "queue", kind: "wait" } as const;
  return milliseconds > 0 ? [{ ...bar, at, milliseconds }] : [];
}

/** The time that a function took, of an operation that has run one and ended. */
function runOf(operation: Operation): Span[] {
  const { id, phases, function: called, started_at: startedAt, ended_at: endedAt } = operation;
  // Neither a server of an earlier version nor a run that it logged has phases.
  if (phases !== undefined && phases !== null) return phasesOf(operation, phases);
  if (!called || startedAt === null || endedAt === null) return [];
  const at = Date.parse(startedAt);
  const milliseconds = Date.parse(endedAt) - at;
  const bar = { id: `${id} function`, name: "", part: "function", kind: "own" } as const;
  return milliseconds > 0 ? [{ ...bar, at, milliseconds }] : [];
}

/** Of the last attempt of a run, one after the other, and its saves, which are part of the function's time. */
function phasesOf({ id, created_at: createdAt }: Operation, phases: Phases): Span[] {
  const begin = Date.parse(createdAt);
  const processAt = begin + phases.before_ms;
  const startAt = processAt + phases.process_wait_ms;
  const functionAt = startAt + (phases.process_start_ms ?? 0);
  const { saves } = phases;
  const spans = [
    { part: "before", kind: "own", at: begin, milliseconds: phases.before_ms },
    { part: "process", kind: "wait", at: processAt, milliseconds: phases.process_wait_ms },
    {
      part: phases.is_cold === true ? "cold" : "warm",
      kind: "own",
      at: startAt,
      milliseconds: phases.process_start_ms ?? 0,
    },
    { part: "function", kind: "own", at: functionAt, milliseconds: phases.function_ms ?? 0 },
    {
      part: "saves",
      kind: "own",
      at: functionAt + (saves?.after_ms ?? 0),
      milliseconds: saves?.busy_ms ?? 0,
      ...(saves && { saves: saves.count }),
    },
  ] as const;
  return spans
    .filter(({ part, milliseconds }) => milliseconds > 0 || (part === "saves" && saves !== null))
    .map((span) => ({ ...span, id: `${id} ${span.part}`, name: "" }));
}

/** Of a proxy request, one after the other; those that took no time are left out. */
function partsOf({ id, timing, state, started_at: startedAt }: Operation): Span[] {
  // A server of an earlier version, of several that are replaced one by one, sends none.
  if (timing === undefined || timing === null || startedAt === null) return [];
  const parts = [
    { part: "credentials", kind: "own", milliseconds: timing.credentials_ms },
    { part: "wait", kind: "wait", milliseconds: timing.wait_ms },
    {
      part: "upstream",
      kind: state === "failed" ? "failed" : "call",
      milliseconds: timing.upstream_ms,
    },
    { part: "other", kind: "own", milliseconds: timing.other_ms },
  ] as const;
  let at = Date.parse(startedAt);
  return parts
    .filter(({ milliseconds }) => milliseconds > 0)
    .map((one) => {
      const span = { ...one, id: `${id} ${one.part}`, name: "", at };
      at += one.milliseconds;
      return span;
    });
}

/** A call's message is written when it begins or when it ends; `ended_at` less its duration is when it began. */
function spanOf(message: OperationMessage): Span {
  if (message.retry !== null && message.retry !== undefined) return pauseOf(message, message.retry);
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
    ...(message.timing ? { timing: message.timing } : {}),
    at,
    milliseconds,
    kind: hasFailed ? "failed" : "call",
  };
}

/** An attempt that failed is logged as its pause begins; the call itself is logged once, with all of its attempts. */
function pauseOf(message: OperationMessage, retry: object): Span {
  const { waited_ms: waited } = Object(retry);
  const { code } = Object(message.response);
  return {
    id: message.id,
    name: message.message,
    ...(code === undefined ? {} : { answer: String(code) }),
    at: Date.parse(message.created_at),
    milliseconds: typeof waited === "number" ? waited : 0,
    kind: "retry",
  };
}

function pathOf(url: unknown): string {
  if (typeof url !== "string" || !URL.canParse(url)) return String(url ?? "");
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
