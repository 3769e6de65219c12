import assert from "node:assert";
import { type ProviderOf, renderOptional, type Template } from "@jackfield/catalogue";
import { AppError } from "#platform";
import {
  type AuthMode,
  AuthorizationFailure,
  type AuthSubject,
  type Minted,
  RefreshFailure,
} from "../auth-mode.ts";
import { toAuthorizationUrl } from "../authorization-url.ts";
import { requireCode } from "../check-callback.ts";
import { findText, readExpiresAt, requireText, requireType } from "../read-credentials.ts";
import { type Client, requestToken } from "../request-token.ts";
import { toTemplateValues } from "../template-values.ts";
import { readCaptured, readExpiry } from "../token-answer.ts";

/** Authorization code with PKCE and refresh tokens (RFC 6749, 7636, 9207). */
export const oauth2: AuthMode = {
  id: "OAUTH2",

  async accept(_subject, given) {
    requireType(given, "OAUTH2");
    const accessToken = requireText(given, "access_token");
    const refreshToken = findText(given, "refresh_token");
    const expiresAt = readExpiresAt(given);
    const raw = {
      access_token: accessToken,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
    };
    return { credentials: { type: "OAUTH2", ...raw, raw }, expiresAt, capturedConfig: {} };
  },

  startAuthorization(subject, start) {
    return toAuthorizationUrl(subject, narrow(subject), requireClient(subject).id, start);
  },

  async finishAuthorization(subject, finish, tools) {
    const provider = narrow(subject);
    const code = requireCode(subject, provider, finish);
    const grant = {
      grant_type: "authorization_code",
      code,
      redirect_uri: finish.redirectUri,
      code_verifier: finish.codeVerifier,
    };
    const { token_url: url, token_params: params } = provider;
    const request = { provider, url, params, grant, client: requireClient(subject) };
    const answer = await requestToken(subject, request, tools).catch((error: unknown) => {
      if (!(error instanceof RefreshFailure)) throw error;
      throw new AuthorizationFailure(
        "token_request_failed",
        `${provider.display_name} gave no token for the authorization. ${error.message}`,
        { cause: error },
      );
    });
    const minted = toMinted(provider, answer, undefined, tools.now);
    const capturedConfig = { ...minted.capturedConfig, ...captureCallback(provider, finish.query) };
    return { ...minted, capturedConfig };
  },

  async refresh(subject, credentials, tools) {
    const provider = narrow(subject);
    const refreshToken = findText(credentials, "refresh_token");
    if (refreshToken === undefined) {
      throw new RefreshFailure(
        "revoked",
        "The provider gave no refresh token; authorise the connection again.",
      );
    }
    const client = requireClient(subject);
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
    const url = findRefreshUrl(subject, provider);
    const request = { provider, url, params: provider.refresh_params, grant, client };
    const answer = await requestToken(subject, request, tools);
    return toMinted(provider, answer, refreshToken, tools.now);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "access_token") ?? ""}`);
  },
};

function narrow({ provider }: AuthSubject): ProviderOf<"OAUTH2"> {
  assert(provider.auth_mode === "OAUTH2");
  return provider;
}

function requireClient({ integrationCredentials, provider }: AuthSubject): Client {
  if (integrationCredentials !== undefined) {
    return { id: integrationCredentials.client_id, secret: integrationCredentials.client_secret };
  }
  throw new AppError(
    "integration_misconfigured",
    `The integration has no OAuth client: set client_id and client_secret of ${provider.display_name}.`,
  );
}

function findRefreshUrl(subject: AuthSubject, provider: ProviderOf<"OAUTH2">): Template {
  const { refresh_url: own, token_url: fallback } = provider;
  if (own === undefined) return fallback;
  return renderOptional(own, toTemplateValues(subject)) === undefined ? fallback : own;
}

/** An answer without a refresh token leaves the old one in use (RFC 6749 section 6). */
function toMinted(
  provider: ProviderOf<"OAUTH2">,
  answer: Record<string, unknown>,
  oldRefreshToken: string | undefined,
  now: Date,
): Minted {
  const given = answer["refresh_token"];
  const refreshToken = typeof given === "string" && given !== "" ? given : oldRefreshToken;
  const expiresAt = readExpiry(answer, now);
  const captured = Object.entries(provider.capture.token).flatMap(([field, path]) => {
    const value = readCaptured(answer, path);
    return value === undefined ? [] : [[field, value]];
  });
  return {
    credentials: {
      type: "OAUTH2",
      access_token: answer["access_token"],
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
      raw: answer,
    },
    expiresAt,
    capturedConfig: Object.fromEntries(captured),
  };
}

function captureCallback(
  provider: ProviderOf<"OAUTH2">,
  query: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(provider.capture.callback).flatMap(([field, name]) => {
    const value = query[name];
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(entries);
}
