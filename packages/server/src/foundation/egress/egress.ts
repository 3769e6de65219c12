import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import type { ServerNotes } from "./server-notes.ts";

/** A small call whose whole answer is wanted: token endpoints, webhooks, verification. */
export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Shown to the server over TLS (RFC 8705); both PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly privateKey: string };
  /** Certificates of authorities (PEM) that the server's is checked against, instead of the usual ones. */
  readonly authorities?: string;
  /** Total time from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** The answer is refused past this size. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
}

export interface EgressResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
  /** How far the server's clock is ahead by its `Date`, in milliseconds; left out where that is unknown. */
  readonly clockAheadMs?: number;
}

/** The only egress: every address is checked after it was resolved, and is the one connected to. */
export interface Egress extends AsyncDisposable {
  /** What the answers of the servers behind it say about them. */
  readonly servers: ServerNotes;
  /** Redirects are returned, not followed. */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Streams, for the proxy; `origin` is checked like every address. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  /** Not connected yet; for protocols other than HTTP. Its `connect(port, host)` reaches only what policy allows. */
  createSocket(): Socket;
  /** Throws `destination_not_allowed` for an address that policy closes for good: a literal, a name, a scheme. */
  requireAllowedUrl(url: string): Promise<void>;
  /** Whether the operator has opened this very host with `SVC_EGRESS_ALLOW`. */
  isOpened(url: string): boolean;
}
