import {
  type Provider,
  renderFirst,
  renderOptional,
  renderTemplate,
  type TemplateValues,
} from "@jackfield/catalogue";
import { checkEntryToken } from "../authorization/logins.ts";
import { requireSigned } from "../authorization/oauth1.ts";
import {
  holds,
  placeOf,
  type Received,
  Refusal,
  readFields,
  type Stage,
} from "../exchange/received.ts";
import { type Grant, type VendorState, valuesOf } from "../vendor-state.ts";
import { expectFields, flatten, type Wanted, wantedOf, wantedOfAll } from "./expect-fields.ts";
import { isSignedV4, isWsse } from "./signatures.ts";

/** What a call with right credentials is about. */
export interface CheckedCall {
  readonly grant: Grant | undefined;
  readonly values: TemplateValues;
  /** Path below the base URL; undefined where the address lies elsewhere. */
  readonly below: string | undefined;
  /** Parameters and fields that carry no credentials. */
  readonly query: URLSearchParams;
}

/**
 * Checks that a call carries the credentials as the entry says, and nowhere else. `ownHeaders` are those
 * that the call itself brings instead of the credentials'.
 */
export function checkCall(
  state: VendorState,
  received: Received,
  { stage, ownHeaders = new Map() }: { stage: Stage; ownHeaders?: ReadonlyMap<string, Wanted> },
): CheckedCall {
  const { provider } = state;
  const grant = findGrant(state, received);
  if (grant !== undefined) requireLive(grant, stage);
  const values = {
    ...valuesOf(state, grant, { credentials: credentialsOf(state, grant) }),
    request: requestValues(received),
  };
  const wanted = wantedInCall(state, received, { values, stage, grant });
  for (const [name, value] of [...wantedOfAll(provider.headers, values)]) {
    if (!wanted.headers.has(name.toLowerCase())) wanted.headers.set(name.toLowerCase(), value);
  }
  for (const [name, value] of ownHeaders) wanted.headers.set(name.toLowerCase(), value);
  checkHeaders(received, wanted.headers, stage, wanted.signed);
  if (received.method === "GET" && received.body !== "") {
    throw new Refusal(stage, `a GET has the body ${received.body.slice(0, 40)}`);
  }
  const query = new URLSearchParams(received.query);
  const all = new Map([...wantedOfAll(provider.query, values), ...wanted.query]);
  expectFields({
    stage,
    what: "the parameter",
    got: new Map(received.query),
    wanted: all,
    exact: false,
  });
  for (const name of all.keys()) query.delete(name);
  if (wanted.body.size > 0) {
    const format = (received.headers["content-type"] ?? "").includes("json") ? "json" : "form";
    const got =
      received.method === "GET" ? new Map<string, string>() : flatten(readFields(received, format));
    expectFields({ stage, what: "the field", got, wanted: wanted.body, exact: false });
  }
  return {
    grant,
    values,
    below: findBelow(provider, received, { values, segments: wanted.segments, stage }),
    query,
  };
}

function findGrant(state: VendorState, received: Received): Grant | undefined {
  return [...state.grants].find((grant) => holds(received, grant.access));
}

function requireLive(grant: Grant, stage: Stage): void {
  if (grant.accessEnds < Date.now() || grant.revoked)
    throw new Refusal(stage, "the token has ended", 401);
}

function credentialsOf(state: VendorState, grant: Grant | undefined): Record<string, string> {
  const { access, refresh } = grant ?? {};
  return {
    ...state.samples.credentials,
    ...(access === undefined ? {} : { access_token: access, token: access }),
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
  };
}

function requestValues({
  method,
  host,
  path,
  search,
  body,
  headers,
}: Received): Record<string, string> {
  const query = search === "" ? "" : `?${search}`;
  return {
    method,
    url: `https://${host}${path}${query}`,
    host,
    path,
    query: search,
    body,
    content_type: headers["content-type"] ?? "",
  };
}

interface WantedInCall {
  readonly headers: Map<string, Wanted>;
  readonly query: ReadonlyMap<string, Wanted>;
  readonly body: ReadonlyMap<string, Wanted>;
  /** Segments before the path. */
  readonly segments: readonly string[];
  /** Whether the Authorization header was checked as a signature. */
  readonly signed: boolean;
}

interface CallFacts {
  readonly values: TemplateValues;
  readonly stage: Stage;
  readonly grant: Grant | undefined;
}

const nothing = { query: new Map(), body: new Map(), segments: [], signed: false };

function wantedInCall(state: VendorState, received: Received, facts: CallFacts): WantedInCall {
  const { provider } = state;
  const { values, stage, grant } = facts;
  const { inject } = provider;
  if (inject !== undefined) {
    if (usesToken(provider)) requireGrant(grant, stage);
    return {
      ...nothing,
      headers: lowerNames(wantedOfAll(inject.headers, values)),
      query: wantedOfAll(inject.query, values),
      body: wantedOfAll(inject.body, values),
    };
  }
  const given = state.samples.credentials;
  switch (provider.auth_mode) {
    case "NONE":
      return { ...nothing, headers: new Map() };
    case "API_KEY":
      return wantedKeys(state, provider.api_key, values);
    case "BASIC":
      return withAuthorization(
        toBasic(
          renderTemplate(provider.basic.username, values),
          renderOptional(provider.basic.password, values) ?? "",
        ),
      );
    case "INSTALL_PLUGIN":
      return withAuthorization(toBasic("ada", "plugin-pass+/="));
    case "JWT": {
      const jwt = bearerOf(received, stage);
      checkEntryToken(jwt, { rules: provider.signed_token, stage, values });
      return withAuthorization(`Bearer ${jwt}`);
    }
    case "SIGNATURE": {
      const user = { username: given["username"] ?? "", password: given["password"] ?? "" };
      const header = String(received.headers["x-wsse"] ?? "");
      if (!isWsse(header, user, provider.signature.digest)) {
        throw new Refusal(stage, "the header x-wsse is not signed by the user", 401);
      }
      return { ...nothing, headers: new Map() };
    }
    case "BILL":
      return {
        ...nothing,
        headers: new Map([
          ["devkey", given["dev_key"] ?? ""],
          ["sessionid", requireGrant(grant, stage).access ?? ""],
        ]),
      };
    case "TBA":
      requireSigned(state, received, {
        stage,
        token: given["token_id"],
        secret: given["token_secret"] ?? "",
      });
      return { ...nothing, headers: new Map(), signed: true };
    case "OAUTH1": {
      const { access, refresh } = requireGrant(grant, stage);
      requireSigned(state, received, { stage, token: access, secret: refresh ?? "" });
      return { ...nothing, headers: new Map(), signed: true };
    }
    case "AWS_SIGV4": {
      const { access = "", config } = requireGrant(grant, stage);
      const isRight = isSignedV4(received, {
        id: `ASIA${access.length}`,
        secret: `key of ${access}`,
        region: config["region"] ?? "",
        service: config["service"] ?? "",
      });
      if (!isRight) throw new Refusal(stage, "the signature is wrong", 403);
      return { ...nothing, headers: new Map(), signed: true };
    }
    default:
      return withAuthorization(`Bearer ${requireGrant(grant, stage).access ?? ""}`);
  }
}

function usesToken({ auth_mode: mode }: Provider): boolean {
  return !["API_KEY", "BASIC", "NONE", "INSTALL_PLUGIN", "JWT", "SIGNATURE", "TBA"].includes(mode);
}

function requireGrant(grant: Grant | undefined, stage: Stage): Grant {
  if (grant !== undefined) return grant;
  throw new Refusal(stage, "there is no token of this vendor in the request", 401);
}

function bearerOf(received: Received, stage: Stage): string {
  const token = /^Bearer (.+)$/.exec(received.headers.authorization ?? "")?.[1];
  if (token === undefined) throw new Refusal(stage, "no Authorization header of Bearer", 401);
  return token;
}

function withAuthorization(value: string): WantedInCall {
  return { ...nothing, headers: new Map([["authorization", value]]) };
}

function toBasic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

function lowerNames(headers: ReadonlyMap<string, Wanted>): Map<string, Wanted> {
  return new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
}

type Keys = Extract<Provider, { auth_mode: "API_KEY" }>["api_key"];

function wantedKeys(state: VendorState, keys: Keys, values: TemplateValues): WantedInCall {
  const wanted = {
    headers: new Map<string, Wanted>(),
    query: new Map<string, Wanted>(),
    body: new Map<string, Wanted>(),
    segments: [] as string[],
    signed: false,
  };
  for (const { placement, name, value } of keys) {
    const text =
      "integration_field" in value
        ? (state.samples.integrationConfig[value.integration_field] ?? "").replace(
            "{{credentials.apiKey}}",
            state.samples.credentials["apiKey"] ?? "",
          )
        : (wantedOf(value, values) ?? "");
    const at = renderTemplate(name, values);
    switch (renderTemplate(placement, values)) {
      case "query":
        wanted.query.set(at, text);
        break;
      case "body":
        wanted.body.set(at, text);
        break;
      case "path":
        wanted.segments.push(String(text));
        break;
      default:
        wanted.headers.set(at.toLowerCase(), text);
    }
  }
  return wanted;
}

function checkHeaders(
  received: Received,
  wanted: ReadonlyMap<string, Wanted>,
  stage: Stage,
  isSigned: boolean,
): void {
  for (const [name, value] of wanted) {
    // Vendors insist on a name, not on ours: a caller's own is passed on.
    if (name === "user-agent" && received.headers["user-agent"]) continue;
    const got = new Map([[name, [received.headers[name]].flat().join(", ")]]);
    try {
      expectFields({ stage, what: "the header", got, wanted: new Map([[name, value]]) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(stage, error.message, 401);
    }
  }
  if (isSigned || wanted.has("authorization") || received.headers.authorization === undefined)
    return;
  throw new Refusal(stage, "an Authorization header is sent, which this vendor does not read", 401);
}

function findBelow(
  provider: Provider,
  received: Received,
  {
    values,
    segments,
    stage,
  }: { values: TemplateValues; segments: readonly string[]; stage: Stage },
): string | undefined {
  const own = provider.base_url && renderFirst(provider.base_url, values);
  if (own === undefined) return received.path;
  const base = new URL(own);
  const added = segments
    .map((text) => `/${encodeURIComponent(text).replaceAll("%3A", ":")}`)
    .join("");
  const start = `https://${base.host}${added}${base.pathname.replace(/(?<!\/)\/+$/, "")}`;
  const place = placeOf(received);
  if (place === start || place.startsWith(`${start}/`)) return place.slice(start.length) || "/";
  if (segments.length > 0) {
    throw new Refusal(stage, `the call went to ${place}, which does not begin with ${start}`, 401);
  }
  return undefined;
}
