import { type ProviderOf, renderFirst, renderOptional, type Template } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderAll, writeCall } from "../apply/write-call.ts";
import type { AuthMode, AuthTools, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { refuseMissing } from "../flat-import.ts";
import { failedAs, ProviderFailure } from "../observe/provider-failure.ts";
import { buildUrl } from "../obtain/authorization-url.ts";
import { refuseError } from "../obtain/check-callback.ts";
import { captureCallback } from "../obtain/code-flow.ts";
import { requireClient } from "../obtain/oauth-client.ts";
import { isForm, readForm } from "../obtain/read-form.ts";
import { sendProven } from "../obtain/request-token.ts";
import { parseTokenAnswer, readCaptured } from "../obtain/token-answer.ts";
import { type OAuth1Input, signOAuth1 } from "../proof/oauth1-signature.ts";
import { findText, requireText, requireType } from "../read-credentials.ts";

/** Three-legged OAuth 1.0a (RFC 5849); its tokens do not expire. */
export const oauth1: AuthMode = defineAuthMode("OAUTH1", {
  fields: {},
  clientFields: {
    client_id: { title: "Consumer key" },
    client_secret: { title: "Consumer secret", secret: true },
    scopes: { title: "Scopes", optional: true },
    webhook_secret: { title: "Webhook secret", secret: true, optional: true },
  },
  secrets: ["oauth_token", "oauth_token_secret"],
  signsWithClient: true,

  fromFlat: (body) => ({
    oauth_token: body.oauth_token || refuseMissing("missing_oauth_token"),
    oauth_token_secret: body.oauth_token_secret || refuseMissing("missing_oauth_token_secret"),
  }),

  async accept(_subject, given) {
    requireType(given, "OAUTH1");
    const tokens = {
      oauth_token: requireText(given, "oauth_token"),
      oauth_token_secret: requireText(given, "oauth_token_secret"),
    };
    const credentials = { type: "OAUTH1", ...tokens, raw: tokens };
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },

  async startAuthorization(subject, start, tools) {
    const provider = subject.provider;
    const callback = new URL(start.redirectUri);
    callback.searchParams.set("state", start.state);
    const answer = await fetchToken(subject, tools, {
      urls: provider.request_token_url,
      method: provider.request_token_method,
      params: renderAll(provider.request_params, toTemplateValues(subject)),
      extra: { oauth_callback: callback.href },
    });
    const { oauth_token: token, oauth_token_secret: secret } = answer;
    const location = buildUrl(() => {
      const values = toTemplateValues(subject);
      const url = new URL(renderFirst(provider.authorization_url, values) ?? "");
      const params = {
        ...renderAll(provider.authorization_params, values),
        ...start.authorizationParams,
      };
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
      url.searchParams.set("oauth_token", token);
      return url.href;
    });
    return { location, remember: { oauth_token: token, oauth_token_secret: secret } };
  },

  async finishAuthorization(subject, { query, remembered = {} }, tools) {
    const provider = subject.provider;
    // A refusal comes as `denied`; that parameter is no part of the standard.
    refuseError(
      provider.display_name,
      query["denied"] === undefined ? query["error"] : "access_denied",
    );
    const { oauth_token: token, oauth_verifier: verifier } = query;
    if (!token || !verifier || token !== remembered["oauth_token"]) {
      throw failedAs(
        "invalid_callback",
        `${provider.display_name} sent the browser back without the token of this authorization.`,
      );
    }
    const answer = await fetchToken(subject, tools, {
      urls: provider.token_url,
      method: provider.token_method,
      params: {},
      extra: { oauth_verifier: verifier },
      token,
      tokenSecret: remembered["oauth_token_secret"],
    });
    const captured = Object.entries(provider.capture.token).flatMap(([field, path]) => {
      const value = readCaptured(answer, path);
      return value === undefined ? [] : [[field, value]];
    });
    const { oauth_token, oauth_token_secret } = answer;
    return {
      credentials: { type: "OAUTH1", oauth_token, oauth_token_secret, raw: answer },
      expiresAt: undefined,
      issuedAt: tools.now,
      capturedConfig: { ...captureCallback(provider, query), ...Object.fromEntries(captured) },
    };
  },

  apply() {},

  readsBody: (_subject, { contentType }) => isForm(contentType),

  sign(subject, credentials, request) {
    const provider = subject.provider;
    const header = signOAuth1({
      ...toSigner(subject, provider, request.now),
      method: request.method,
      url: request.url,
      form: readForm(request),
      token: findText(credentials, "oauth_token"),
      tokenSecret: findText(credentials, "oauth_token_secret"),
    });
    return new Map([["authorization", header]]);
  },
});

function toSigner(subject: SubjectOf<"OAUTH1">, provider: ProviderOf<"OAUTH1">, now: Date) {
  const client = requireClient(subject);
  return {
    signatureMethod: provider.signature_method,
    consumerKey: client.id,
    consumerSecret: client.secret,
    realm: provider.realm && renderOptional(provider.realm, toTemplateValues(subject)),
    now,
  };
}

interface TokenFetch extends Pick<OAuth1Input, "extra" | "token" | "tokenSecret"> {
  readonly urls: readonly Template[];
  readonly method: "GET" | "POST";
  readonly params: Readonly<Record<string, string>>;
}

type TokenPair = Record<string, unknown> & { oauth_token: string; oauth_token_secret: string };

async function fetchToken(
  subject: SubjectOf<"OAUTH1">,
  tools: AuthTools,
  { urls, method, params, ...oauth }: TokenFetch,
): Promise<TokenPair> {
  const provider = subject.provider;
  const url = buildUrl(() => renderFirst(urls, toTemplateValues(subject)) ?? "");
  const call = writeCall({ method, url, format: "form", headers: {}, fields: params });
  const write = async ({ now }: { now: Date }) => {
    const signer = toSigner(subject, provider, now);
    const signed = { ...signer, ...oauth, method, url: call.url, form: call.body };
    return { ...call, headers: { ...call.headers, authorization: signOAuth1(signed) } };
  };
  try {
    const response = await sendProven(call.url, write, tools);
    const answer = parseTokenAnswer(response.body);
    if (response.status < 300 && isTokenPair(answer)) return answer;
    throw failedAs(
      "token_err",
      `${provider.display_name} gave no token and answered ${response.status}; check the consumer key, its secret and the callback URL registered there.`,
    );
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw error.with({ ending: "token_err" });
  }
}

function isTokenPair(answer: Record<string, unknown> | undefined): answer is TokenPair {
  return (
    typeof answer?.["oauth_token"] === "string" && typeof answer["oauth_token_secret"] === "string"
  );
}
