import type { RunError } from "@jackfield/contract/runtime";

/** A failure with a code: of a call to the host, or of the run itself. */
export class RunFailure extends Error {
  override name = "RunFailure";
  readonly type: string;
  readonly payload: unknown;

  constructor(error: { type: string; message: string; payload?: unknown; cause?: unknown }) {
    super(error.message, error.cause === undefined ? undefined : { cause: error.cause });
    this.type = error.type;
    this.payload = error.payload;
  }
}

/** Pauses a run at a checkpoint it has just saved; the run goes on from there later. */
export class ExecutionInterrupted extends Error {
  override name = "ExecutionInterrupted";
}

export function fromRunError(error: RunError): RunFailure {
  return new RunFailure({ type: error.type, message: error.message, payload: error.payload });
}
