import { isUtf8 } from "node:buffer";
import { functionLimits } from "@jackfield/contract/function-limits";
import type { RunError } from "@jackfield/contract/runtime";
import { scanLongJson } from "#foundation/json";
import type { SandboxOutcome } from "#foundation/sandbox";
import type { LoggedError } from "#logs";

export type ActionOutcome =
  | { readonly kind: "done"; readonly output: Uint8Array }
  | { readonly kind: "failed"; readonly error: RunError };

const NULL = Buffer.from("null");

const MAX_DEPTH = functionLimits.recordDepth.value;

/**
 * The outcome of a run as a caller sees it: no output is `null`, the size limit holds for every process, and what is
 * no JSON never leaves the server, since a function's process may send any bytes as its output.
 */
export async function toActionOutcome(
  outcome: SandboxOutcome,
  limitBytes: number,
): Promise<ActionOutcome> {
  if (outcome.kind === "failed") return outcome;
  const { output } = outcome;
  if (output.byteLength === 0) return { kind: "done", output: NULL };
  if (output.byteLength > limitBytes) {
    const message = `The output is ${output.byteLength} bytes of JSON; at most ${limitBytes} are allowed.`;
    return { kind: "failed", error: { type: "script_output_too_large", message } };
  }
  if (await isJsonValue(output)) return { kind: "done", output };
  const message = `The output is not JSON in UTF-8 with at most ${MAX_DEPTH} objects and arrays inside each other.`;
  return { kind: "failed", error: { type: "script_internal_error", message } };
}

/** Whether bytes from a function's process are a JSON text that the server may pass on. */
export async function isJsonValue(bytes: Uint8Array): Promise<boolean> {
  return isUtf8(bytes) && (await scanLongJson(bytes, { maxDepth: MAX_DEPTH })) !== undefined;
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
