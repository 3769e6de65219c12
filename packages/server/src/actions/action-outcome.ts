import type { RunError } from "@jackfield/contract/runtime";
import type { LoggedError } from "#logs";
import type { SandboxOutcome } from "#platform/sandbox";

export type ActionOutcome =
  | { readonly kind: "done"; readonly output: Uint8Array }
  | { readonly kind: "failed"; readonly error: RunError };

const NULL = Buffer.from("null");

/** The outcome of a run as a caller sees it: no output is `null`, and the size limit holds for every process. */
export function toActionOutcome(outcome: SandboxOutcome, limitBytes: number): ActionOutcome {
  if (outcome.kind === "failed") return outcome;
  const { output } = outcome;
  if (output.byteLength === 0) return { kind: "done", output: NULL };
  if (output.byteLength <= limitBytes) return { kind: "done", output };
  const message = `The output is ${output.byteLength} bytes of JSON; at most ${limitBytes} are allowed.`;
  return { kind: "failed", error: { type: "script_output_too_large", message } };
}

const withOwnPayload = new Set([
  "action_script_runtime_error",
  "script_internal_error",
  "script_network_error",
]);

/** The failure as the operation keeps it: without the provider's bodies and without the input. */
export function toLoggedError({ type, message, payload, upstream }: RunError): LoggedError {
  if (upstream !== undefined) return { type, message, payload: { status: upstream.status } };
  if (payload === undefined || !withOwnPayload.has(type)) return { type, message };
  return { type, message, payload };
}
