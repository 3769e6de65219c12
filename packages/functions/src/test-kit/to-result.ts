import type { RunError } from "@jackfield/contract/runtime";
import type { LocalHost } from "./local-host.ts";
import type { RunResult } from "./recording.ts";
import { redactJson } from "./redact.ts";

const NO_SECRETS: ReadonlySet<string> = new Set();

/** How a run ended: with an action's output (undefined for none), or with an error. */
export type RunEnd = { readonly output: unknown } | { readonly error: RunError };

/** What a run did that can be seen from outside, without secrets. */
export function toRunResult(
  host: LocalHost,
  end: RunEnd,
  secrets: ReadonlySet<string> = NO_SECRETS,
): RunResult {
  const { state, changes } = host;
  const { metadata, metadataPatch } = state;
  const clean = (value: unknown) => redactJson(value, secrets);
  const result = {
    ...("output" in end && end.output !== undefined && { output: end.output }),
    ...("error" in end && { error: { type: end.error.type, message: end.error.message } }),
    ...(Object.keys(changes).length > 0 && { records: changes }),
    ...(state.isCheckpointTouched && { checkpoint: state.checkpoint }),
    ...(metadataPatch !== undefined && { metadata: { ...metadata, ...metadataPatch } }),
  };
  // JSON is what the server would have seen: undefined members and dates go as they go there.
  return toResult(clean(JSON.parse(JSON.stringify(result))));
}

/** Built above from what the type says, and only copied since. */
function toResult(value: unknown): RunResult {
  return value as RunResult;
}
