import type { FunctionKind } from "@jackfield/contract/runtime";
import { defineCounter, defineHistogram } from "#platform/instruments";
import type { SandboxOutcome } from "#platform/sandbox";

const runs = defineCounter({
  name: "svc_runs_total",
  help: "Runs of functions that ended, by kind and outcome.",
  unit: "{run}",
  labels: ["kind", "outcome"],
});
const durations = defineHistogram({
  name: "svc_run_duration_seconds",
  help: "How long runs took, waiting for a process included.",
  unit: "s",
  labels: ["kind"],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
});

// A function chooses the types of its own errors; these are the server's.
const outcomes: Readonly<Record<string, string>> = {
  function_runtime_timed_out: "timed_out",
  function_runtime_out_of_memory: "out_of_memory",
  function_runtime_other: "crashed",
  script_aborted: "cancelled",
  overloaded: "overloaded",
};

export function countRun(kind: FunctionKind, outcome: SandboxOutcome, durationMs: number): void {
  runs.add(1, { kind, outcome: outcomeOf(outcome) });
  durations.record(durationMs / 1000, { kind });
}

export function outcomeOf(outcome: SandboxOutcome): string {
  if (outcome.kind === "done") return outcome.interrupted ? "interrupted" : "succeeded";
  const { type } = outcome.error;
  return Object.hasOwn(outcomes, type) ? (outcomes[type] ?? "failed") : "failed";
}
