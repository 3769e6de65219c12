import { field } from "./api.ts";
import { AuthError } from "./auth-error.ts";
import type { AuthResult } from "./auth-options.ts";

/** How far a connect session is. */
export type SessionResult =
  | { readonly state: "waiting" }
  | { readonly state: "success"; readonly result: AuthResult }
  | { readonly state: "error"; readonly error: AuthError };

/** Reads `{data: {state, ...}}` of the events and of the result. How another attempt of the session ended says nothing. */
export function parseSessionResult(body: unknown, attemptId?: string): SessionResult {
  const data = field(body, "data");
  const attempt = field(data, "attempt_id");
  if (attemptId !== undefined && attempt !== undefined && attempt !== attemptId) {
    return { state: "waiting" };
  }
  switch (field(data, "state")) {
    case "success":
      return {
        state: "success",
        result: {
          connectionId: text(field(data, "connection_id")),
          providerConfigKey: text(field(data, "provider_config_key")),
          ...(field(data, "is_pending") === true ? { isPending: true } : {}),
        },
      };
    case "error": {
      const error = field(data, "error");
      const type = text(field(error, "type"));
      const message = text(field(error, "message"));
      return {
        state: "error",
        error: new AuthError(message, type === "" ? "unknown_error" : type),
      };
    }
    default:
      return { state: "waiting" };
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
