import { createHash } from "node:crypto";
import {
  type AuthorizationCodeRules,
  renderFirst,
  renderOptional,
  renderTemplate,
  type Template,
  type TemplateValues,
  type TokenResponse,
  type TokenStep,
} from "@jackfield/catalogue";
import {
  expectFields,
  expectHeaders,
  flatten,
  type Wanted,
  wantedOfAll,
} from "../calls/expect-fields.ts";
import {
  holds,
  placeOf,
  type Received,
  Refusal,
  readFields,
  type Stage,
  toPlace,
} from "../exchange/received.ts";
import { type Reply, replyJson, writeTokenAnswer } from "../exchange/write-answer.ts";
import {
  type Grant,
  newGrant,
  newSecret,
  notePassed,
  tokenLife,
  type VendorState,
  valuesOf,
} from "../vendor-state.ts";
import { type Client, checkClient } from "./check-client.ts";
import { checkStep, requirePlace } from "./check-step.ts";
import { addedParams, findFlowProvider, flowOf, rename, type VendorFlow } from "./code-flow.ts";

/** Answers a token request of an OAuth 2 client; undefined where the request is none. */
export function answerTokenRequest(state: VendorState, received: Received): Reply | undefined {
  return (
    answerChain(state, received) ??
    answerCodeFlow(state, received) ??
    answerClientCredentials(state, received)
  );
}

function answerCodeFlow(state: VendorState, received: Received): Reply | undefined {
  const rules = findFlowProvider(state.provider);
  if (rules === undefined || received.isBrowser) return undefined;
  const place = placeOf(received);
  const [code, pending] = [...state.codes].find(([known]) => holds(received, known)) ?? [];
  if (code !== undefined && pending !== undefined) {
    const flow = flowOf(state, rules, pending);
    requirePlace("token", place, flow.tokenUrl);
    return exchangeCode(state, received, { flow, code, grant: pending });
  }
  const theft = [...state.grants].find((grant) =>
    [...grant.spent].some((old) => holds(received, old)),
  );
  const known = [...state.grants].find((grant) =>
    holds(received, rules.refresh_with === "access_token" ? grant.access : grant.refresh),
  );
  const flow = flowOf(state, rules, known);
  if (known !== undefined && place === toPlace(flow.refreshUrl)) {
    return refreshGrant(state, received, { flow, grant: known });
  }
  if (theft !== undefined && place === toPlace(flowOf(state, rules, theft).refreshUrl)) {
    if (state.faults.rotation === "reuse_detection") theft.revoked = true;
    throw new Refusal("refresh", "a refresh token that was replaced came back");
  }
  if (
    known !== undefined &&
    rules.refresh_with === "refresh_token" &&
    place === toPlace(flow.tokenUrl)
  ) {
    requirePlace("refresh", place, flow.refreshUrl);
  }
  if (place === toPlace(flow.tokenUrl))
    throw new Refusal("token", "neither a code nor a refresh token that is known");
  return undefined;
}

interface Exchange {
  readonly flow: VendorFlow;
  readonly grant: Grant;
}

function exchangeCode(
  state: VendorState,
  received: Received,
  { flow, code, grant }: Exchange & { code: string },
): Reply {
  const { rules } = flow;
  requireTakenClient(state, "token");
  const got = flatten(readFields(received, rules.body_format));
  const verifierName = rules.token_rename["code_verifier"] ?? "code_verifier";
  const own = new Map<string, Wanted>([
    ["grant_type", "authorization_code"],
    ["code", code],
    ["redirect_uri", grant.redirectUri],
    ...(flow.pkce === "none" ? [] : [["code_verifier", got.get(verifierName) ?? ""] as const]),
  ]);
  const values = valuesOf(state, grant, {
    credentials: undefined,
    grant: Object.fromEntries(own),
  });
  checkRequest(
    { state, received, stage: "token", got, values, client: grant.client },
    {
      url: flow.tokenUrl,
      authMethod: flow.authMethod,
      method: rules.token_method,
      headers: rules.token_headers,
      rename: rules.token_rename,
      own,
      added: addedParams(rules.token_params, values, flow.resource),
      assertion: rules.client_assertion,
    },
  );
  if (flow.pkce !== "none") checkVerifier(grant, got.get(verifierName) ?? "");
  state.codes.delete(code);
  state.grants.add(grant);
  notePassed(state, "token");
  return grantTokens(state, grant, {
    stage: "token",
    shape: rules.token_response,
    capture: rules.capture.token,
    exchange: rules.exchange,
    withRefresh: rules.refresh_with === "refresh_token",
    format: rules.body_format,
  });
}

function requireTakenClient({ faults }: VendorState, stage: Stage): void {
  if (!faults.refuse_client) return;
  throw new Refusal(stage, "the client is refused on request", 401, "invalid_client");
}

function checkVerifier({ challenge }: Grant, verifier: string): void {
  const hashed = createHash("sha256").update(verifier).digest("base64url");
  const wanted = challenge?.method === "plain" ? verifier : hashed;
  if (wanted !== challenge?.value) throw new Refusal("token", "code_verifier does not match");
}

function refreshGrant(state: VendorState, received: Received, { flow, grant }: Exchange): Reply {
  const { rules } = flow;
  requireTakenClient(state, "refresh");
  if (grant.revoked) throw new Refusal("refresh", "the grant was withdrawn", 400, "invalid_grant");
  const format = rules.refresh_body_format ?? rules.body_format;
  const got = flatten(readFields(received, format));
  const isPlain = rules.refresh_with === "refresh_token";
  const own = new Map<string, Wanted>(
    isPlain
      ? [
          ["grant_type", "refresh_token"],
          ["refresh_token", grant.refresh ?? ""],
        ]
      : [],
  );
  const values = valuesOf(state, grant, {
    credentials: { access_token: grant.access, refresh_token: grant.refresh },
    grant: Object.fromEntries(own),
  });
  checkRequest(
    { state, received, stage: "refresh", got, values, client: grant.client },
    {
      url: flow.refreshUrl,
      authMethod: flow.refreshAuthMethod,
      method: rules.refresh_method ?? rules.token_method,
      headers: rules.refresh_headers ?? rules.token_headers,
      rename: rules.refresh_rename ?? rules.token_rename,
      own,
      added: addedParams(rules.refresh_params, values, flow.resource),
      assertion: rules.client_assertion,
    },
  );
  notePassed(state, "refresh");
  return grantTokens(state, grant, {
    stage: "refresh",
    shape: rules.refresh_response ?? rules.token_response,
    capture: rules.capture.token,
    exchange: isPlain ? rules.exchange : [],
    withRefresh: isPlain,
    format,
  });
}

function answerClientCredentials(state: VendorState, received: Received): Reply | undefined {
  const { provider } = state;
  if (provider.auth_mode !== "OAUTH2_CC") return undefined;
  const given = state.samples.credentials;
  const client: Client = {
    id: given["client_id"] ?? "",
    secret: given["client_secret"] ?? "",
    privateKey: given["client_private_key"],
    certificate: given["client_certificate"],
  };
  const grant = [...state.grants][0] ?? newGrant(client);
  const values = valuesOf(state, grant);
  const url = renderFirst(provider.token_url, values) ?? "";
  if (placeOf(received) !== toPlace(url)) return undefined;
  const stage = grant.access === undefined ? "token" : "refresh";
  const separator = renderTemplate(provider.scope_separator, values);
  const scope = provider.scopes && renderOptional(provider.scopes, values);
  const own = new Map<string, Wanted>([
    ["grant_type", "client_credentials"],
    ...(scope === undefined ? [] : [["scope", scope.split(",").join(separator)] as const]),
  ]);
  checkRequest(
    {
      state,
      received,
      stage,
      got: flatten(readFields(received, provider.body_format)),
      values,
      client,
    },
    {
      url,
      authMethod: renderTemplate(provider.token_auth_method, values),
      method: provider.token_method,
      headers: provider.token_headers,
      rename: provider.token_rename,
      own,
      added: wantedOfAll(provider.token_params, values),
      assertion: provider.client_assertion,
    },
  );
  state.grants.add(grant);
  notePassed(state, stage);
  return grantTokens(state, grant, {
    stage,
    shape: provider.token_response,
    capture: provider.capture.token,
    exchange: provider.exchange,
    withRefresh: false,
    format: provider.body_format,
  });
}

interface RequestFacts {
  readonly state: VendorState;
  readonly received: Received;
  readonly stage: Stage;
  readonly got: ReadonlyMap<string, string>;
  readonly values: TemplateValues;
  readonly client: Client;
}

interface RequestRules {
  readonly url: string;
  readonly authMethod: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, Template>>;
  readonly rename: Readonly<Record<string, string>>;
  /** Under their standard names. */
  readonly own: ReadonlyMap<string, Wanted>;
  readonly added: ReadonlyMap<string, Wanted>;
  readonly assertion: AuthorizationCodeRules["client_assertion"];
}

function checkRequest(
  { received, stage, got, values, client }: RequestFacts,
  rules: RequestRules,
): void {
  if (received.method !== rules.method) {
    throw new Refusal(stage, `the method is ${received.method} instead of ${rules.method}`);
  }
  const headers = wantedOfAll(rules.headers, values);
  expectHeaders(stage, received.headers, headers);
  const ofClient = checkClient({
    stage,
    method: rules.authMethod,
    client,
    received,
    fields: got,
    nameOf: (name) => rules.rename[name] ?? name,
    url: rules.url,
    assertion: rules.assertion,
    values,
    ownHeaders: new Set([...headers.keys()].map((name) => name.toLowerCase())),
  });
  const wanted = new Map([...rename(rules.own, rules.rename), ...rules.added]);
  const fixed = [...new URL(rules.url).searchParams.keys()];
  const others = [...got].filter(
    ([name]) => wanted.has(name) || (!ofClient.has(name) && !fixed.includes(name)),
  );
  expectFields({ stage, what: "the field", got: new Map(others), wanted });
}

export interface Granting {
  readonly stage: Stage;
  readonly shape: TokenResponse;
  readonly capture: Readonly<Record<string, string>>;
  readonly exchange: readonly TokenStep[];
  readonly withRefresh: boolean;
  readonly format: string;
}

/** New tokens of a grant, or the first answer of a chain that ends with them. */
export function grantTokens(state: VendorState, grant: Grant, granting: Granting): Reply {
  if (state.faults.token_error_in_200) {
    return replyJson({ error: "temporarily_unavailable", error_description: "A simulated fault." });
  }
  const isLast = granting.exchange.length === 0;
  const access = newSecret(state, isLast ? "access" : "intermediate");
  const refresh = granting.withRefresh ? rotate(state, grant) : undefined;
  if (isLast) install(state, grant, access);
  else
    grant.chain = {
      at: 0,
      answers: [{ access, refresh }],
      isRefresh: granting.stage === "refresh",
    };
  return writeTokenAnswer(granting.shape, {
    accessToken: access,
    refreshToken: refresh,
    lifetimeSeconds: tokenLife(state),
    reported: isLast ? tell(state, grant, granting.capture) : new Map(),
    format: granting.format === "xml" ? "xml" : "json",
  });
}

function install(state: VendorState, grant: Grant, access: string): void {
  grant.access = access;
  grant.accessEnds = Date.now() + tokenLife(state) * 1000;
}

/** The refresh token for an answer: vendors keep, leave out or replace it. */
function rotate(state: VendorState, grant: Grant): string | undefined {
  const wish =
    state.faults.rotation ?? (["rotate", "keep", "omit"] as const)[state.provider.id.length % 3];
  if (grant.refresh !== undefined && wish === "omit") return undefined;
  if (grant.refresh !== undefined && wish === "keep") return grant.refresh;
  if (grant.refresh !== undefined) grant.spent.add(grant.refresh);
  grant.refresh = newSecret(state, "refresh");
  return grant.refresh;
}

function tell(
  state: VendorState,
  grant: Grant,
  capture: Readonly<Record<string, string>>,
): Map<string, string> {
  const reported = new Map<string, string>();
  for (const [field, path] of Object.entries(capture)) {
    const value = state.samples.reported[field] ?? "";
    grant.config[field] = value;
    reported.set(path, value);
  }
  return reported;
}

/** A further call of a chain, which has to bring what the one before has answered. */
function answerChain(state: VendorState, received: Received): Reply | undefined {
  const { provider } = state;
  const rules =
    findFlowProvider(provider) ?? (provider.auth_mode === "OAUTH2_CC" ? provider : undefined);
  if (rules === undefined) return undefined;
  for (const grant of state.grants) {
    const { chain } = grant;
    const last = chain?.answers.at(-1);
    const step = chain === undefined ? undefined : rules.exchange[chain.at];
    if (chain === undefined || last === undefined || step === undefined) continue;
    if (!holds(received, last.access)) continue;
    const stage = chain.isRefresh ? "refresh" : "token";
    const values = valuesOf(state, grant, {
      token: { access_token: last.access, refresh_token: last.refresh ?? grant.refresh },
      steps: Object.fromEntries(
        chain.answers.map(({ access }, index) => [index, { access_token: access }]),
      ),
    });
    checkStep(received, { step, stage, values });
    const isLast = chain.at + 1 === rules.exchange.length;
    const access = newSecret(state, isLast ? "access" : "intermediate");
    if (isLast) {
      grant.chain = undefined;
      install(state, grant, access);
    } else {
      grant.chain = {
        ...chain,
        at: chain.at + 1,
        answers: [...chain.answers, { access, refresh: undefined }],
      };
    }
    return writeTokenAnswer(step.response, {
      accessToken: access,
      lifetimeSeconds: tokenLife(state),
      reported: isLast ? tell(state, grant, rules.capture.token) : new Map(),
      format: step.body_format === "xml" ? "xml" : "json",
    });
  }
  return undefined;
}
