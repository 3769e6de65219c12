import type { IncomingMessage, ServerResponse } from "node:http";

/** One authenticated call to the API of the provider. */
export interface ApiCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Email address of the user, or the client's id for a client credentials token or an API key. */
  readonly account: string;
  /** Aborts when the provider is being closed. */
  readonly closing: AbortSignal;
}
