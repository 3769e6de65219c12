import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { AppError, MINUTE, SECOND } from "#foundation";
import { CallError } from "#foundation/sandbox";
import { RefusedCall } from "../../sources/refused-call.ts";
import type { Refusal } from "../client/door.ts";
import { cleanText } from "../definitions/clean-text.ts";

const LONGEST_MESSAGE = 500;
const LONGEST_SCOPE = 200;

interface Of {
  readonly integration: string;
  readonly refusal: Refusal | undefined;
}

/** The failure of a call to another MCP server in words for a model; what is ours is thrown on as it is. */
export function explainUpstream(error: unknown, { integration, refusal }: Of): Error {
  if (error instanceof RefusedCall) return error;
  if (error instanceof CallError) return explainCall(error);
  if (error instanceof AppError) return explainApp(error);
  if (refusal?.missingScope !== undefined) return explainScope(integration, refusal.missingScope);
  if (error instanceof SdkHttpError) return explainStatus(error.status, { integration, refusal });
  if (error instanceof ProtocolError) return explainProtocol(error);
  if (isTimeout(error)) return unknownOutcome();
  // All else that the client throws is about what it was sent.
  return new RefusedCall({
    ...{ code: "provider_error", message: "The server's answer is not one of the protocol." },
    next: "It may have taken effect: look before you call again.",
  });
}

/** Of the client's own clock, or of the call's. */
function isTimeout(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof DOMException && error.name === "TimeoutError";
}

function explainCall(error: CallError): Error {
  if (error.error.type !== "elicitation_unavailable") return error;
  return new RefusedCall({
    ...{ code: "input_required", message: error.message },
    next: "The tool asks its user, which this client cannot. Ask the user yourself, or use another tool.",
  });
}

/** Whether a request had left is not known in these cases. */
const afterSending = new Set(["upstream_timeout", "upstream_unreachable"]);

function explainApp(error: AppError): Error {
  if (afterSending.has(error.code)) return unknownOutcome(error.message);
  if (!error.code.startsWith("upstream_") && error.code !== "destination_not_allowed") return error;
  return new RefusedCall({
    ...{ code: "provider_error", message: cleanText(error.message, LONGEST_MESSAGE) },
    next: "Nothing has happened. Report it to the user.",
  });
}

function unknownOutcome(message = "The server did not answer in time."): RefusedCall {
  return new RefusedCall({
    ...{ code: "outcome_unknown", message: cleanText(message, LONGEST_MESSAGE) },
    next: "It may have taken effect: look before you call again.",
  });
}

/** The server takes the credentials, and wants more of them than their account has agreed to. */
function explainScope(integration: string, missing: string): RefusedCall {
  const scope = cleanText(missing, LONGEST_SCOPE);
  return new RefusedCall({
    ...{ code: "authorization_required", integration },
    message: `The account at "${integration}" has not agreed to this${scope === "" ? "" : `: the server asks for the scope ${scope}`}.`,
    next: "Nothing was done. Ask the user to connect the account again and to agree to it, then call again.",
  });
}

function explainStatus(status: number, { integration, refusal }: Of): RefusedCall {
  if (status === 401) {
    return new RefusedCall({
      ...{ code: "authorization_required", integration },
      message: `The account at "${integration}" does not accept its credentials any more.`,
      next: "Ask the user to connect the account again, then call again.",
    });
  }
  if (status === 429) {
    const seconds = readSeconds(refusal?.retryAfter);
    return new RefusedCall({
      ...{ code: "rate_limited", message: "The server takes no more calls now." },
      ...(seconds === undefined ? {} : { retry_after_s: seconds }),
      next: `Wait ${seconds === undefined ? "a minute" : `${seconds} s`} and call again.`,
    });
  }
  return new RefusedCall({
    ...{ code: "provider_error", status, message: `The server refused the call with ${status}.` },
    next: "Report it to the user; calling again with the same input fails again, most likely.",
  });
}

function explainProtocol(error: ProtocolError): RefusedCall {
  const message = cleanText(error.message, LONGEST_MESSAGE);
  if (error.code === ProtocolErrorCode.InvalidParams) {
    return new RefusedCall({
      ...{ code: "invalid_input", message },
      next: "Correct the input by the tool's schema and call again.",
    });
  }
  return new RefusedCall({
    ...{ code: "provider_error", message },
    next: "Change the input if the message says how; otherwise report it to the user.",
  });
}

/** Seconds, or a date (RFC 9110, section 10.2.3); at most an hour. */
function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{1,7}$/.test(text.trim())
    ? Number(text)
    : (Date.parse(text) - Date.now()) / SECOND;
  return Number.isNaN(at)
    ? undefined
    : Math.min(Math.max(0, Math.ceil(at)), (60 * MINUTE) / SECOND);
}
