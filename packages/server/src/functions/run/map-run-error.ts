import type { RunError } from "@jackfield/contract/runtime";
import { mapStack } from "#foundation/sandbox";

/** The error with its stacks in the author's files; as it is where there is no map or no stack. */
export function mapRunError(error: RunError, sourceMap: string | undefined): RunError {
  if (sourceMap === undefined) return error;
  return {
    ...error,
    ...(error.stack === undefined ? {} : { stack: mapStack(error.stack, sourceMap) }),
    ...("payload" in error ? { payload: mapPayload(error, sourceMap) } : {}),
  };
}

/** What an exception is reported with has its stack as lines; the payload of an ActionError is the author's own. */
function mapPayload({ type, payload }: RunError, sourceMap: string): unknown {
  if (type === "action_script_runtime_error" || type === "script_http_error") return payload;
  if (typeof payload !== "object" || payload === null || !("stacktrace" in payload)) return payload;
  const lines = payload.stacktrace;
  if (!Array.isArray(lines) || !lines.every((line) => typeof line === "string")) return payload;
  return { ...payload, stacktrace: mapStack(lines.join("\n"), sourceMap).split("\n") };
}
