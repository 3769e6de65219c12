import { endStateOf } from "#functions";
import type { RunOutcome } from "./end-run.ts";

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
