import { createHash, randomBytes } from "node:crypto";
import type { SimulatedProvider } from "../start-simulated-provider.ts";

export const redirectUri = "http://127.0.0.1:9/callback";

/** Builds an authorization request with PKCE and keeps what its exchange needs. */
export function newAuthorizationRequest(provider: SimulatedProvider): {
  url: string;
  state: string;
  codeVerifier: string;
} {
  const codeVerifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const url = new URL(provider.oauth.authorizationUrl);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: provider.oauth.clientId,
    redirect_uri: redirectUri,
    scope: "contacts.read contacts.write",
    state,
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  return { url: url.href, state, codeVerifier };
}

export interface TokenAnswer {
  readonly status: number;
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly error?: string;
}

/** Sends one token request with the client authenticated by `client_secret_basic`, or in the body. */
export async function requestToken(
  provider: SimulatedProvider,
  form: Record<string, string>,
  options: { clientSecretInBody?: boolean } = {},
): Promise<TokenAnswer> {
  const { clientId, clientSecret, tokenUrl } = provider.oauth;
  const body = new URLSearchParams(form);
  const headers = new Headers();
  if (options.clientSecretInBody === true) {
    body.set("client_id", clientId);
    body.set("client_secret", clientSecret);
  } else {
    headers.set("authorization", `Basic ${btoa(`${clientId}:${clientSecret}`)}`);
  }
  const response = await fetch(tokenUrl, { method: "POST", headers, body });
  const answer: unknown = await response.json();
  return { ...toTokenFields(answer), status: response.status };
}

// The answer is JSON of the server under test; the tests assert on each field they use.
function toTokenFields(answer: unknown): Omit<TokenAnswer, "status"> {
  return answer as Omit<TokenAnswer, "status">;
}

/** Exchanges the code of a callback address. */
export function exchangeCode(
  provider: SimulatedProvider,
  callback: URL,
  codeVerifier: string,
): Promise<TokenAnswer> {
  return requestToken(provider, {
    grant_type: "authorization_code",
    code: callback.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  });
}

/** Exchanges a refresh token. */
export function refresh(
  provider: SimulatedProvider,
  refreshToken: string | undefined,
): Promise<TokenAnswer> {
  return requestToken(provider, {
    grant_type: "refresh_token",
    refresh_token: refreshToken ?? "",
  });
}
