import type { ErrorCode } from "@jackfield/contract";
import { AppError } from "../errors.ts";

/** What is wrong with one value that a caller sent. */
export interface FieldFault {
  /** Kind of the fault, as zod names it; `custom` where none is given. */
  readonly code?: string;
  /** Its path; empty: the whole. */
  readonly path: readonly string[];
  /** A predicate without a full stop: `is missing`, `must be a string, not a number`. */
  readonly message: string;
}

/** The codes of refused values, one for each place in a request. */
export type FieldErrorCode = Extract<
  ErrorCode,
  "invalid_body" | "invalid_query_params" | "invalid_uri_params" | "invalid_headers"
>;

/** How the places are called: the whole, and a value in it. */
const places: Readonly<Record<FieldErrorCode, { whole: string; one: string }>> = {
  invalid_body: { whole: "The body", one: "" },
  invalid_query_params: { whole: "The query", one: "The query parameter " },
  invalid_uri_params: { whole: "The path", one: "The path parameter " },
  invalid_headers: { whole: "The request", one: "The header " },
};

// The message names up to this many.
const MOST_REPORTED = 3;

/** `errors` lists up to this many: a request with more has one cause for most of them. */
export const LISTED = 20;

/** The error that tells which values are wrong, and how; the first faults stand in `errors` too. */
export function invalidFields(
  code: FieldErrorCode,
  faults: readonly FieldFault[],
  { inAll = faults.length }: { readonly inAll?: number } = {},
): AppError {
  const reported = faults.slice(0, MOST_REPORTED).map((fault) => toSentence(code, fault));
  const listed = faults.slice(0, LISTED);
  return new AppError(code, [...reported, ...wordRest(listed.length, inAll)].join(" "), {
    details: listed.map(({ code: kind = "custom", message, path }) => ({
      code: kind,
      message: shortenText(message),
      path: path.map(shortenStep),
    })),
  });
}

function wordRest(listed: number, inAll: number): string[] {
  if (inAll > listed) return [`There are ${inAll} faults; \`errors\` has the first ${listed}.`];
  const rest = listed - MOST_REPORTED;
  if (rest <= 0) return [];
  return [`There ${rest === 1 ? "is 1" : `are ${rest}`} more in \`errors\`.`];
}

// No name of ours is longer, and 20 faults of it stay within a few KB.
const LONGEST_STEP = 255;
const LONGEST_TEXT = 1000;

function shortenStep(step: string): string {
  return step.length > LONGEST_STEP ? `${step.slice(0, LONGEST_STEP)}…` : step;
}

function shortenText(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

function toSentence(code: FieldErrorCode, { path, message: text }: FieldFault): string {
  const message = shortenText(text);
  const { whole, one } = places[code];
  const end = /[.!?]$/.test(message) ? "" : ".";
  if (path.length === 0) return `${whole} ${message}${end}`;
  const name = code === "invalid_headers" ? toHeaderName(path) : toFieldName(path);
  return `${one}\`${name}\` ${message}${end}`;
}

// A longer name may be a secret in the wrong place: its beginning is enough to find it.
const LONGEST_NAME = 32;

/** A name that the caller chose, as it may be repeated to the caller. */
export function shortenName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, 8)}…` : name;
}

/** `credentials.client_id`, `scopes[0]`. */
function toFieldName(path: readonly string[]): string {
  return path
    .map((step, index) => {
      if (index > 0 && /^\d+$/.test(step)) return `[${step}]`;
      const name = shortenName(step);
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/** `connection-id` as people write it: `Connection-Id`. */
function toHeaderName([name = ""]: readonly string[]): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
