/** Why an authorization failed. Other values are error codes of the API. */
export type AuthErrorType =
  | "missing_auth_token"
  | "missing_connect_session_token"
  | "missing_credentials"
  | "invalid_host_url"
  | "blocked_by_browser"
  | "window_closed"
  | "authorization_cancelled"
  | "connection_test_failed"
  | "connection_validation_failed"
  | "account_changed"
  | "upstream_unreachable"
  | "upstream_dns_error"
  | "upstream_tls_error"
  | "upstream_timeout"
  | "upstream_unavailable"
  | "resource_capped"
  | "session_used"
  | "unknown_connect_session_token"
  | "session_token_failed"
  | "page_not_loaded"
  | "network_error"
  | "unknown_error"
  | (string & {});

/** One fault of a request: which field, and what is wrong with it. */
export interface AuthErrorDetail {
  readonly code?: string;
  readonly message?: string;
  readonly path?: readonly (string | number)[];
}

/** What every method of Jackfield rejects with. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly type: AuthErrorType;
  /** Faults of single fields, when the API named them. */
  readonly details: readonly AuthErrorDetail[];

  constructor(message: string, type: AuthErrorType, details: readonly AuthErrorDetail[] = []) {
    super(message);
    this.type = type;
    this.details = details;
  }
}
