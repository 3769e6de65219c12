import type { RunError } from "@jackfield/contract/runtime";

/** A call of a function that failed, as the function gets to see it. */
export class HostFailure extends Error {
  override name = "HostFailure";
  readonly error: RunError;

  constructor(error: RunError, options: { cause?: unknown } = {}) {
    super(error.message, options);
    this.error = error;
  }
}
