import type { ErrorCode } from "../errors.ts";

/** How a run of an action may end a call, on each route that runs or answers one. */
export const actionErrors = [
  "action_outcome_unknown",
  "action_script_runtime_error",
  "script_http_error",
  "invalid_credentials",
  "connection_frozen",
  "connection_refresh_backoff",
  "integration_misconfigured",
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
] as const satisfies readonly ErrorCode[];
