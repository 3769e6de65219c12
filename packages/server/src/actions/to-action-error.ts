import type { ErrorCode } from "@jackfield/contract";
import type { RunError } from "@jackfield/contract/runtime";
import { AppError } from "#platform";

/** What a run may end a call with; any other type is an exception like others. */
const actionCodes: readonly ErrorCode[] = [
  "action_outcome_unknown",
  "action_script_runtime_error",
  "script_http_error",
  "script_network_error",
  "script_internal_error",
  "script_aborted",
  "script_output_too_large",
  "invalid_action_input",
  "invalid_action_output",
  "execution_timeout",
  "function_runtime_timed_out",
  "function_runtime_out_of_memory",
  "function_runtime_other",
  "overloaded",
];
/** What did not start for want of a process may be asked for again soon. */
const RETRY_AFTER = { "Retry-After": "1" };

/** The answer to a call whose action failed: payload and upstream go into `errors`. */
export function toActionError(error: RunError): AppError {
  const code = actionCodes.find((known) => known === error.type) ?? "script_internal_error";
  const details = toDetails(error);
  return new AppError(code, error.message, {
    ...(details === undefined ? {} : { details }),
    ...(code === "overloaded" ? { headers: RETRY_AFTER } : {}),
  });
}

function toDetails({ payload, upstream }: RunError): Record<string, unknown>[] | undefined {
  if (upstream !== undefined) return [{ upstream }];
  if (payload === undefined || payload === null) return undefined;
  if (isPlainObject(payload)) return [payload];
  return [Array.isArray(payload) ? { payload } : { message: payload }];
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
