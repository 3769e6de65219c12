import { AppError } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import type { DestinationError } from "../destination.ts";
import type { ConnectionTarget } from "./connection-url.ts";

/** A failure that has a name of its own. */
export class DeliveryError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const LONGEST_TEXT = 300;
const sqlState = /^[0-9A-Z]{5}$/;

/** What is shown of a failure: what the database said, in part, and never the password. */
export function toDestinationError(
  error: unknown,
  { host, password }: Pick<ConnectionTarget, "host" | "password">,
): DestinationError {
  if (error instanceof DeliveryError || error instanceof AppError) {
    return { code: error.code, message: error.message };
  }
  const code = codeOf(error);
  if (code !== undefined && sqlState.test(code) && error instanceof Error) {
    const said = clean(error.message, password);
    return { code, message: `The database refused it: ${said}${adviceFor(code)}` };
  }
  if (code === undefined && error instanceof Error) {
    // What the client of Postgres says itself, such as `The server does not support SSL connections`.
    return { code: "protocol_error", message: `${host}: ${clean(error.message, password)}` };
  }
  const { code: known, message } = toUpstreamError(error, host);
  return { code: known, message };
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) {
    return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
  }
  return typeof error.code === "string" ? error.code : undefined;
}

function adviceFor(code: string): string {
  if (code.startsWith("28")) return ". Correct the user or the password in `url`.";
  if (code === "42501") {
    return ". Grant the user the rights to create the table, or CREATE on its schema.";
  }
  if (code === "57014" || code === "55P03")
    return ". The table is locked, or the database is slow.";
  return "";
}

/** One line without the password; a hostile server chooses it. */
function clean(text: string, password: string): string {
  // Before the text is cut, which would leave a part of it.
  const hidden = password === "" ? text : text.replaceAll(password, "…");
  return hidden.replaceAll(/[^ -~\u00a0-\ud7ff]+/g, " ").slice(0, LONGEST_TEXT);
}
