import type { OAuthClientOverride } from "./api-types.ts";
import type { Credentials } from "./credentials.ts";

export interface AuthOptions
  extends Pick<OAuthClientOverride, "oauth_client_id_override" | "oauth_client_secret_override"> {
  /** What the end user typed in. Without it the provider's own pages are opened. */
  readonly credentials?: Credentials;
  /** Values of the provider's connection configuration, such as a subdomain. */
  readonly params?: Readonly<Record<string, string>>;
  /** Added to the provider's authorization address; `undefined` takes a parameter away. */
  readonly authorization_params?: Readonly<Record<string, string | undefined>>;
  /** Scopes of the end user, for providers that tell them from the app's. */
  readonly user_scope?: readonly string[];
  /** `outbound`: the installation is begun at the provider, which later reports it. */
  readonly installation?: "outbound";
  /**
   * Reject with `window_closed` when the end user closes the provider's window. Providers that cut
   * the tie to their opener look closed; the focus shows which it is.
   */
  readonly detectClosedAuthWindow?: boolean;
  /** Called when the provider's window seems closed, while the result is still awaited. */
  readonly onWindowClosed?: () => void;
  /** `redirect` leaves this page; the session's `return_url` brings the end user back. */
  readonly flow?: "popup" | "redirect";
  readonly signal?: AbortSignal;
}

export interface AuthResult {
  readonly providerConfigKey: string;
  readonly connectionId: string;
  /** The connection is completed later, by a message of the provider. */
  readonly isPending?: boolean;
}
