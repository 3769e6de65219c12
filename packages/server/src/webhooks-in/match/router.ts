import type { ConnectionProperty } from "#connections";

/** What a router sees of a request: nothing of it has been parsed. */
export interface InboundRequest {
  readonly method: string;
  /** Names in lower case; several fields of one name are joined by ", " (RFC 9110 section 5.3). */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The bytes as received, or their content without its coding (RFC 9110 section 8.4). */
  readonly body: Buffer;
  /** The address that the provider was given, query included. */
  readonly url: string;
}

/** What may prove who sent a request; each is undefined where it is not set. */
export interface WebhookKeys {
  /** Of the integration (`webhook_secret`). */
  readonly webhookSecret: string | undefined;
  readonly clientSecret: string | undefined;
  readonly app:
    | { readonly id: string; readonly privateKey: string; readonly link: string }
    | undefined;
  /** Of the connection that the request names, where the router asks for one. */
  readonly connectionSecret: string | undefined;
}

/** One query; the next ones count only when it finds nothing. */
export interface Match {
  /** Where a connection has the value that the event names. */
  readonly property: ConnectionProperty;
  readonly value: string;
}

export interface InboundEvent {
  /** The subscription that it answers to, first; a sync may subscribe to any of them. */
  readonly types: readonly string[];
  /** The provider's own id of the event, the same in every repetition. */
  readonly id?: string | undefined;
  /** What is forwarded. */
  readonly payload: unknown;
  /** In order; `all`: every connection of the integration. */
  readonly match: readonly Match[] | "all";
  /** The provider tells that an installation which waits for it is done. */
  readonly completes?: Completion | undefined;
}

/** A connection that waits for the provider's word, and what the word brings. */
export interface Completion {
  readonly config: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

/** What the provider's set-up wants to be answered in place of an event's 200. */
export interface Handshake {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The secret of the connection from now on, unless it has one. */
  readonly remember?: { readonly connectionId: string; readonly secret: string };
}

export interface ProofTools {
  readonly now: Date;
  /** GET of a public JSON document, cached; goes out like every call of the server. */
  fetchText(url: string): Promise<string>;
}

/** How the provider proves that it sent a request. */
export interface Proof {
  /** Nothing is taken without a secret; else it is taken unverified, and said to be. */
  readonly required?: true;
  /** The key is the provider's own: everything signed can be verified, also without a secret. */
  readonly keyless?: true;
  /** By what the request is to be verified; senders with several ways to sign have a secret for each. */
  readonly secret: (keys: WebhookKeys, request: InboundRequest) => string | undefined;
  /** Whether the request carries a signature at all. */
  readonly isSigned: (request: InboundRequest) => boolean;
  /** Compares in constant time, on the bytes as received. */
  readonly isGenuine: (
    request: InboundRequest,
    secret: string,
    tools: ProofTools,
  ) => boolean | Promise<boolean>;
}

/** One provider's way to call: who it is, what it tells, and whose connection it is about. */
export interface Router {
  readonly proof?: Proof;
  /** The connection that has the secret. */
  readonly secretHolder?: (request: InboundRequest) => Match | undefined;
  /** An answer ends the request. Asked before the proof, unless the provider signs these requests too. */
  readonly handshake?: (request: InboundRequest, keys: WebhookKeys) => Handshake | undefined;
  readonly handshakeIsSigned?: true;
  /** Requests that the provider cannot sign yet, although a secret may be set. */
  readonly isUnsigned?: (request: InboundRequest) => boolean;
  /** Reads events that are all in the headers; what others get without a body is one event of no type. */
  readonly readsHeaders?: true;
  /** Throws `UnreadableWebhook` where the body is not what the provider sends. */
  readonly read: (request: InboundRequest) => readonly InboundEvent[];
  /** Names in the connection's config that the provider's entry has to capture. */
  readonly matchesOn?: readonly string[];
}

/** The body is not what the provider sends; answered 400. */
export class UnreadableWebhook extends Error {}
