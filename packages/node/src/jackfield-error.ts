/** What a failed answer says, besides its message. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly errors?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly response?: FailedResponse | undefined;
  readonly cause?: unknown;
}

/** The provider's own answer, when a proxied call failed there. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
}

/**
 * A call that failed. `code` is the server's `error.code`, or one of the client: `network_error`,
 * `provider_error` (with `response`), `timeout`, `connect_failed`, `missing_webhook_signing_key`.
 */
export class JackfieldError extends Error {
  override name = "JackfieldError";
  readonly code: string;
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** Seconds after which the server asks to be asked again. */
  readonly retryAfter: number | undefined;
  readonly errors: readonly Readonly<Record<string, unknown>>[];
  readonly response: FailedResponse | undefined;

  constructor({ code, message, status, retryAfter, errors = [], response, cause }: Failure) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.errors = errors;
    this.response = response;
  }
}
