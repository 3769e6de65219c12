const MAX_CHARACTERS = 1000;
const MAX_FRAMES = 6;
const MAX_DEPTH = 4;

/** What of an error goes into the operator's log: an Error has no fields that JSON would show. */
export interface LoggableError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  /** Where it was thrown, without the message. */
  readonly stack?: string;
  readonly cause?: unknown;
}

/** The fields of an event with every error in them, however deep, made readable. */
export function toLoggable(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return describe(value, depth);
  if (depth >= MAX_DEPTH || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toLoggable(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, toLoggable(item, depth + 1)]),
  );
}

function describe(error: Error, depth: number): LoggableError {
  const code = "code" in error ? error.code : undefined;
  const stack = framesOf(error);
  return {
    type: error.name,
    message: redact(error.message),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(stack === "" ? {} : { stack }),
    ...causeOf(error, depth),
  };
}

/** Of an error that stands for several, such as one for each address of a host, the first one. */
function causeOf(error: Error, depth: number): { cause?: unknown } {
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (cause === undefined || depth >= MAX_DEPTH) return {};
  return { cause: cause instanceof Error ? describe(cause, depth + 1) : redact(String(cause)) };
}

/** The stack begins with the message, which may have many lines. */
function framesOf({ stack = "" }: Error): string {
  const frames = stack.split("\n").filter((line) => line.trimStart().startsWith("at "));
  return frames
    .slice(0, MAX_FRAMES)
    .map((frame) => withoutFolder(frame.trim()))
    .join("; ")
    .slice(0, MAX_CHARACTERS);
}

/** Where the product is installed says nothing of the fault. */
function withoutFolder(frame: string): string {
  const from = frame.indexOf("file://");
  const to = Math.max(frame.lastIndexOf("/packages/"), frame.lastIndexOf("/node_modules/"));
  return from === -1 || to < from ? frame : frame.slice(0, from) + frame.slice(to + 1);
}

const HIDDEN = "[secret]";
const SHORTEST_SECRET = 8;

/** Texts of others' errors may quote an address with its password, or a header. */
function redact(text: string): string {
  const bounded = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return bounded
    .split(" ")
    .map((word, at, words) => redactWord(word, words[at - 1]?.toLowerCase() ?? ""))
    .join(" ");
}

/** Looked through from its places instead of matched: no word makes that slow. */
function redactWord(word: string, before: string): string {
  const isCredential = before.endsWith("bearer") || before.endsWith("basic");
  if (isCredential && word.length >= SHORTEST_SECRET) return HIDDEN;
  const key = word.indexOf("svc_");
  if (key !== -1 && word.length - key > SHORTEST_SECRET) return word.slice(0, key) + HIDDEN;
  const scheme = word.indexOf("://");
  const host = word.lastIndexOf("@");
  if (scheme === -1 || host < scheme) return word;
  return `${word.slice(0, scheme)}://${HIDDEN}${word.slice(host)}`;
}
