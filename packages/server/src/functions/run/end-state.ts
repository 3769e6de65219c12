import type { RunError } from "@jackfield/contract/runtime";

const endStates: Readonly<Record<string, "timeout" | "cancelled">> = {
  execution_timeout: "timeout",
  function_runtime_timed_out: "timeout",
  script_aborted: "cancelled",
};

/** The state in which an operation ends whose run failed like this. */
export function endStateOf(error: RunError): "failed" | "timeout" | "cancelled" {
  return endStates[error.type] ?? "failed";
}
