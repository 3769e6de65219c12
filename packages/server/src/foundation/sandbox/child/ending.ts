import type { RunError } from "@jackfield/contract/runtime";

/** Why a function process ended. `runId` is the run that the host ended it for. */
export type Ending =
  | { readonly kind: "timeout"; readonly runId: string; readonly timeoutMs: number }
  | { readonly kind: "cancelled"; readonly runId: string }
  | { readonly kind: "memory" }
  | { readonly kind: "protocol"; readonly reason: string }
  | { readonly kind: "load"; readonly error: RunError }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "crash"; readonly detail: string }
  /** Before it had any code of a function. `isSlow`: it was ended because it took too long. */
  | { readonly kind: "unstarted"; readonly detail: string; readonly isSlow?: boolean }
  /** It can take no run: leftovers of an earlier one are in the way. None of the runs that it got has started. */
  | { readonly kind: "unfit"; readonly reason: string }
  | { readonly kind: "closed" };

/** Reads what happened from how a process went that the host did not end. */
export function toEnding(
  code: number | null,
  signal: NodeJS.Signals | null,
  stderr: string,
): Ending {
  // The heap limit aborts: SIGABRT, or SIGSEGV as the first process of a namespace. A SIGKILL that
  // is not ours comes from the kernel when memory runs out.
  // A wrapper reports a signal as 128 and its number.
  const isKilled = signal === "SIGKILL" || code === 137;
  const isOutOfMemory = /out of memory|Failed to reserve|Cannot allocate memory/i.test(stderr);
  if (isKilled || (isOutOfMemory && code !== 0)) return { kind: "memory" };
  if (signal !== null) return { kind: "crash", detail: signal };
  return { kind: "exit", code: code ?? 0 };
}

export function toUnstarted(ending: Ending): Ending {
  return { kind: "unstarted", detail: "detail" in ending ? ending.detail : "it ended at once" };
}

export function presentEnding(ending: Ending, limits: { heapMb: number }): RunError {
  switch (ending.kind) {
    case "timeout":
      return {
        type: "function_runtime_timed_out",
        message: `The function ran past its limit of ${ending.timeoutMs / 1000} s and was ended.`,
      };
    case "memory":
      return {
        type: "function_runtime_out_of_memory",
        message: `The function used more memory than it may (heap ${limits.heapMb} MiB). Work on smaller pages of data.`,
      };
    case "cancelled":
    case "closed":
      return { type: "script_aborted", message: "The run was cancelled." };
    case "load":
      return ending.error;
    case "protocol":
      return other(`The function broke its channel to the server: ${ending.reason}.`);
    case "exit":
      return other(`The function ended its own process with exit code ${ending.code}.`);
    case "unfit":
      return other(`The function's process was ended: ${ending.reason}.`);
    case "unstarted":
      return explainStart(ending.detail);
    case "crash":
      return other(`The function's process ended unexpectedly (${ending.detail}).`);
  }
}

function explainStart(detail: string): RunError {
  return {
    type: "overloaded",
    message: `The process for the function did not start (${detail}); no code ran. Try again.`,
  };
}

/** A run that found no process in time; it may be tried again, for it did nothing. */
export function presentWait(startTimeoutMs: number, ceiling: number | undefined): RunError {
  const seconds = startTimeoutMs / 1000;
  return {
    type: "overloaded",
    message:
      ceiling === undefined
        ? `No process for functions became free within ${seconds} s; the function did not start. Try again, or give functions more memory.`
        : `The environment has all the ${ceiling} processes for functions that it may have at once, and none of them became free within ${seconds} s; the function did not start. Try again later.`,
  };
}

/** Reported at once, for the run would only wait in vain. */
export function presentCrowd(waiting: number): RunError {
  return {
    type: "overloaded",
    message: `${waiting} functions of the environment wait for a process already; this one did not start. Try again later.`,
  };
}

export const ENDED_BY_ANOTHER: RunError = other(
  "Another run in the same process ended it. This run had already sent changes and was not repeated.",
);

function other(message: string): RunError {
  return { type: "function_runtime_other", message };
}
