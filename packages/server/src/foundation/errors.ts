import { type ErrorCode, errorMessage, errorStatus } from "@jackfield/contract";

/** A failure that is reported to the caller: a code of the error table, and what to do about it. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  readonly details: readonly Record<string, unknown>[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The next request for the same address gets the same error: HTTP repeats the answer for a moment. */
  readonly repeats: boolean;

  constructor(
    code: ErrorCode,
    message: string = errorMessage(code),
    options: {
      details?: readonly Record<string, unknown>[];
      headers?: Readonly<Record<string, string>>;
      repeats?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.repeats = options.repeats ?? false;
  }

  get status(): number {
    return errorStatus(this.code);
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** For the operator's log: the message, and where an error stands for another one, that one's code and message. */
export function reasonOf(thrown: unknown): string {
  const message = messageOf(thrown);
  const cause = thrown instanceof AppError ? firstOf(thrown.cause) : undefined;
  if (cause === undefined) return message;
  const code = "code" in cause && typeof cause.code === "string" ? `${cause.code}: ` : "";
  return `${message} (${code}${cause.message})`;
}

/** Of an error for several addresses of a host, which has no message, the first one's. */
function firstOf(cause: unknown): Error | undefined {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return first instanceof Error ? first : undefined;
}
