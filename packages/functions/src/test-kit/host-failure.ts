import type { RunError } from "@jackfield/contract/runtime";

/** A call of a function that failed, as the function gets to see it. */
export class HostFailure extends Error {
  override name = "HostFailure";
  readonly error: RunError;
  /** Of a tape that is played: the moment at which the failure came. */
  readonly moment: string | undefined;

  constructor(
    error: RunError,
    { cause, moment }: { cause?: unknown; moment?: string | undefined } = {},
  ) {
    super(error.message, { cause });
    this.error = error;
    this.moment = moment;
  }
}
