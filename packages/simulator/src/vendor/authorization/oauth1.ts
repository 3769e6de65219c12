import { type Provider, type ProviderOf, renderFirst, renderOptional } from "@jackfield/catalogue";
import { expectFields, flatten, wantedOfAll } from "../calls/expect-fields.ts";
import { readOAuth1 } from "../calls/signatures.ts";
import { placeOf, type Received, Refusal, type Stage, toPlace } from "../exchange/received.ts";
import type { Reply } from "../exchange/write-answer.ts";
import { newGrant, newSecret, notePassed, type VendorState, valuesOf } from "../vendor-state.ts";

type OAuth1Provider = ProviderOf<"OAUTH1">;

/** Answers the two token requests of OAuth 1 (RFC 5849 section 2). */
export function answerOAuth1(state: VendorState, received: Received): Reply | undefined {
  const { provider } = state;
  if (provider.auth_mode !== "OAUTH1" || received.isBrowser) return undefined;
  const values = valuesOf(state, undefined);
  const place = placeOf(received);
  if (place === toPlace(renderFirst(provider.request_token_url, values) ?? "")) {
    return issueRequestToken(state, provider, received);
  }
  if (place === toPlace(renderFirst(provider.token_url, values) ?? "")) {
    return issueAccessToken(state, provider, received);
  }
  return undefined;
}

function issueRequestToken(
  state: VendorState,
  provider: OAuth1Provider,
  received: Received,
): Reply {
  const given = requireSigned(state, received, {
    stage: "authorize",
    token: undefined,
    secret: "",
  });
  requireMethod("authorize", received, provider.request_token_method);
  const wanted = wantedOfAll(provider.request_params, valuesOf(state, undefined));
  const sent = flatten(
    Object.fromEntries([...received.query, ...new URLSearchParams(received.body)]),
  );
  expectFields({ stage: "authorize", what: "the parameter", got: sent, wanted });
  const callback = given.get("oauth_callback");
  if (callback === undefined) throw new Refusal("authorize", "oauth_callback is missing");
  const token = newSecret(state, "request");
  const secret = newSecret(state, "secret");
  state.requestTokens.set(token, { secret, callback, verifier: undefined });
  return replyForm({
    oauth_token: token,
    oauth_token_secret: secret,
    oauth_callback_confirmed: "true",
  });
}

function issueAccessToken(state: VendorState, provider: OAuth1Provider, received: Received): Reply {
  const token = /oauth_token="([^"]*)"/.exec(received.headers.authorization ?? "")?.[1] ?? "";
  const request = state.requestTokens.get(decodeURIComponent(token));
  if (request === undefined) throw new Refusal("token", "the request token is unknown");
  requireMethod("token", received, provider.token_method);
  const given = requireSigned(state, received, {
    stage: "token",
    token: decodeURIComponent(token),
    secret: request.secret,
  });
  if (request.verifier === undefined || given.get("oauth_verifier") !== request.verifier) {
    throw new Refusal("token", "oauth_verifier is not the one of the callback");
  }
  state.requestTokens.delete(decodeURIComponent(token));
  const grant = newGrant(state.samples.client, {
    access: newSecret(state, "access"),
    refresh: newSecret(state, "secret"),
    accessEnds: Number.POSITIVE_INFINITY,
  });
  state.grants.add(grant);
  const reported: Record<string, string> = {};
  for (const [field, path] of Object.entries(provider.capture.token)) {
    reported[path] = grant.config[field] = state.samples.reported[field] ?? "";
  }
  notePassed(state, "token");
  return replyForm({
    oauth_token: grant.access ?? "",
    oauth_token_secret: grant.refresh ?? "",
    ...reported,
  });
}

function requireMethod(stage: Stage, { method }: Received, wanted: string): void {
  if (method !== wanted) throw new Refusal(stage, `the method is ${method} instead of ${wanted}`);
}

/** The signature's parameters; throws a Refusal for one that is not the client's and the token's. */
export function requireSigned(
  state: VendorState,
  received: Received,
  { stage, token, secret }: { stage: Stage; token: string | undefined; secret: string },
): Map<string, string> {
  const rules = asSigned(state.provider);
  const given = readOAuth1(received, {
    consumerKey: state.samples.client.id,
    consumerSecret: state.samples.client.secret,
    token,
    tokenSecret: secret,
    method: rules.signature_method,
  });
  if (typeof given === "string") throw new Refusal(stage, `the request ${given}`, 401);
  const realm = rules.realm && renderOptional(rules.realm, valuesOf(state, undefined));
  if (given.get("realm") !== realm) throw new Refusal(stage, `the realm is not ${realm}`, 401);
  return given;
}

// Called only for providers whose requests are signed so.
function asSigned(provider: Provider): ProviderOf<"OAUTH1" | "TBA"> {
  return provider as ProviderOf<"OAUTH1" | "TBA">;
}

/** Where the browser goes after the user has agreed; undefined for another request. */
export function readOAuth1Consent(state: VendorState, received: Received) {
  const { provider } = state;
  if (provider.auth_mode !== "OAUTH1" || received.method !== "GET") return undefined;
  const values = valuesOf(state, undefined);
  const url = renderFirst(provider.authorization_url, values) ?? "";
  if (placeOf(received) !== toPlace(url)) return undefined;
  const token = received.query.get("oauth_token") ?? "";
  const request = state.requestTokens.get(token);
  if (request === undefined) throw new Refusal("authorize", "the request token is unknown");
  expectFields({
    stage: "authorize",
    what: "the parameter",
    got: new Map(received.query),
    wanted: new Map([
      ...new URL(url).searchParams,
      ...wantedOfAll(provider.authorization_params, values),
      ["oauth_token", token],
    ]),
  });
  const back = (params: Record<string, string>): string => {
    const address = new URL(request.callback);
    for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
    return address.href;
  };
  return {
    scopes: [],
    returnsTo: request.callback,
    allow() {
      request.verifier = newSecret(state, "verifier");
      const reported = Object.entries(provider.capture.callback).map(([field, name]) => [
        name,
        state.samples.reported[field] ?? "",
      ]);
      notePassed(state, "authorize");
      return back({
        oauth_token: token,
        oauth_verifier: request.verifier,
        ...Object.fromEntries(reported),
      });
    },
    deny: () => back({ denied: token }),
  };
}

function replyForm(fields: Readonly<Record<string, string>>): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...fields }).toString(),
  };
}
