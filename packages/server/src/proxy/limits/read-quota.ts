import type { RetryHints } from "@jackfield/catalogue";
import { SECOND } from "#foundation";
import { findHeader } from "../answer/response-headers.ts";
import { readAfter, readAt } from "../exchange/retry-policy.ts";
import type { Allowance } from "./budget.ts";

/** What an answer says of the quota that its call used. */
export interface QuotaReport {
  /** Whose it is: `app` where the header says that all connections share it. */
  readonly scope: "connection" | "app";
  /** Milliseconds until it starts again, where it is used up. */
  readonly waitMs?: number;
  /** Calls of a window, where a header says so. */
  readonly limit?: number | undefined;
  /** What is left of it. */
  readonly allowance?: Allowance;
}

// Without a time in the answer: long enough to help, short enough not to hold anything up.
const UNKNOWN_WAIT_MS = 5 * SECOND;
const LONGEST_WAIT_MS = 60 * 60 * SECOND;

/** What an answer says of a quota; undefined where it says nothing that helps. */
export function readQuota(
  { status, headers }: { readonly status: number; readonly headers: readonly string[] },
  hints: RetryHints | undefined,
  now: Date,
): QuotaReport | undefined {
  const remaining = findRemaining(headers, hints);
  const isUsedUp = status === 429 || remaining === 0;
  if (!isUsedUp && remaining === undefined) return undefined;
  const limit = findLimit(headers);
  const scope = findScope(headers);
  const resets = remaining === undefined ? [] : listResets(headers, now);
  if (!isUsedUp) {
    const ends = [readAtHint(headers, hints, now), ...resets].filter((ms) => ms !== undefined);
    if (ends.length === 0 || remaining === undefined) return undefined;
    return { scope, allowance: { remaining, resetMs: Math.max(...ends), limit } };
  }
  const asked = [...listAsked(headers, hints, now), ...(remaining === 0 ? resets : [])];
  const known = asked.filter((ms) => ms !== undefined);
  const waitMs = known.length > 0 ? Math.max(...known) : UNKNOWN_WAIT_MS;
  if (waitMs === 0) return undefined;
  return { scope, limit, waitMs: Math.min(waitMs, LONGEST_WAIT_MS) };
}

const remainingNames = [
  "x-ratelimit-remaining",
  "x-rate-limit-remaining",
  "ratelimit-remaining",
  "x-ratelimit-requests-remaining",
  "x-ratelimit-remaining-requests",
  "x-app-rate-limit-remaining",
];

const resetNames = [
  "x-ratelimit-reset",
  "x-rate-limit-reset",
  "ratelimit-reset",
  "x-ratelimit-requests-reset",
  "x-ratelimit-reset-after",
  "x-app-rate-limit-reset",
];

const limitNames = [
  "x-ratelimit-limit",
  "x-rate-limit-limit",
  "ratelimit-limit",
  "x-ratelimit-requests-limit",
  "x-ratelimit-limit-requests",
  "x-app-rate-limit-limit",
];

/** Calls of a whole window; undefined where no header says, or where several windows are listed. */
function findLimit(headers: readonly string[]): number | undefined {
  const counts = limitNames.map((name) => readCount(findHeader(headers, name)));
  const known = [...counts, readStructured(headers, "q", "limit")].filter(
    (count) => count !== undefined && count > 0,
  );
  return known[0];
}

/** Undefined where no header tells. */
function findRemaining(
  headers: readonly string[],
  hints: RetryHints | undefined,
): number | undefined {
  const names = hints?.remaining_header === undefined ? [] : [hints.remaining_header];
  const values = [...names, ...remainingNames].map((name) => findHeader(headers, name));
  const counts = [
    ...values.map(readCount),
    readStructured(headers, "r", "remaining"),
    readCallLimit(headers),
  ];
  const reported = counts.filter((count) => count !== undefined);
  return reported.length === 0 ? undefined : Math.min(...reported);
}

function readCount(text: string | undefined): number | undefined {
  const value = text?.trim() ?? "";
  return /^-?\d{1,12}(\.\d+)?$/.test(value) ? Math.max(0, Number(value)) : undefined;
}

/** `RateLimit: "default";r=0;t=5`, and its older form `RateLimit: limit=9, remaining=0, reset=5` (IETF drafts). */
function readStructured(
  headers: readonly string[],
  short: string,
  long: string,
): number | undefined {
  const text = findHeader(headers, "ratelimit");
  const found = text?.match(new RegExp(`(?:^|[;,\\s])(?:${short}|${long})=(\\d{1,9})`));
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/** `X-Shopify-Shop-Api-Call-Limit: 40/40`: used, of all. */
function readCallLimit(headers: readonly string[]): number | undefined {
  const text = findHeader(headers, "x-shopify-shop-api-call-limit");
  const found = text?.match(/^\s*(\d{1,6})\/(\d{1,6})\s*$/);
  return found === null || found === undefined
    ? undefined
    : Math.max(0, Number(found[2]) - Number(found[1]));
}

function listAsked(headers: readonly string[], hints: RetryHints | undefined, now: Date) {
  const after = hints?.after_header;
  return [
    readAfter(findHeader(headers, "retry-after"), now),
    after === undefined ? undefined : readAfter(findHeader(headers, after), now),
    readAtHint(headers, hints, now),
  ];
}

function readAtHint(headers: readonly string[], hints: RetryHints | undefined, now: Date) {
  const at = hints?.at_header;
  return at === undefined ? undefined : readAt(findHeader(headers, at), now);
}

function listResets(headers: readonly string[], now: Date) {
  const structured = readStructured(headers, "t", "reset");
  return [
    ...resetNames.map((name) => readAt(findHeader(headers, name), now)),
    structured === undefined ? undefined : structured * SECOND,
  ];
}

function findScope(headers: readonly string[]): QuotaReport["scope"] {
  const isApp = headers.some((item, index) => {
    return index % 2 === 0 && /^x-(app|application|client)-(rate|usage)/i.test(item);
  });
  return isApp ? "app" : "connection";
}
