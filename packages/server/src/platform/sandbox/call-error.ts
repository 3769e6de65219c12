import type { RunError } from "@jackfield/contract/runtime";

/** Why a call of a function failed, as the function gets to see it. */
export class CallError extends Error {
  override name = "CallError";
  readonly error: RunError;

  constructor(error: RunError, options: { cause?: unknown } = {}) {
    super(error.message, options);
    this.error = error;
  }
}
