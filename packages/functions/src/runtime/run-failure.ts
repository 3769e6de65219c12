import type { RunError } from "@jackfield/contract/runtime";

/** A failure with a code: of a call to the host, or of the run itself. */
export class RunFailure extends Error {
  override name = "RunFailure";
  readonly type: string;
  readonly payload: unknown;
  /** The answer that the API gives to the same call; absent where the call is none of the API's. */
  readonly response: FailedAnswer | undefined;

  constructor(error: {
    type: string;
    message: string;
    status?: number | undefined;
    payload?: unknown;
    cause?: unknown;
  }) {
    super(error.message, error.cause === undefined ? undefined : { cause: error.cause });
    this.type = error.type;
    this.payload = error.payload;
    this.response = error.status === undefined ? undefined : toAnswer(error, error.status);
  }
}

interface FailedAnswer {
  readonly status: number;
  readonly data: {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly errors?: readonly unknown[];
    };
  };
}

function toAnswer(
  { type: code, message, payload }: { type: string; message: string; payload?: unknown },
  status: number,
): FailedAnswer {
  const errors = payload === undefined ? {} : { errors: [payload].flat() };
  return { status, data: { error: { code, message, ...errors } } };
}

/** Pauses a run at a checkpoint it has just saved; the run continues from there later. */
export class ExecutionInterrupted extends Error {
  override name = "ExecutionInterrupted";
}

export function fromRunError(error: RunError): RunFailure {
  const { type, message, status, payload } = error;
  return new RunFailure({ type, message, status, payload });
}
