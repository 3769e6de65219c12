import { createHmac } from "node:crypto";
import { expectFields, type Wanted } from "../calls/expect-fields.ts";
import { placeOf, type Received, Refusal, toPlace } from "../exchange/received.ts";
import { newGrant, newSecret, notePassed, type VendorState, valuesOf } from "../vendor-state.ts";
import type { Client } from "./check-client.ts";
import {
  addedParams,
  findClient,
  findFlowProvider,
  flowOf,
  rename,
  type VendorFlow,
} from "./code-flow.ts";

/** What an end user is asked on a vendor's page, and where the browser goes with the answer. */
export interface ConsentRequest {
  readonly scopes: readonly string[];
  readonly returnsTo: string;
  allow(): string;
  deny(): string;
}

/** An authorization request of a browser that the vendor would take; undefined where it is none. */
export function readConsentRequest(
  state: VendorState,
  received: Received,
): ConsentRequest | undefined {
  const rules = findFlowProvider(state.provider);
  if (rules === undefined) return undefined;
  const wanted = toPlace(flowOf(state, rules).authorizationUrl);
  if (placeOf(received) !== wanted || received.method !== "GET") return undefined;
  const idName = rules.authorization_rename["client_id"] ?? "client_id";
  const client =
    idName === "" ? state.samples.client : findClient(state, received.query.get(idName) ?? "");
  if (client === undefined) throw new Refusal("authorize", `${idName} is no client of this vendor`);
  const flow = flowOf(state, rules, { config: {}, client });
  return toConsentRequest(state, received, { flow, client });
}

function toConsentRequest(
  state: VendorState,
  received: Received,
  { flow, client }: { flow: VendorFlow; client: Client },
): ConsentRequest {
  const { rules } = flow;
  const got = new Map(received.query);
  const scopeName = rules.authorization_rename["scope"] ?? "scope";
  const scopes = readScopes(flow, got.get(scopeName) ?? "");
  const own = new Map<string, Wanted>([
    ["response_type", "code"],
    ["client_id", client.id],
    ["redirect_uri", got.get(nameOf(flow, "redirect_uri")) ?? ""],
    ["state", got.get(nameOf(flow, "state")) ?? ""],
    ...(got.has(scopeName) ? [["scope", got.get(scopeName) ?? ""] as const] : []),
    ...(flow.pkce === "none"
      ? []
      : ([
          ["code_challenge", got.get(nameOf(flow, "code_challenge")) ?? ""],
          ["code_challenge_method", flow.pkce === "plain" ? "plain" : "S256"],
        ] as const)),
  ]);
  const values = valuesOf(state, { config: {}, client }, { credentials: undefined });
  const fixed = new URL(flow.authorizationUrl).searchParams;
  const userScope = rules.user_scope_parameter;
  expectFields({
    stage: "authorize",
    what: "the parameter",
    got,
    wanted: new Map([
      ...fixed,
      ...addedParams(rules.authorization_params, values, flow.resource),
      ...(userScope !== undefined && got.has(userScope)
        ? [[userScope, got.get(userScope) ?? ""] as const]
        : []),
      ...rename(own, rules.authorization_rename),
    ]),
  });
  for (const required of [
    "redirect_uri",
    "state",
    ...(flow.pkce === "none" ? [] : ["code_challenge"]),
  ]) {
    const name = nameOf(flow, required);
    if (name !== "" && !got.get(name)) throw new Refusal("authorize", `${name} is empty`);
  }
  for (const name of rules.authorization_unencoded) {
    const value = got.get(name);
    if (value !== undefined && !received.search.split("&").includes(`${name}=${value}`)) {
      throw new Refusal("authorize", `${name} is percent-encoded, which this vendor does not read`);
    }
  }
  const redirectUri = got.get(nameOf(flow, "redirect_uri")) ?? "";
  const returnTo = (params: Record<string, string>) =>
    toCallback(
      state,
      { flow, client, redirectUri, state: got.get(nameOf(flow, "state")) ?? "" },
      params,
    );
  return {
    scopes,
    returnsTo: redirectUri,
    allow() {
      notePassed(state, "authorize");
      const code = newSecret(state, "code");
      const reported = reportedByCallback(state, flow);
      const challenge = got.get(nameOf(flow, "code_challenge"));
      const grant = newGrant(client, {
        redirectUri,
        challenge: challenge === undefined ? undefined : { method: flow.pkce, value: challenge },
        config: reported.config,
      });
      state.codes.set(code, grant);
      const installed =
        state.provider.auth_mode === "CUSTOM"
          ? { installation_id: "4711", setup_action: "install" }
          : {};
      return returnTo({ [rules.callback.code]: code, ...reported.query, ...installed });
    },
    deny: () => returnTo({ [rules.callback.error]: "access_denied" }),
  };
}

function nameOf({ rules }: VendorFlow, name: string): string {
  return rules.authorization_rename[name] ?? name;
}

/** Scopes as the vendor splits them; those that the entry always wants have to be among them. */
function readScopes({ rules, scopeSeparator }: VendorFlow, text: string): string[] {
  const scopes = text.split(scopeSeparator).filter((scope) => scope !== "");
  const name = rules.authorization_rename["scope"] ?? "scope";
  for (const required of rules.required_scopes) {
    if (name === "" || scopes.includes(required)) continue;
    throw new Refusal("authorize", `${name} lacks ${required}, or is joined by something else`);
  }
  const joined = scopes.find((scope) => /[\s,+]/.test(scope.trim()) && !/^https?:/.test(scope));
  if (joined === undefined) return scopes;
  throw new Refusal(
    "authorize",
    `${name} is joined otherwise than by "${scopeSeparator}": "${joined}"`,
  );
}

function reportedByCallback(state: VendorState, { rules }: VendorFlow) {
  const config: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const [field, name] of Object.entries(rules.capture.callback)) {
    const value = state.samples.reported[field] ?? "";
    config[field] = value;
    query[name] = value;
  }
  return { config, query };
}

interface Return {
  readonly flow: VendorFlow;
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string;
}

function toCallback(
  vendor: VendorState,
  { flow, client, redirectUri, state }: Return,
  params: Readonly<Record<string, string>>,
): string {
  const { callback } = flow.rules;
  const url = new URL(redirectUri === "" ? vendor.samples.client.appLink : redirectUri);
  const all: Record<string, string> = {
    ...params,
    [callback.state]: state,
    ...(flow.issuer === undefined ? {} : { iss: flow.issuer }),
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  if (callback.hmac !== undefined) {
    const signed = Object.entries(all)
      .map((pair) => pair.join("="))
      .toSorted()
      .join("&");
    url.searchParams.set(
      callback.hmac,
      createHmac("sha256", client.secret).update(signed).digest("hex"),
    );
  }
  return url.href;
}
