import type { FromChild } from "@jackfield/contract/runtime";
import type { SandboxOutcome } from "../types.ts";
import { ABORTED, type PendingRun } from "./pending-run.ts";

/** What a process says of a run's end, as far as it can be believed. */
export function toOutcome(
  message: Extract<FromChild, { op: "done" | "failed" }>,
  body: Uint8Array,
  pending: PendingRun,
): SandboxOutcome {
  if (message.op === "failed") {
    if (pending.run.signal?.aborted === true) return { kind: "failed", error: ABORTED };
    // Only the host can say that nothing ran.
    const hasLied = message.error.type === "overloaded";
    const error = hasLied ? { ...message.error, type: "script_internal_error" } : message.error;
    return { kind: "failed", error };
  }
  const limit = pending.run.facts.outputLimitBytes;
  if (body.byteLength > limit) {
    const size = `The output has ${body.byteLength} bytes; the limit is ${limit}.`;
    return { kind: "failed", error: { type: "script_output_too_large", message: size } };
  }
  return { kind: "done", output: Buffer.from(body), interrupted: message.interrupted === true };
}
