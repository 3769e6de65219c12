import type { RunError } from "@jackfield/contract/runtime";
import { endStateOf } from "#functions";

export type RunOutcome =
  | { readonly kind: "success" | "interrupted" | "cancelled" }
  | { readonly kind: "failed"; readonly error: RunError };

export const runStates = {
  success: "success",
  interrupted: "success",
  cancelled: "cancelled",
  failed: "failed",
} as const;

/** How the operation of a run ends. */
export function endStateOfRun(outcome: RunOutcome) {
  return outcome.kind === "failed" ? endStateOf(outcome.error) : runStates[outcome.kind];
}
