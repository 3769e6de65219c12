import type { RetryHints } from "@jackfield/catalogue";
import { readPath } from "#auth-modes";
import { AppError, backoffMs, MINUTE, SECOND } from "#foundation";
import { findHeader } from "../answer/response-headers.ts";

/** How often and on what a call is tried again; `retries` counts attempts after the first. */
export interface RetryWish {
  readonly retries: number;
  readonly retryOn: readonly number[];
}

const networkCodes = new Set([
  "ECONNRESET",
  "ETIMEDOUT",
  "ECONNABORTED",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EAI_AGAIN",
]);

export interface RetryRules extends Pick<RetryWish, "retryOn"> {
  readonly retryHeader?: Pick<RetryHints, "remaining_header"> | undefined;
  /** Statuses of the provider's entry, in place of the usual ones. */
  readonly listed?: RetryHints["statuses"];
}

/** Whether a call that got no answer may get one on another attempt. */
export function isRetryableFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError) return false;
  if ("code" in error && typeof error.code === "string") return networkCodes.has(error.code);
  if (error instanceof AggregateError) return error.errors.some(isRetryableFailure);
  return error.cause !== undefined && isRetryableFailure(error.cause);
}

/** Whether an answer is worth another attempt, with the statuses that the provider's entry lists, if any. */
export function isRetryableAnswer(
  status: number,
  headers: readonly string[],
  { retryOn, retryHeader, listed = [] }: RetryRules,
): boolean {
  if (retryOn.includes(status)) return true;
  if (status < 400) return false;
  if (listed.length > 0) {
    if (listed.some((pattern) => matches(pattern, status))) return true;
  } else if (status === 401 || status === 429 || status >= 500) return true;
  // Only where the call itself says that a used-up quota is worth one.
  const remaining = retryHeader?.remaining_header;
  return remaining !== undefined && findHeader(headers, remaining)?.trim() === "0";
}

function matches(pattern: string, status: number): boolean {
  return pattern.endsWith("xx") ? pattern[0] === String(status)[0] : pattern === String(status);
}

const WAITS = { firstMs: 3 * SECOND, longestMs: 10 * MINUTE };

/** What tells how long to wait; `body` is the value of a JSON answer. */
export interface Refusal {
  readonly headers: readonly string[];
  readonly body?: unknown;
}

/**
 * Milliseconds before attempt number `next` (1 for the first retry): what the provider asks for in headers, else
 * in its body, else doubling.
 */
export function nextWaitMs(
  next: number,
  { headers, body }: Refusal,
  hints: RetryHints | undefined,
  now: Date,
): number {
  const { after_header: after, at_header: at, remaining_header: remaining } = hints ?? {};
  // Some providers tell on every answer when the quota starts again: that counts once it is used up.
  const left = remaining === undefined ? undefined : findHeader(headers, remaining);
  const isQuotaLeft = left !== undefined && left.trim() !== "0";
  const asked = [
    readAfter(findHeader(headers, "retry-after"), now),
    after === undefined ? undefined : readAfter(findHeader(headers, after), now),
    at === undefined || isQuotaLeft ? undefined : readAt(findHeader(headers, at), now),
  ].filter((ms) => ms !== undefined);
  const askedMs = asked.length > 0 ? Math.max(...asked) : readInBody(body, hints, now);
  return askedMs === undefined ? backoffMs(WAITS, next) : Math.min(askedMs, WAITS.longestMs);
}

function readInBody(body: unknown, hints: RetryHints | undefined, now: Date): number | undefined {
  if (hints?.in_body === undefined) return undefined;
  const value = readPath(body, hints.in_body.path);
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  if (hints.in_body.strategy === "at") return readAt(text, now);
  return readAfter(/\d+(\.\d+)?/.exec(text)?.[0], now);
}

/** Seconds or a date (RFC 9110 section 10.2.3); anything else counts as absent. */
export function readAfter(text: string | undefined, now: Date): number | undefined {
  const value = text?.trim() ?? "";
  if (/^\d{1,10}(\.\d+)?$/.test(value)) return Number(value) * SECOND;
  return readDate(value, now);
}

const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/** A time: seconds or milliseconds since 1970, or a date; small numbers are seconds from now. */
export function readAt(text: string | undefined, now: Date): number | undefined {
  const value = text?.trim() ?? "";
  if (!/^\d{1,15}(\.\d+)?$/.test(value)) return readDate(value, now);
  const number = Number(value);
  if (number < EPOCH_SECONDS) return number * SECOND;
  return Math.max(0, (number < EPOCH_MS ? number * SECOND : number) - now.getTime());
}

function readDate(value: string, now: Date): number | undefined {
  if (!/^([A-Za-z]{3}|\d{4}-)/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
