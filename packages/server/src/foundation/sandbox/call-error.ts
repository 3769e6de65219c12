import type { RunError } from "@jackfield/contract/runtime";

/** Why a call of a function failed, as the function gets to see it. */
export class CallError extends Error {
  override name = "CallError";
  readonly error: RunError;
  /** Of a run that is played: the moment of its tape at which the failure came. */
  readonly moment: string | undefined;

  constructor(error: RunError, options: { cause?: unknown; moment?: string | undefined } = {}) {
    super(error.message, { cause: options.cause });
    this.error = error;
    this.moment = options.moment;
  }
}
