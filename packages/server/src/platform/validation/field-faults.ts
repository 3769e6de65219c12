import type { ErrorCode } from "@jackfield/contract";
import { AppError } from "../errors.ts";

/** What is wrong with one value that a caller sent. */
export interface FieldFault {
  /** Kind of the fault, as zod names it; `custom` where none is given. */
  readonly code?: string;
  /** Where it stands; empty: the whole. */
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

// So many are told in the message; all of them stand in `errors`.
const TOLD = 3;

/** The error that tells which values are wrong, and how; each fault stands in `errors` too. */
export function invalidFields(code: FieldErrorCode, faults: readonly FieldFault[]): AppError {
  const told = faults.slice(0, TOLD).map((fault) => toSentence(code, fault));
  const rest = faults.length - told.length;
  const more =
    rest <= 0 ? [] : [`There ${rest === 1 ? "is 1" : `are ${rest}`} more in \`errors\`.`];
  return new AppError(code, [...told, ...more].join(" "), {
    details: faults.map(({ code: kind = "custom", message, path }) => ({
      code: kind,
      message,
      path: [...path],
    })),
  });
}

function toSentence(code: FieldErrorCode, { path, message }: FieldFault): string {
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
