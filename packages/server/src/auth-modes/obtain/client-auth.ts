import { randomUUID } from "node:crypto";
import {
  type AuthorizationCodeRules,
  renderOptional,
  type TemplateValues,
} from "@jackfield/catalogue";
import { SECOND } from "#foundation";
import { renderFields } from "../apply/write-call.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { signJwt } from "../proof/sign-jwt.ts";
import type { OAuthClient } from "./oauth-client.ts";

/** How the client shows who it is: fields and headers to add, and whether its certificate is shown. */
export interface ClientAuth {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly withCertificate: boolean;
}

type AssertionRules = AuthorizationCodeRules["client_assertion"];

export interface ClientAuthInput {
  readonly method: string;
  readonly client: OAuthClient;
  /** Address of the token endpoint. */
  readonly url: string;
  readonly assertion: AssertionRules;
  readonly values: TemplateValues;
  readonly now: Date;
}

/** The client's part of a token request (RFC 6749 section 2.3, RFC 7523, RFC 8705). */
export async function authenticateClient(input: ClientAuthInput): Promise<ClientAuth> {
  const { method, client } = input;
  const { id, secret } = client;
  const plain = { headers: {}, withCertificate: false };
  const both = { client_id: id, client_secret: secret };
  switch (method) {
    case "client_secret_basic":
      return { ...plain, fields: {}, headers: toBasic(formEncode(id), formEncode(secret)) };
    case "client_secret_basic_raw":
      return { ...plain, fields: {}, headers: toBasic(id, secret) };
    case "secret_as_basic_user":
      return { ...plain, fields: {}, headers: toBasic(secret, "") };
    case "client_secret_basic_and_post":
      return { ...plain, fields: both, headers: toBasic(id, secret) };
    case "client_secret_jwt":
    case "private_key_jwt":
      return { ...plain, fields: { client_id: id, ...(await toAssertion(input)) } };
    case "tls_client_auth":
      return { ...plain, fields: { client_id: id }, withCertificate: true };
    case "tls_client_secret_post":
      return { ...plain, fields: both, withCertificate: true };
    case "none":
    case "id_only":
      return { ...plain, fields: { client_id: id } };
    case "custom":
      return { ...plain, fields: {} };
    default:
      // A public client has no secret to send.
      return { ...plain, fields: secret === "" ? { client_id: id } : both };
  }
}

function toBasic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

function formEncode(text: string): string {
  return new URLSearchParams({ _: text }).toString().slice("_=".length);
}

async function toAssertion(input: ClientAuthInput): Promise<Record<string, string>> {
  const { client, method, assertion, values, now, url } = input;
  const isShared = method === "client_secret_jwt";
  if (!isShared && !client.privateKey) {
    throw new ProviderFailure(
      "misconfigured",
      "The token endpoint wants a JWT signed by the client: set client_private_key.",
    );
  }
  const audience =
    assertion.audience === undefined ? undefined : renderOptional(assertion.audience, values);
  const iat = Math.floor(now.getTime() / SECOND);
  const jwt = await signJwt({
    alg: assertion.alg ?? (isShared ? "HS256" : "RS256"),
    key: isShared ? client.secret : (client.privateKey ?? ""),
    header: renderFields(assertion.header, values),
    claims: {
      iss: client.id,
      sub: client.id,
      aud: audience ?? url,
      jti: randomUUID(),
      iat,
      exp: iat + assertion.lifetime_s,
      ...renderFields(assertion.claims, values),
    },
  });
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: jwt,
  };
}
