import { functionLimits } from "@jackfield/contract/function-limits";
import type { RunError } from "@jackfield/contract/runtime";
import { type ActionError, isActionError } from "../action-error.ts";
import { boundJson } from "./bound-json.ts";
import { networkFailures, ProxyError } from "./requests/proxy-error.ts";
import { RunFailure } from "./run-failure.ts";

const MESSAGE_LIMIT = functionLimits.errorMessage.value;
const NAME_LIMIT = 255;
const STACK_LINES = 10;
const STACK_LINE_LIMIT = 1000;
const HEADERS = 20;
const HEADER_LIMIT = 200;

/** Failures of calls that keep their code when nobody caught them; any other is an exception like others. */
const keptTypes: ReadonlySet<string> = new Set([
  "script_aborted",
  "execution_timeout",
  "script_api_rate_limit_error",
  "script_output_too_large",
  "invalid_action_input",
  "invalid_action_output",
  "invalid_credentials",
  "connection_refresh_backoff",
  "integration_misconfigured",
  "function_runtime_other",
  "delete_guard",
]);

/** How what a function threw is reported; `filename` is the bundle's name in stacks. */
export function toRunError(thrown: unknown, filename: string): RunError {
  try {
    return describeThrown(thrown, filename);
  } catch {
    // Getters and proxies of the author's error object may throw in their turn.
    return {
      type: "script_internal_error",
      message: "The function threw a value that cannot be read.",
    };
  }
}

function describeThrown(thrown: unknown, filename: string): RunError {
  const stack = readStack(thrown, filename);
  if (isActionError(thrown)) return { ...describeActionError(thrown), ...stack };
  if (thrown instanceof ProxyError) return { ...describeProxyError(thrown, filename), ...stack };
  if (thrown instanceof RunFailure && keptTypes.has(thrown.type)) {
    const payload = thrown.payload === undefined ? {} : { payload: boundJson(thrown.payload) };
    return {
      type: cutText(thrown.type, NAME_LIMIT),
      message: cutText(thrown.message),
      ...payload,
      ...stack,
    };
  }
  return {
    type: isNetworkFailure(thrown) ? "script_network_error" : "script_internal_error",
    message: readMessage(thrown),
    payload: describeError(thrown, filename),
    ...stack,
  };
}

/** Of `fetch`, too, which wraps it as the standard says. */
function isNetworkFailure(thrown: unknown): boolean {
  const failure = thrown instanceof TypeError ? thrown.cause : thrown;
  return failure instanceof RunFailure && networkFailures.has(failure.type);
}

function describeActionError(error: ActionError): RunError {
  const { payload } = error;
  const isObject = typeof payload === "object" && payload !== null;
  return {
    type: "action_script_runtime_error",
    message: cutText(String(error.message)),
    payload: boundJson(isObject ? payload : { message: payload }),
  };
}

function describeProxyError(error: ProxyError, filename: string): RunError {
  const { response } = error;
  const message = cutText(error.message);
  if (response === undefined) {
    return { type: "script_network_error", message, payload: describeError(error, filename) };
  }
  const body = boundJson(toReadableBody(response.data));
  const headers = pickHeaders(response.headers);
  return {
    type: "script_http_error",
    message,
    payload: body,
    upstream: { status: response.status, headers, body },
  };
}

function toReadableBody(data: unknown): unknown {
  return data instanceof Uint8Array ? new TextDecoder().decode(data) : data;
}

/** Only the content type, the wait and rate limits: other headers may hold secrets. */
function pickHeaders(headers: Record<string, string | string[]>): Record<string, string> {
  const picked = Object.entries(headers).filter(([name]) =>
    /^(content-type$|retry-after$|x-rate)/i.test(name),
  );
  return Object.fromEntries(
    picked
      .slice(0, HEADERS)
      .map(([name, value]) => [
        cutText(name.toLowerCase(), HEADER_LIMIT),
        cutText(String(value), HEADER_LIMIT),
      ]),
  );
}

function describeError(thrown: unknown, filename: string): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { name: "Error", message: readMessage(thrown) };
  const code =
    thrown instanceof RunFailure ? thrown.type : "code" in thrown ? thrown.code : undefined;
  return {
    name: cutText(String(thrown.name), NAME_LIMIT),
    ...(typeof code === "string" ? { code: cutText(code, NAME_LIMIT) } : {}),
    ...(typeof code === "number" ? { code } : {}),
    message: readMessage(thrown),
    stacktrace: stackLines(thrown, filename),
  };
}

function readMessage(thrown: unknown): string {
  if (thrown instanceof Error) return cutText(withReason(thrown));
  if (typeof thrown === "string") return cutText(thrown);
  const text = JSON.stringify(boundJson(thrown)) ?? String(thrown);
  return cutText(`The function threw a value that is no Error: ${text}`);
}

const CAUSES = 5;

/** HTTP clients say "Network Error" and keep what the server said, such as the rule that stopped a call, as cause. */
function withReason(error: Error): string {
  const message = String(error.message);
  let cause: unknown = error.cause;
  for (let depth = 0; depth < CAUSES && cause instanceof Error; depth += 1) {
    const isReported = message.includes(cause.message);
    if (cause instanceof RunFailure && !isReported)
      return `${message}: ${cause.type}: ${cause.message}`;
    cause = cause.cause;
  }
  return message;
}

function readStack(thrown: unknown, filename: string): { stack?: string } {
  if (!(thrown instanceof Error)) return {};
  const lines = stackLines(thrown, filename);
  if (lines.length === 0) return {};
  return { stack: cutText([`${thrown.name}: ${readMessage(thrown)}`, ...lines].join("\n")) };
}

/** Frames of the bundle only: positions inside the runner tell an author nothing. */
function stackLines(error: Error, filename: string): string[] {
  if (typeof error.stack !== "string") return [];
  const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames
    .filter((line) => line.includes(`${filename}:`))
    .slice(0, STACK_LINES)
    .map((line) => cutText(line.trim(), STACK_LINE_LIMIT));
}

function cutText(text: string, limit: number = MESSAGE_LIMIT): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
