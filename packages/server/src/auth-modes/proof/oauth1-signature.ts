import { createHmac, randomBytes, sign } from "node:crypto";
import { SECOND } from "#foundation";
import { splitUrl } from "../apply/split-url.ts";
import { toPrivateKey } from "./sign-jwt.ts";

export type OAuth1Method = "HMAC-SHA1" | "HMAC-SHA256" | "RSA-SHA1" | "PLAINTEXT";

export interface OAuth1Input {
  readonly method: string;
  readonly url: string;
  /** The body where it is a form, whose parameters are signed too. */
  readonly form?: string | undefined;
  readonly signatureMethod: OAuth1Method;
  readonly consumerKey: string;
  /** The shared secret; for RSA-SHA1 the PEM private key. */
  readonly consumerSecret: string;
  readonly token?: string | undefined;
  readonly tokenSecret?: string | undefined;
  readonly realm?: string | undefined;
  /** `oauth_callback` or `oauth_verifier`. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly now: Date;
  /** Random unless given. */
  readonly nonce?: string;
}

/** The Authorization header of a signed request (RFC 5849 section 3.5.1). */
export function signOAuth1(input: OAuth1Input): string {
  const params: Record<string, string> = {
    oauth_consumer_key: input.consumerKey,
    oauth_nonce: input.nonce ?? randomBytes(16).toString("hex"),
    oauth_signature_method: input.signatureMethod,
    oauth_timestamp: String(Math.floor(input.now.getTime() / SECOND)),
    oauth_version: "1.0",
    ...(input.token === undefined ? {} : { oauth_token: input.token }),
    ...input.extra,
  };
  const signature = toSignature(input, params);
  const sent = Object.entries({ ...params, oauth_signature: signature });
  const realm = input.realm === undefined ? [] : [`realm="${input.realm.replaceAll('"', "")}"`];
  return `OAuth ${[...realm, ...sent.map(([name, value]) => `${name}="${encode(value)}"`)].join(", ")}`;
}

function toSignature(input: OAuth1Input, params: Readonly<Record<string, string>>): string {
  const key = `${encode(input.consumerSecret)}&${encode(input.tokenSecret ?? "")}`;
  if (input.signatureMethod === "PLAINTEXT") return key;
  const text = toBaseString(input, params);
  if (input.signatureMethod === "RSA-SHA1") {
    return sign("sha1", Buffer.from(text), toPrivateKey(input.consumerSecret)).toString("base64");
  }
  const digest = input.signatureMethod === "HMAC-SHA1" ? "sha1" : "sha256";
  return createHmac(digest, key).update(text).digest("base64");
}

/** The signature base string (RFC 5849 section 3.4.1). */
export function toBaseString(
  { method, url, form }: Pick<OAuth1Input, "method" | "url" | "form">,
  params: Readonly<Record<string, string>>,
): string {
  const { scheme, host, path, query } = splitUrl(url);
  const port = scheme === "https" ? ":443" : ":80";
  const plainHost = host.endsWith(port) ? host.slice(0, -port.length) : host;
  const pairs = [
    ...new URLSearchParams(query),
    ...new URLSearchParams(form ?? ""),
    ...Object.entries(params),
  ].map(([name, value]) => [encode(name), encode(value)] as const);
  const normalized = pairs
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return [method.toUpperCase(), `${scheme}://${plainHost}${path}`, normalized]
    .map(encode)
    .join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Percent-encoding of RFC 5849 section 3.6: all but unreserved characters. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
