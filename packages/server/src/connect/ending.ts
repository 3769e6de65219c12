import type { SessionError } from "./session.ts";

/** How an attempt ended, and which pages may learn of it. */
export interface FinishedAuthorization {
  /** Undefined after a success. */
  readonly error: SessionError | undefined;
  readonly made?: EndedConnection | undefined;
  /** Makes the browser forget the flow's cookie. */
  readonly cookie?: string | undefined;
  readonly attemptId?: string | undefined;
  /** The page that opened this window. */
  readonly openerOrigin?: string | undefined;
  /** Of the session, where it says so. */
  readonly language?: string | undefined;
  /** Where a browser goes that was sent here without a popup. */
  readonly returnUrl?: string | undefined;
}

export interface EndedConnection {
  readonly connectionId: string;
  readonly providerConfigKey: string;
  readonly isPending: boolean;
}
