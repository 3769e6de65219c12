import type { CallToolResult } from "@modelcontextprotocol/server";
import type { AppError } from "#foundation";
import { bytesOfTokens } from "#functions";

/** What a model reads of a failure: what happened, and what it may do. */
export interface ToolFailure {
  readonly code:
    | "authorization_required"
    | "rate_limited"
    | "invalid_input"
    | "not_found"
    | "provider_error"
    | "action_error"
    | "outcome_unknown"
    | "overloaded"
    | "internal"
    // The tool says that it only reads, and tried to change something.
    | "effect_violation"
    // The tool asks its user, and nobody could be asked or has answered.
    | "input_required"
    // Of agents' sessions.
    | "account_required"
    | "approval_denied"
    | "approval_required"
    | "approval_stale"
    | "budget_exhausted"
    | "policy_denied"
    | "repeated_call"
    | "session_ended"
    | "unknown_tool"
    | "wrong_executor";
  readonly message: string;
  readonly next: string;
  readonly integration?: string;
  /** Where the end user connects the account; there is no credential in it. */
  readonly connect_url?: string;
  /** What another server wants the user to open; there is no credential in it. */
  readonly open_url?: string;
  /** Of the call that waits for a person. */
  readonly approval_id?: string;
  /** Where the end user approves it; there is no credential in it. */
  readonly approval_url?: string;
  readonly retry_after_s?: number;
  /** When there is budget again. */
  readonly resets_at?: string;
  readonly status?: number;
  readonly details?: unknown;
}

const DETAIL_TOKENS = 800;
const LONGEST_MESSAGE = 1000;

export function toolFailure({ details, message, ...failure }: ToolFailure): CallToolResult {
  const short =
    message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
  const shown = { ...failure, message: short, ...(isShown(details) ? { details } : {}) };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(shown) }] };
}

function isShown(details: unknown): boolean {
  if (details === undefined || details === null || details === "") return false;
  return Buffer.byteLength(JSON.stringify(details) ?? "") <= bytesOfTokens(DETAIL_TOKENS);
}

/** What a new authorization may mend. */
const withoutAuthorization: ReadonlySet<string> = new Set([
  "invalid_credentials",
  "integration_misconfigured",
]);

/** The failure of an action in words for a model: nothing of stacks, files and what operators do about it. */
export function explainFailure(error: AppError, integrationKey: string): ToolFailure {
  const [detail = {}] = error.details ?? [];
  const code = "code" in detail ? detail["code"] : undefined;
  if (withoutAuthorization.has(error.code)) return authorizationRequired(integrationKey);
  if (code === "effect_violation") {
    return {
      ...{ code: "effect_violation", message: error.message },
      next: "Use a tool that may write, or report it to the user: who wrote the tool has to look at it.",
    };
  }
  if (code === "elicitation_unavailable") {
    return {
      ...{ code: "input_required", message: error.message },
      next: "The tool asks its user, which this client cannot. Ask the user yourself, or use another tool.",
    };
  }
  switch (error.code) {
    case "script_http_error":
      return explainAnswer(error, Object(detail["upstream"]), integrationKey);
    case "action_script_runtime_error":
      return {
        ...{ code: "action_error", message: error.message, details: detail },
        next: "Change the input if the message says how; otherwise report it to the user.",
      };
    case "invalid_action_input":
      return {
        ...{ code: "invalid_input", message: error.message, details: error.details },
        next: "Correct the input by the tool's schema and call again.",
      };
    case "execution_timeout":
    case "function_runtime_timed_out":
    case "action_outcome_unknown":
    case "script_network_error":
      return {
        ...{ code: "outcome_unknown", message: error.message },
        next: "It may have taken effect: look before you call again.",
      };
    case "connection_refresh_backoff":
      return explainBackoff(error);
    case "overloaded":
      return {
        ...{ code: "overloaded", message: "The tool could not start yet; nothing has happened." },
        ...{ retry_after_s: 1, next: "Wait and call again." },
      };
    default:
      return {
        ...{ code: "internal", message: error.message },
        next: "Report it to the user; calling again with the same input fails again, most likely.",
      };
  }
}

function authorizationRequired(integration: string): ToolFailure {
  return {
    ...{ code: "authorization_required", integration },
    message: `The account at "${integration}" does not accept its credentials any more.`,
    next: "Ask the user to connect the account again, then call again. If that does not help, who runs the integration has to look at it.",
  };
}

/** Nobody has to connect again: the server asks the provider for a token by itself. */
function explainBackoff({ message, headers }: AppError): ToolFailure {
  const seconds = readSeconds(headers["Retry-After"]);
  return {
    ...{ code: "provider_error", message },
    ...(seconds === undefined ? {} : { retry_after_s: seconds }),
    next: `Wait ${seconds === undefined ? "a minute" : `${seconds} s`} and call again.`,
  };
}

function explainAnswer(
  { message }: AppError,
  { status, headers, body }: { status?: number; headers?: Record<string, string>; body?: unknown },
  integration: string,
): ToolFailure {
  if (status === 401) return authorizationRequired(integration);
  if (status === 429) {
    const seconds = readSeconds(headers?.["retry-after"]);
    return {
      ...{ code: "rate_limited", message },
      ...(seconds === undefined ? {} : { retry_after_s: seconds }),
      next: `Wait ${seconds === undefined ? "a minute" : `${seconds} s`} and call again.`,
    };
  }
  return {
    ...{ code: "provider_error", message, details: body },
    ...(status === undefined ? {} : { status }),
    next: "Change the input if the answer says how; otherwise report it to the user.",
  };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text.trim())) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
