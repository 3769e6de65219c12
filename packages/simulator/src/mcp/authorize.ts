import { createHash, randomUUID } from "node:crypto";

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly resource: string;
}

export interface OAuthAnswer {
  readonly status: number;
  readonly body?: object;
  readonly location?: string;
}

/** The smallest authorization server that a client of the protocol needs: it registers anybody and agrees to all. */
export class McpAuthorization {
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();
  readonly origin: string;

  constructor(origin: string, keys: readonly string[]) {
    this.origin = origin;
    for (const key of keys) this.#tokens.add(key);
  }

  accepts(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Access tokens that are out are refused; refresh tokens are not. */
  expire(): void {
    this.#tokens.clear();
  }

  /** Undefined for what is no request about authorization. */
  answer(method: string, url: URL, body: string): OAuthAnswer | undefined {
    const { origin } = this;
    switch (`${method} ${url.pathname}`) {
      case "GET /.well-known/oauth-protected-resource":
      case "GET /.well-known/oauth-protected-resource/mcp":
        return {
          status: 200,
          body: { resource: `${origin}/mcp`, authorization_servers: [origin] },
        };
      case "GET /.well-known/oauth-authorization-server":
        return { status: 200, body: this.#metadata() };
      case "POST /register":
        return {
          status: 201,
          body: { ...Object(JSON.parse(body)), client_id: `client-${randomUUID()}` },
        };
      case "GET /authorize":
        return this.#authorize(url.searchParams);
      case "POST /token":
        return this.#issue(new URLSearchParams(body));
      default:
        return undefined;
    }
  }

  #metadata(): object {
    const { origin } = this;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      response_types_supported: ["code"],
    };
  }

  #authorize(query: URLSearchParams): OAuthAnswer {
    const redirectUri = query.get("redirect_uri") ?? "";
    const target = URL.parse(redirectUri);
    if (target === null) return { status: 400, body: { error: "invalid_request" } };
    const code = randomUUID();
    this.#grants.set(code, {
      redirectUri,
      challenge: query.get("code_challenge") ?? "",
      resource: query.get("resource") ?? "",
    });
    target.searchParams.set("code", code);
    target.searchParams.set("state", query.get("state") ?? "");
    return { status: 302, location: target.href };
  }

  #issue(form: URLSearchParams): OAuthAnswer {
    const isRefresh = form.get("grant_type") === "refresh_token";
    const isAccepted = isRefresh
      ? this.#refreshTokens.delete(form.get("refresh_token") ?? "")
      : this.#redeem(form);
    // The token is for this server alone (RFC 8707).
    const isOwn = form.get("resource") === `${this.origin}/mcp`;
    if (!isAccepted || !isOwn) return { status: 400, body: { error: "invalid_grant" } };
    const [token, refresh] = [`mcp-token-${randomUUID()}`, `mcp-refresh-${randomUUID()}`];
    this.#tokens.add(token);
    this.#refreshTokens.add(refresh);
    return {
      status: 200,
      body: { access_token: token, token_type: "Bearer", expires_in: 3600, refresh_token: refresh },
    };
  }

  #redeem(form: URLSearchParams): boolean {
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const digest = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return grant?.challenge === digest && grant.redirectUri === form.get("redirect_uri");
  }
}
