import { type Api, callApi, cancelled, parseHost } from "./api.ts";
import type { OAuthClientOverride } from "./api-types.ts";
import { AuthError } from "./auth-error.ts";
import type { AuthOptions, AuthResult } from "./auth-options.ts";
import { authorizeInBrowser, postCredentials } from "./authorize.ts";
import { ConnectUI, type ConnectUIOptions } from "./connect-ui.ts";
import { chooseWay } from "./credentials.ts";
import { parseSessionResult } from "./session-result.ts";

export interface JackfieldOptions {
  /** Address of the server, as in `https://api.example.com`. */
  readonly host: string;
  /** Token of a connect session that your backend created. */
  readonly connectSessionToken?: string;
  /** Size of the provider's window in CSS pixels; 500 by 600 unless set. */
  readonly width?: number;
  readonly height?: number;
}

/** Lets an end user connect accounts from a web page. Every method rejects with AuthError. */
export class Jackfield {
  readonly #host: string;
  readonly #sessionToken: string | undefined;
  readonly #size: { width: number; height: number };
  #running = new AbortController();

  /** Throws `invalid_host_url`, and `missing_auth_token` for a public key. */
  constructor(options: JackfieldOptions) {
    if ("publicKey" in options) {
      throw new AuthError(
        "Public keys are no longer accepted. Let your backend create a connect session (POST /connect/sessions) and pass its token as connectSessionToken.",
        "missing_auth_token",
      );
    }
    this.#host = parseHost(options.host);
    this.#sessionToken = options.connectSessionToken;
    this.#size = { width: options.width ?? 500, height: options.height ?? 600 };
  }

  /**
   * Connects an integration: with the given credentials, else at the provider's own pages. Call it
   * directly in a click handler, so that the browser lets the provider's window open. A connection id, which older
   * clients pass second, is refused by the server: the session chooses it.
   */
  async auth(
    integration: string,
    connectionIdOrOptions: string | AuthOptions = {},
    moreOptions: AuthOptions = {},
  ): Promise<AuthResult> {
    const api = this.#api("missing_auth_token");
    const { connectionId, options } = toArguments(connectionIdOrOptions, moreOptions);
    const attempt = { integration, options, connectionId, signal: this.#signal(options.signal) };
    if (options.installation === "outbound") {
      return await postCredentials(api, attempt, { path: "/auth/oauth-outbound", body: {} });
    }
    const way = chooseWay(options.credentials ?? ownClientOf(options));
    if (way.kind === "unknown") {
      throw new AuthError(
        "The credentials lack a field, or hold fields that no way to authorize takes.",
        "missing_credentials",
      );
    }
    if (way.kind === "post") return await postCredentials(api, attempt, way);
    return await authorizeInBrowser(api, attempt, { override: way.override, size: this.#size });
  }

  /** Connects an integration that needs no credentials. */
  async create(
    integration: string,
    connectionIdOrOptions: string | CreateOptions = {},
    moreOptions: CreateOptions = {},
  ): Promise<AuthResult> {
    const api = this.#api("missing_auth_token");
    const { connectionId, options } = toArguments(connectionIdOrOptions, moreOptions);
    const attempt = { integration, options, connectionId, signal: this.#signal(options.signal) };
    return await postCredentials(api, attempt, { path: "/auth/unauthenticated", body: {} });
  }

  /** Authorizes the connection of a reconnect session again. */
  async reconnect(integration: string, options: AuthOptions = {}): Promise<AuthResult> {
    this.#api("missing_connect_session_token");
    return await this.auth(integration, options);
  }

  /** How the session's last attempt ended, for pages that a redirect came back to; undefined while it runs. */
  async getResult(): Promise<AuthResult | undefined> {
    const body = await callApi(this.#api("missing_auth_token"), {
      path: "/connect/session/result",
    });
    const result = parseSessionResult(body);
    if (result.state === "error") throw result.error;
    return result.state === "success" ? result.result : undefined;
  }

  /** Shows the hosted page over this one; it lists integrations, asks for credentials and reports events. */
  openConnectUI(options: ConnectUIOptions = {}): ConnectUI {
    const sessionToken = options.sessionToken ?? this.#sessionToken;
    return new ConnectUI(this.#host, {
      ...options,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    });
  }

  /** Gives up what runs: its promises reject with `authorization_cancelled`. */
  clear(): void {
    this.#running.abort(cancelled());
    this.#running = new AbortController();
  }

  #api(type: "missing_auth_token" | "missing_connect_session_token"): Api {
    if (this.#sessionToken === undefined || this.#sessionToken === "") {
      throw new AuthError("Pass the token of a connect session as connectSessionToken.", type);
    }
    return { host: this.#host, sessionToken: this.#sessionToken };
  }

  #signal(own: AbortSignal | undefined): AbortSignal {
    const running = this.#running.signal;
    return own === undefined ? running : AbortSignal.any([running, own]);
  }
}

type CreateOptions = Pick<AuthOptions, "params" | "signal">;

function toArguments<Options extends object>(second: string | Options, third: Options) {
  if (typeof second === "string") return { connectionId: second, options: third };
  return { connectionId: undefined, options: { ...third, ...second } };
}

function ownClientOf(options: AuthOptions): OAuthClientOverride {
  const { oauth_client_id_override: id, oauth_client_secret_override: secret } = options;
  return {
    ...(id === undefined ? {} : { oauth_client_id_override: id }),
    ...(secret === undefined ? {} : { oauth_client_secret_override: secret }),
  };
}
