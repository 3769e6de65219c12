import {
  type AuthorizationCodeRules,
  fitsPattern,
  renderFirst,
  renderTemplate,
} from "@jackfield/catalogue";
import { addMs, DAY, SECOND } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import type {
  AuthorizationFinish,
  AuthSubject,
  AuthTools,
  ClientOverride,
  Credentials,
  Minted,
} from "../auth-mode.ts";
import { failedAs, ProviderFailure } from "../observe/provider-failure.ts";
import { findProofKey, findText, readExpiresAt } from "../read-credentials.ts";
import { requireCode } from "./check-callback.ts";
import { type OAuthClient, toConfigOverride } from "./oauth-client.ts";
import { type GrantedToken, requestToken } from "./request-token.ts";
import { readCaptured } from "./token-answer.ts";

export type CodeFlow = AuthorizationCodeRules;

export interface ClientUse {
  readonly client: OAuthClient;
  /** Kept with the connection where the client is not the integration's. */
  readonly keep?: ClientOverride | undefined;
}

/** Exchanges the code of a callback; throws ProviderFailure. */
export async function finishCodeFlow(
  subject: AuthSubject,
  flow: CodeFlow,
  { client, keep }: ClientUse,
  finish: AuthorizationFinish,
  tools: AuthTools,
): Promise<Minted> {
  const code = requireCode(subject, flow, client, finish);
  const usesPkce = renderTemplate(flow.pkce, toTemplateValues(subject)) !== "none";
  const grant = {
    grant_type: "authorization_code",
    code,
    redirect_uri: finish.redirectUri,
    ...(usesPkce ? { code_verifier: finish.codeVerifier } : {}),
  };
  const callbackConfig = captureCallback(flow, finish.query);
  // The callback may name the very host that the token comes from, and the browser can forge it.
  checkCaptured(subject, callbackConfig);
  const informed = {
    ...subject,
    connectionConfig: { ...subject.connectionConfig, ...callbackConfig },
  };
  const granted = await requestToken(
    informed,
    {
      url: flow.token_url,
      method: flow.token_method,
      format: flow.body_format,
      xmlRoot: flow.xml_root,
      authMethod: flow.token_auth_method,
      assertion: flow.client_assertion,
      client,
      dpop: flow.dpop,
      grant,
      params: flow.token_params,
      headers: flow.token_headers,
      rename: flow.token_rename,
      response: flow.token_response,
      errors: flow.token_errors,
      exchange: flow.exchange,
    },
    tools,
  ).catch((error: unknown) => {
    throw toFailedAuthorization(subject, error);
  });
  const minted = toMinted(flow, granted, { keep, now: tools.now });
  return { ...minted, capturedConfig: { ...callbackConfig, ...minted.capturedConfig } };
}

function checkCaptured(
  { provider }: AuthSubject,
  captured: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(captured)) {
    const field = provider.connection_config[name];
    const fits =
      (field?.pattern === undefined || fitsPattern(field.pattern, value)) &&
      (field?.enum === undefined || field.enum.includes(value));
    if (fits) continue;
    const message = `The callback's ${name} is not one that ${provider.display_name} would send.`;
    throw failedAs("invalid_callback", message);
  }
}

/** How a token request that failed ends an authorization. */
export function toFailedAuthorization({ provider }: AuthSubject, error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const message = `${provider.display_name} gave no token for the authorization. ${error.message}`;
  return error.with({ ending: "token_request_failed", message });
}

/** New tokens for the old (RFC 6749 section 6); throws ProviderFailure. */
export async function refreshCodeFlow(
  subject: AuthSubject,
  flow: CodeFlow,
  { client, keep }: ClientUse,
  credentials: Credentials,
  tools: AuthTools,
): Promise<Minted> {
  const refreshToken = findText(credentials, flow.refresh_with);
  if (refreshToken === undefined) {
    throw new ProviderFailure(
      "revoked",
      "The provider gave no refresh token; authorize the connection again.",
    );
  }
  const isPlain = flow.refresh_with === "refresh_token";
  const old = findText(credentials, "refresh_token");
  const granted = await requestToken(
    subject,
    {
      url: findRefreshUrls(subject, flow),
      method: flow.refresh_method ?? flow.token_method,
      format: flow.refresh_body_format ?? flow.body_format,
      xmlRoot: flow.xml_root,
      authMethod: flow.refresh_auth_method ?? flow.token_auth_method,
      assertion: flow.client_assertion,
      client,
      dpop: flow.dpop,
      proofKey: findProofKey(credentials),
      // An access token travels under a name that only the entry knows.
      grant: isPlain ? { grant_type: "refresh_token", refresh_token: refreshToken } : {},
      params: flow.refresh_params,
      headers: flow.refresh_headers ?? flow.token_headers,
      rename: flow.refresh_rename ?? flow.token_rename,
      response: flow.refresh_response ?? flow.token_response,
      errors: flow.token_errors,
      exchange: isPlain ? flow.exchange : [],
      credentials,
      async granted({ refreshToken: next }) {
        if (next !== undefined && next !== old) await keepRefreshToken(credentials, next, tools);
      },
    },
    tools,
  );
  return toMinted(flow, granted, { keep, oldRefreshToken: old, now: tools.now });
}

/** The access token stays the old one: the new one is not yet what calls are made with. */
async function keepRefreshToken(
  credentials: Credentials,
  refreshToken: string,
  tools: AuthTools,
): Promise<void> {
  await tools.keepProgress?.({
    credentials: { ...credentials, refresh_token: refreshToken },
    expiresAt: readExpiresAt(credentials),
    reauthorizeBy: "as_before",
    capturedConfig: {},
  });
}

function findRefreshUrls(subject: AuthSubject, flow: CodeFlow): CodeFlow["token_url"] {
  const { refresh_url: own, token_url: fallback } = flow;
  if (own === undefined) return fallback;
  return renderFirst(own, toTemplateValues(subject)) === undefined ? fallback : own;
}

/** An answer without a refresh token leaves the old one in use (RFC 6749 section 6). */
function toMinted(
  flow: CodeFlow,
  granted: GrantedToken,
  {
    keep,
    oldRefreshToken,
    now,
  }: { keep: ClientOverride | undefined; oldRefreshToken?: string | undefined; now: Date },
): Minted {
  const { accessToken, expiresAt, raw } = granted;
  const refreshToken = granted.refreshToken ?? oldRefreshToken;
  return {
    credentials: {
      type: "OAUTH2",
      access_token: accessToken,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
      ...toConfigOverride(keep),
      ...(granted.proofKey === undefined ? {} : { dpop_key: granted.proofKey }),
      raw,
    },
    expiresAt,
    reauthorizeBy: findLastRenewal(flow, granted, { oldRefreshToken, now }),
    issuedAt: now,
    capturedConfig: captureAnswer(flow.capture.token, granted),
  };
}

/** Names that providers give the life of a refresh token, which no RFC does; all are in seconds. */
const refreshTokenLives = [
  "refresh_token_expires_in",
  "refresh_expires_in",
  "x_refresh_token_expires_in",
];

/** A larger number is none of seconds. */
const LONGEST_LIFE_MS = 36_500 * DAY;

/** When the tokens can be renewed for the last time: `reauthorizeBy` of what is minted. */
function findLastRenewal(
  flow: CodeFlow,
  { refreshToken, expiresAt, raw }: GrantedToken,
  { oldRefreshToken, now }: { oldRefreshToken: string | undefined; now: Date },
): Minted["reauthorizeBy"] {
  if (flow.refresh_with === "access_token") return undefined;
  if (refreshToken === undefined && oldRefreshToken === undefined) return expiresAt;
  const seconds = refreshTokenLives.map((name) => Number(raw[name])).find((life) => life > 0);
  if (seconds !== undefined) return addMs(now, Math.min(seconds * SECOND, LONGEST_LIFE_MS));
  return refreshToken === undefined || refreshToken === oldRefreshToken ? "as_before" : undefined;
}

/** Values of an answer that the entry keeps in connection_config. */
export function captureAnswer(
  paths: Readonly<Record<string, string>>,
  granted: GrantedToken,
): Record<string, string> {
  const captured = Object.entries(paths).flatMap(([field, path]) => {
    const value = readCaptured(granted.raw, path, granted.response);
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(captured);
}

/** Values of a callback that the entry keeps in connection_config. */
export function captureCallback(
  { capture }: { readonly capture: { readonly callback: Readonly<Record<string, string>> } },
  query: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(capture.callback).flatMap(([field, name]) => {
    const value = query[name];
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(entries);
}
