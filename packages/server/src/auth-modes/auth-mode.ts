import type { AuthModeId, Provider } from "@jackfield/catalogue";
import type { Egress } from "#platform/egress";

/** What a mode works on: the provider's entry, how it was configured, and what is known of the connection. */
export interface AuthSubject {
  readonly provider: Provider;
  /** The integration's OAuth client and the like; undefined where the mode has none. */
  readonly integrationCredentials: IntegrationCredentials | undefined;
  /** The integration's `integration_config` and `custom` values. */
  readonly integrationConfig: Readonly<Record<string, string>>;
  readonly connectionConfig: Readonly<Record<string, string>>;
}

export interface IntegrationCredentials {
  readonly type: "OAUTH2";
  readonly client_id: string;
  readonly client_secret: string;
  /** Comma-separated. */
  readonly scopes?: string | undefined;
  readonly webhook_secret?: string | undefined;
}

/** Credentials as stored, sealed, in the shape of HTTP contract 6.1 (`type` and the mode's fields). */
export type Credentials = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Credentials just received, with what came along. */
export interface Minted {
  readonly credentials: Credentials;
  /** Undefined when the provider does not say that they expire. */
  readonly expiresAt: Date | undefined;
  /** Values the entry captures from the callback or the token answer. */
  readonly capturedConfig: Readonly<Record<string, string>>;
}

export interface AuthorizationStart {
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string;
  /** Replaces the integration's scopes; comma-separated. */
  readonly scopesOverride: string | undefined;
  readonly authorizationParams: Readonly<Record<string, string>>;
}

export interface AuthorizationFinish {
  /** Query of the callback. */
  readonly query: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** What a mode adds to a request to the provider, which is otherwise final. */
export interface OutgoingRequest {
  readonly method: string;
  /** Absolute address as it will be sent, without what `query` adds. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Map<string, string>;
  /** Parameters to append, not yet encoded. */
  readonly query: Map<string, string>;
}

export interface AuthTools {
  readonly http: Egress;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** A value of integration_config that the mode cannot work with. */
export interface ConfigFault {
  readonly field: string;
  readonly message: string;
}

/** One way to authorise: a pure strategy without storage. What a mode cannot do it leaves out. */
export interface AuthMode {
  readonly id: AuthModeId;
  /** What is wrong with an integration's configuration, beyond the rules of its fields. */
  checkConfig?(
    provider: Provider,
    integrationConfig: Readonly<Record<string, string>>,
  ): ConfigFault[];
  /** Takes credentials that the caller holds: an import or a form. */
  accept(subject: AuthSubject, given: Credentials, tools: AuthTools): Promise<Minted>;
  /** Address to which the end user's browser is sent. */
  startAuthorization?(subject: AuthSubject, start: AuthorizationStart): string;
  finishAuthorization?(
    subject: AuthSubject,
    finish: AuthorizationFinish,
    tools: AuthTools,
  ): Promise<Minted>;
  /** New credentials from the old; throws RefreshFailure. Left out where nothing can be renewed. */
  refresh?(subject: AuthSubject, credentials: Credentials, tools: AuthTools): Promise<Minted>;
  /** Puts the credentials into a request to the provider. */
  apply(subject: AuthSubject, credentials: Credentials, request: OutgoingRequest): void;
}

/** Why a token could not be renewed, told apart by what has to happen next. */
export class RefreshFailure extends Error {
  override name = "RefreshFailure";
  /** `revoked`: authorise again. `misconfigured`: the OAuth client is refused. `unavailable`: try later. */
  readonly kind: "revoked" | "misconfigured" | "unavailable";
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: "revoked" | "misconfigured" | "unavailable",
    message: string,
    options: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Why the end user's way through the authorization server led to no connection. */
export type AuthorizationFailureType =
  | "authorization_cancelled"
  | "invalid_callback"
  | "issuer_mismatch"
  | "state_cookie_err"
  | "token_request_failed"
  | "unable_to_parse_token_response";

/** An authorization that ended without credentials; the message may be shown to the end user. */
export class AuthorizationFailure extends Error {
  override name = "AuthorizationFailure";
  readonly type: AuthorizationFailureType;

  constructor(type: AuthorizationFailureType, message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.type = type;
  }
}
