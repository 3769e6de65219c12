import { AuthError } from "@jackfield/frontend";
import type { FormField } from "./form-fields.ts";
import type { Texts } from "./texts.ts";

/** A failure that the person can do something about, in words for them. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** Faults of single fields by field id. */
  readonly faults: ReadonlyMap<string, string>;
}

/** Why the page cannot continue at all. */
export type StopReason = keyof Texts["stopped"];

export function toAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  return new AuthError(error instanceof Error ? error.message : String(error), "unknown_error");
}

const stopReasons = new Map<string, StopReason>([
  ["unknown_connect_session_token", "expired"],
  ["invalid_connect_session_token_format", "expired"],
  ["session_used", "used"],
  ["invalid_connection", "gone"],
]);

/** Errors after which no further attempt of this session can succeed. */
export function findStopReason({ type }: AuthError): StopReason | undefined {
  return stopReasons.get(type);
}

export function toProblem(error: AuthError, fields: readonly FormField[], texts: Texts): Problem {
  const known = texts.failures.get(error.type);
  return {
    type: error.type,
    title: known?.title ?? texts.failureTitles.get(error.type) ?? texts.failedTitle,
    text: known?.text ?? error.message,
    faults: findFaults(error, fields),
  };
}

function findFaults({ details }: AuthError, fields: readonly FormField[]): Map<string, string> {
  const faults = new Map<string, string>();
  for (const { path = [], message } of details) {
    const field = fields.find(({ name }) => name === path.at(-1));
    if (field !== undefined && message !== undefined) faults.set(field.id, message);
  }
  return faults;
}
