import {
  literalTemplate,
  type Revocation,
  renderOptional,
  renderTemplate,
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
  toPlace,
} from "../exchange/received.ts";
import { type Reply, replyJson } from "../exchange/write-answer.ts";
import { type Grant, notePassed, type VendorState, valuesOf } from "../vendor-state.ts";
import { checkClient } from "./check-client.ts";
import { findFlowProvider, findServer, flowOf } from "./code-flow.ts";

/** How the entry withdraws tokens; undefined where it does not. */
export function findRevocation(state: VendorState): Revocation | undefined {
  const { provider } = state;
  const server = findServer(state);
  if (server !== undefined) {
    return {
      url: literalTemplate(server.revocationUrl),
      method: "POST",
      body_format: "form",
      params: {},
      headers: {},
      client_auth: true,
      ends_grant: false,
    };
  }
  return "revocation" in provider ? provider.revocation : undefined;
}

/** Takes a token back (RFC 7009, or the entry's own way); undefined for another request. */
export function answerRevocation(state: VendorState, received: Received): Reply | undefined {
  const rules = findRevocation(state);
  if (rules === undefined || received.isBrowser) return undefined;
  const [grant] = [...state.grants].filter(
    (known) => holds(received, known.refresh) || holds(received, known.access),
  );
  if (grant === undefined) return undefined;
  const values = valuesOf(state, grant, { credentials: credentialsOf(state, grant) });
  const url = renderOptional(rules.url, values);
  if (url === undefined || placeOf(received) !== toPlace(url)) return undefined;
  if (received.method !== rules.method) {
    throw new Refusal("revoke", `the method is ${received.method} instead of ${rules.method}`);
  }
  const got = flatten(readFields(received, rules.body_format));
  const headers = wantedOfAll(rules.headers, values);
  expectHeaders("revoke", received.headers, headers);
  const ofClient = rules.client_auth
    ? checkItsClient(state, { grant, received, got, url, headers })
    : new Set();
  const own = wantedOfAll(rules.params, values);
  const wanted = new Map<string, Wanted>(
    own.size > 0 ? own : [["token", grant.refresh ?? grant.access ?? ""]],
  );
  const isBare = rules.body_format === "none";
  const others = [...got].filter(([name]) => wanted.has(name) || !ofClient.has(name));
  expectFields({
    stage: "revoke",
    what: "the field",
    got: new Map(others),
    wanted: isBare ? new Map() : wanted,
    exact: !isBare,
  });
  grant.revoked = true;
  notePassed(state, "revoke");
  return replyJson({});
}

function credentialsOf(state: VendorState, grant: Grant): Record<string, string | undefined> {
  const { access, refresh } = grant;
  return {
    ...state.samples.credentials,
    access_token: access,
    token: access,
    refresh_token: refresh,
  };
}

interface ClientFacts {
  readonly grant: Grant;
  readonly received: Received;
  readonly got: ReadonlyMap<string, string>;
  readonly url: string;
  readonly headers: ReadonlyMap<string, Wanted>;
}

function checkItsClient(
  state: VendorState,
  { grant, received, got, url, headers }: ClientFacts,
): Set<string> {
  const { provider } = state;
  const flowProvider = findFlowProvider(provider);
  const values = valuesOf(state, grant);
  if (flowProvider === undefined && provider.auth_mode !== "OAUTH2_CC") return new Set();
  const rules = flowProvider ?? (provider.auth_mode === "OAUTH2_CC" ? provider : undefined);
  if (rules === undefined) return new Set();
  const { credentials } = state.samples;
  const client =
    flowProvider === undefined
      ? {
          id: credentials["client_id"] ?? "",
          secret: credentials["client_secret"] ?? "",
          privateKey: credentials["client_private_key"],
          certificate: credentials["client_certificate"],
        }
      : grant.client;
  return checkClient({
    stage: "revoke",
    method:
      flowProvider === undefined
        ? renderTemplate(rules.token_auth_method, values)
        : flowOf(state, flowProvider, grant).authMethod,
    client,
    received,
    fields: got,
    nameOf: (name) => name,
    url,
    assertion: rules.client_assertion,
    values,
    ownHeaders: new Set(headers.keys()),
  });
}
