import type { AuthModeId, Provider, ProviderOf } from "@jackfield/catalogue";
import type { ConnectStage, FlatImport } from "@jackfield/contract";
import type { Egress } from "#foundation/egress";

/** The input of a mode: the provider's entry, its configuration, and what is known of the connection. */
export interface AuthSubject<Entry extends Provider = Provider> {
  readonly provider: Entry;
  /** The integration's OAuth client and the like; undefined where the mode has none. */
  readonly integrationCredentials: IntegrationCredentials | undefined;
  /** The integration's `integration_config` and `custom` values, secret ones among them. */
  readonly integrationConfig: Readonly<Record<string, string>>;
  readonly connectionConfig: Readonly<Record<string, string>>;
  /** What a connection that is made again holds: of several accounts that a provider lists it keeps its own. */
  readonly keptConfig?: Readonly<Record<string, string>> | undefined;
  /** The end user's own OAuth client, instead of the integration's. */
  readonly clientOverride?: ClientOverride | undefined;
}

/** A subject whose entry is known to be one of the mode. */
export type SubjectOf<Id extends AuthModeId> = AuthSubject<ProviderOf<Id>>;

/** The integration's own credentials, in the fields that its mode's `clientFields` name. */
export interface IntegrationCredentials {
  readonly type: string;
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  /** The one before a recent change. */
  readonly previous_client_secret?: string | undefined;
  /** Comma-separated. */
  readonly scopes?: string | undefined;
  readonly webhook_secret?: string | undefined;
  readonly client_private_key?: string | undefined;
  readonly client_certificate?: string | undefined;
  readonly app_id?: string | undefined;
  readonly app_link?: string | undefined;
  readonly private_key?: string | undefined;
}

export interface ClientOverride {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/** Credentials as stored, sealed, in the shape in which callers send them (`type` and the mode's fields). */
export type Credentials = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Credentials just received, with what came along. */
export interface Minted {
  readonly credentials: Credentials;
  /** Undefined when the provider does not say that they expire. */
  readonly expiresAt: Date | undefined;
  /**
   * When nothing can renew them any more, as far as is known: the end user has to authorize again by then. `as_before`:
   * what renews them is the same as before; undefined: not known, or never.
   */
  readonly reauthorizeBy?: Date | "as_before" | undefined;
  /** When the provider issued them; undefined for those that the caller already held. */
  readonly issuedAt?: Date | undefined;
  /** Values the entry captures from the callback or the token answer. */
  readonly capturedConfig: Readonly<Record<string, string>>;
  /** Whether the connection is not usable yet: a webhook of the provider completes it. */
  readonly isPending?: boolean;
}

export interface AuthorizationStart {
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string;
  /** Replaces the integration's scopes; comma-separated. */
  readonly scopesOverride: string | undefined;
  /** For entries with a second scope parameter; comma-separated. */
  readonly userScopes?: string | undefined;
  readonly authorizationParams: Readonly<Record<string, string>>;
  /** Address of the integration's client metadata document, where the installation has one. */
  readonly clientMetadataUrl?: string | undefined;
}

/** Where the end user's browser goes. */
export interface AuthorizationRedirect {
  /** Address to which the browser is sent. */
  readonly location: string;
  /** What the mode needs again at the callback; holds secrets, so it is kept sealed. */
  readonly remember: Readonly<Record<string, string>>;
}

export interface AuthorizationFinish {
  /** Query of the callback, or what a webhook of the provider brought instead. */
  readonly query: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** What the start has left. */
  readonly remembered?: Readonly<Record<string, string>> | undefined;
}

/** A request to the provider that is final but for what the credentials add. */
export interface OutgoingRequest {
  readonly method: string;
  /** Absolute address as it will be sent, without what `query` adds. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Map<string, string>;
  /** Parameters to append, not yet encoded. */
  readonly query: Map<string, string>;
  /** Fields to merge into a body of JSON or a form. */
  readonly bodyFields: Map<string, string>;
  /** Segments to put before the path, not yet encoded. */
  readonly pathSegments: string[];
}

/** A request to the provider as it leaves, for modes that sign it. */
export interface FinalRequest {
  readonly method: string;
  /** Absolute address, byte for byte as it is sent. */
  readonly url: string;
  /** Those that go out but for host and length; names in lower case, repeated ones joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: OutgoingBody;
  readonly now: Date;
}

export type OutgoingBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "stream" };

/** What tells whether a signature covers a body, before the body is read. */
export interface BodyFacts {
  readonly method: string;
  readonly contentType: string;
}

export interface AuthTools {
  readonly http: Pick<Egress, "request"> & Partial<Pick<Egress, "servers">>;
  /** The same without the notes of the stage around; set by `inStage`. */
  readonly plainHttp?: Pick<Egress, "request">;
  /** Called with the outcome of each stage. */
  readonly count?: (stage: ConnectStage, outcome: "succeeded" | "failed") => void;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Called with what the customer has to fix although the work succeeds. */
  readonly warn?: (message: string) => void;
  /**
   * Keeps what a renewal of several calls has got so far: the provider has replaced the refresh token, but
   * the rest may yet fail. Resolves when it would survive a crash.
   */
  readonly keepProgress?: (minted: Minted) => Promise<void>;
}

/** A value of integration_config that the mode cannot work with. */
export interface ConfigFault {
  readonly field: string;
  readonly message: string;
}

/** One value that is asked of people; an entry's own field of that name replaces it. */
export interface AskedField {
  readonly title: string;
  readonly secret?: boolean;
  readonly optional?: boolean;
}
export type AskedFields = Readonly<Record<string, AskedField>>;

/** What a webhook of the provider adds to a pending connection. */
export interface ReportedInstallation {
  readonly credentials: Credentials;
  readonly reported: Readonly<Record<string, string>>;
}

/**
 * One way to authorize: a pure strategy without storage. What a mode cannot do it leaves out. Calls that ask the
 * provider throw ProviderFailure.
 */
export interface AuthModeRules<Id extends AuthModeId> {
  /** The fields that the end user fills in, next to the entry's own `credentials`. */
  readonly fields: AskedFields;
  /** The fields that configuring an integration asks for; undefined where it has no credentials. */
  readonly clientFields?: AskedFields;
  /** Names of secret values in stored credentials, at any depth, next to the secret ones of the fields. */
  readonly secrets: readonly string[];
  /** What is wrong with an integration's configuration, beyond the rules of its fields. */
  checkConfig?(
    provider: ProviderOf<Id>,
    integrationConfig: Readonly<Record<string, string>>,
  ): ConfigFault[];
  /**
   * Credentials in the shape of an import, from the flat body of the older `POST /connection`; throws the
   * code of what is missing. Left out where that takes none.
   */
  fromFlat?(body: FlatImport, now: Date): Readonly<Record<string, unknown>>;
  /** Takes credentials that the caller holds: an import or a form. */
  accept(subject: SubjectOf<Id>, given: Credentials, tools: AuthTools): Promise<Minted>;
  /** Where the end user's browser is sent; may ask the provider first. */
  startAuthorization?(
    subject: SubjectOf<Id>,
    start: AuthorizationStart,
    tools: AuthTools,
  ): Promise<AuthorizationRedirect>;
  finishAuthorization?(
    subject: SubjectOf<Id>,
    finish: AuthorizationFinish,
    tools: AuthTools,
  ): Promise<Minted>;
  /** Makes a pending connection usable with the values that a webhook of the provider delivered. */
  completeInstallation?(
    subject: SubjectOf<Id>,
    installation: ReportedInstallation,
    tools: AuthTools,
  ): Promise<Minted>;
  /** New credentials from the old. Left out where nothing can be renewed. */
  refresh?(subject: SubjectOf<Id>, credentials: Credentials, tools: AuthTools): Promise<Minted>;
  /** Whether there is anything to tell the provider when credentials are given up; with `revoke`. */
  canRevoke?(subject: SubjectOf<Id>, credentials: Credentials): boolean;
  /** Withdraws the credentials at the provider. */
  revoke?(subject: SubjectOf<Id>, credentials: Credentials, tools: AuthTools): Promise<void>;
  /** Puts the credentials into a request to the provider. */
  apply(subject: SubjectOf<Id>, credentials: Credentials, request: OutgoingRequest): void;
  /** Whether its credentials are an access token, which another platform may renew with a refresh token of its own. */
  readonly canReadThrough?: boolean;
  /** Whether calls need the integration's own credentials, which otherwise stay sealed. */
  readonly signsWithClient?: boolean;
  /** Whether the signature covers the body of such a request, so that it has to be in memory. */
  readsBody?(subject: SubjectOf<Id>, facts: BodyFacts): boolean;
  /** Headers that sign the request; called last, when nothing changes any more. */
  sign?(
    subject: SubjectOf<Id>,
    credentials: Credentials,
    request: FinalRequest,
  ): ReadonlyMap<string, string>;
}

type AnyRules = AuthModeRules<AuthModeId>;

/** A way to authorize as others use it, for any subject of its entries; made by `defineAuthMode`. */
export type AuthMode = { readonly id: AuthModeId } & {
  readonly [Name in keyof Required<AnyRules>]: AnyRules[Name];
};
