import { FRAME_LIMITS } from "@jackfield/contract/frames";
import { type RunError, runtimeMethods, type ToChild } from "@jackfield/contract/runtime";
import { scriptMethods } from "@jackfield/contract/script";
import * as z from "zod";
import { CallError } from "../call-error.ts";
import type { Call, SandboxLog, SandboxRun } from "../types.ts";

export interface Answer {
  readonly message: ToChild;
  readonly body?: Uint8Array;
}

/** Checks one call of a function, has it done, and words the answer; never rejects. */
export async function answerCall(
  run: SandboxRun,
  callId: string,
  call: Call,
  log: SandboxLog,
): Promise<Answer> {
  const checked = checkCall(call, "seed" in run.facts ? ofScripts : ofFunctions);
  if ("error" in checked) return toFailure(callId, checked.error);
  try {
    const answer = await run.onCall({ ...call, id: callId, params: checked.params });
    if ((answer.body?.byteLength ?? 0) > FRAME_LIMITS.bodyBytes)
      return toFailure(callId, TOO_LARGE);
    const { value, moment } = answer;
    const message: ToChild = { op: "result", callId, value, ...(moment && { moment }) };
    return answer.body === undefined ? { message } : { message, body: answer.body };
  } catch (error) {
    if (error instanceof CallError) return toFailure(callId, error.error, error.moment);
    log("sandbox.call_failed", { method: call.method, error });
    return toFailure(callId, {
      type: "server_error",
      message: `The platform could not do ${call.method}; its log has the cause.`,
    });
  }
}

const TOO_LARGE: RunError = {
  type: "script_internal_error",
  message: "The answer is larger than 110 MiB; ask for less at once.",
};

type Methods = ReadonlyMap<string, { readonly params: z.ZodType }>;

const ofFunctions: Methods = new Map(Object.entries(runtimeMethods));
const ofScripts: Methods = new Map(Object.entries(scriptMethods));
/** So many faults are worded; the schemas find few, however much is sent. */
const WORDED = 5;

function checkCall(call: Call, methods: Methods): { params: unknown } | { error: RunError } {
  const method = methods.get(call.method);
  if (method === undefined) {
    return { error: invalid(`The platform has no call "${call.method.slice(0, 100)}".`) };
  }
  const params = method.params.safeParse(call.params);
  if (params.success) return { params: params.data };
  const faults = z.prettifyError({ issues: params.error.issues.slice(0, WORDED) });
  return { error: invalid(`${call.method}: ${faults.slice(0, 2000)}`) };
}

function invalid(message: string): RunError {
  return { type: "script_internal_error", message };
}

function toFailure(callId: string, error: RunError, moment?: string): Answer {
  return { message: { op: "failure", callId, error, ...(moment && { moment }) } };
}
