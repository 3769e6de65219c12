import { X509Certificate } from "node:crypto";
import {
  type AuthorizationCodeRules,
  type JsonTemplate,
  renderOptional,
  type TemplateValues,
} from "@jackfield/catalogue";
import { publicKeyOf, readJwt } from "../calls/signatures.ts";
import { type Received, Refusal, type Stage } from "../exchange/received.ts";

export interface Client {
  readonly id: string;
  readonly secret: string;
  /** PEM, for clients that sign or show a certificate. */
  readonly privateKey?: string | undefined;
  readonly certificate?: string | undefined;
}

export interface ClientCheck {
  readonly stage: Stage;
  readonly method: string;
  readonly client: Client;
  readonly received: Received;
  /** Fields of the request as they came, under the provider's names. */
  readonly fields: ReadonlyMap<string, string>;
  /** The provider's name of a standard parameter; empty where it wants none. */
  readonly nameOf: (name: string) => string;
  /** Address of the endpoint, for assertions. */
  readonly url: string;
  readonly assertion: AuthorizationCodeRules["client_assertion"];
  readonly values: TemplateValues;
  /** Headers that the entry itself asks for, in lower case. */
  readonly ownHeaders: ReadonlySet<string>;
}

/**
 * Checks how the client shows who it is, and that it does so in no other way; returns the names of the
 * fields that belong to it.
 */
export function checkClient(check: ClientCheck): Set<string> {
  const { method, client } = check;
  const inBody = (...names: readonly ("client_id" | "client_secret")[]): Set<string> => {
    const values = { client_id: client.id, client_secret: client.secret };
    return new Set(names.map((name) => requireField(check, name, values[name])));
  };
  if (method === "custom") return new Set();
  const isBasic = /basic/.test(method);
  if (isBasic) checkBasic(check);
  else if (
    check.received.headers.authorization !== undefined &&
    !check.ownHeaders.has("authorization")
  ) {
    fail(check, "an Authorization header is sent, though the client authenticates otherwise");
  }
  switch (method) {
    case "client_secret_basic":
    case "client_secret_basic_raw":
    case "secret_as_basic_user":
      return refuseSecret(check, new Set());
    case "client_secret_basic_and_post":
      return inBody("client_id", "client_secret");
    case "client_secret_jwt":
    case "private_key_jwt":
      return refuseSecret(check, new Set([...inBody("client_id"), ...checkAssertion(check)]));
    case "tls_client_auth":
      checkCertificate(check);
      return refuseSecret(check, inBody("client_id"));
    case "tls_client_secret_post":
      checkCertificate(check);
      return inBody("client_id", "client_secret");
    case "none":
    case "id_only":
      return refuseSecret(check, inBody("client_id"));
    default:
      return client.secret === ""
        ? refuseSecret(check, inBody("client_id"))
        : inBody("client_id", "client_secret");
  }
}

function requireField(
  { stage, fields, nameOf }: ClientCheck,
  standard: string,
  value: string,
): string {
  const name = nameOf(standard);
  if (name === "" || fields.get(name) === value) return name;
  throw new Refusal(stage, `client authentication: ${name} is not the client's`, 401);
}

function refuseSecret(check: ClientCheck, names: Set<string>): Set<string> {
  const name = check.nameOf("client_secret");
  if (check.fields.has(name))
    fail(check, `${name} is in the request, which ${check.method} forbids`);
  return names;
}

function checkBasic(check: ClientCheck): void {
  const { client, method } = check;
  const given = /^Basic ([A-Za-z0-9+/=]+)$/.exec(check.received.headers.authorization ?? "")?.[1];
  if (given === undefined) fail(check, "no Authorization header of Basic");
  const pair = Buffer.from(given ?? "", "base64").toString();
  const wanted = {
    client_secret_basic: [formEncode(client.id), formEncode(client.secret)],
    client_secret_basic_raw: [client.id, client.secret],
    client_secret_basic_and_post: [client.id, client.secret],
    secret_as_basic_user: [client.secret, ""],
  }[method]?.join(":");
  if (pair !== wanted) fail(check, "the Authorization header does not hold the client");
}

/** RFC 6749 section 2.3.1. */
function formEncode(text: string): string {
  return new URLSearchParams([["x", text]]).toString().slice(2);
}

function checkAssertion(check: ClientCheck): string[] {
  const { method, client, fields, assertion, values, url } = check;
  const names = ["client_assertion_type", "client_assertion"].map(check.nameOf);
  const [typeName = "", tokenName = ""] = names;
  if (fields.get(typeName) !== "urn:ietf:params:oauth:client-assertion-type:jwt-bearer") {
    fail(check, "client_assertion_type is not that of a JWT");
  }
  const isShared = method === "client_secret_jwt";
  const alg = assertion.alg ?? (isShared ? "HS256" : "RS256");
  const key = isShared ? Buffer.from(client.secret) : publicKeyOf(client.privateKey ?? "");
  const read = readJwt(fields.get(tokenName) ?? "", { alg, key });
  if (typeof read === "string") return fail(check, `client_assertion ${read}`);
  const audience = assertion.audience && renderOptional(assertion.audience, values);
  const wanted = {
    iss: client.id,
    sub: client.id,
    aud: audience ?? url,
    ...rendered(assertion.claims, values),
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (String(read.claims[name]) !== value) fail(check, `client_assertion has the wrong ${name}`);
  }
  if (typeof read.claims["jti"] !== "string") fail(check, "client_assertion has no jti");
  return names;
}

function rendered(
  templates: Readonly<Record<string, JsonTemplate>>,
  values: TemplateValues,
): Record<string, string> {
  const entries = Object.entries(templates).flatMap(([name, template]) => {
    if (typeof template !== "object" || template === null) return [[name, String(template)]];
    if (!("parts" in template) || Array.isArray(template)) return [];
    const text = renderOptional(asTemplate(template), values);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(entries);
}

// An object with parts is a compiled template; a JSON template has no field of that name otherwise.
function asTemplate(value: object): Parameters<typeof renderOptional>[0] {
  return value as Parameters<typeof renderOptional>[0];
}

function checkCertificate(check: ClientCheck): void {
  const { received, client } = check;
  const wanted = client.certificate && new X509Certificate(client.certificate).fingerprint256;
  if (received.certificate === undefined) fail(check, "no client certificate was shown");
  if (wanted && received.certificate !== wanted) fail(check, "another certificate was shown");
}

function fail({ stage }: ClientCheck, what: string): never {
  throw new Refusal(stage, `client authentication: ${what}`, 401);
}
