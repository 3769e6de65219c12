import { AuthError } from "@jackfield/frontend";
import type { Texts } from "./texts/english.ts";

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
