import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
} from "node:crypto";
import type { Received } from "../exchange/received.ts";

/** How vendors check signatures, written from the standards alone. */

export type Claims = Readonly<Record<string, unknown>>;

export interface ReadJwt {
  readonly header: Claims;
  readonly claims: Claims;
}

/** A JWT (RFC 7519) that `key` has signed and that has not expired; a text says what is wrong. */
export function readJwt(
  jwt: string,
  { alg, key }: { alg: string; key: KeyObject | Buffer },
): ReadJwt | string {
  const parts = jwt.split(".");
  if (parts.length !== 3) return "is no JWT";
  const [head = "", body = "", signature = ""] = parts;
  const header = parsePart(head);
  const claims = parsePart(body);
  if (header === undefined || claims === undefined) return "is no JWT";
  if (header["alg"] !== alg) return `is signed with ${String(header["alg"])} instead of ${alg}`;
  if (!isSigned(Buffer.from(`${head}.${body}`), Buffer.from(signature, "base64url"), alg, key)) {
    return "has a signature of another key";
  }
  const now = Date.now() / 1000;
  if (typeof claims["exp"] === "number" && claims["exp"] < now) return "has expired";
  if (typeof claims["iat"] === "number" && claims["iat"] > now + 5) return "is of the future";
  return { header, claims };
}

function parsePart(text: string): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}

function isSigned(data: Buffer, signature: Buffer, alg: string, key: KeyObject | Buffer): boolean {
  const digest = `sha${alg.slice(2)}`;
  if (alg.startsWith("HS")) {
    const wanted = createHmac(digest, key).update(data).digest();
    return wanted.length === signature.length && timingSafeEqual(wanted, signature);
  }
  if (Buffer.isBuffer(key)) return false;
  if (alg === "EdDSA") return verify(null, data, key, signature);
  if (alg.startsWith("ES")) {
    return verify(digest, data, { key, dsaEncoding: "ieee-p1363" }, signature);
  }
  // RFC 7518 section 3.5: the salt is as long as the digest.
  const pss = { key, padding: 6, saltLength: -1 };
  return verify(digest, data, alg.startsWith("PS") ? pss : key, signature);
}

/** The public half of a PEM private key, regardless of its line breaks. */
export function publicKeyOf(pem: string): KeyObject {
  return createPublicKey(createPrivateKey(pem.replaceAll("\\n", "\n")));
}

export interface OAuth1Keys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string | undefined;
  readonly tokenSecret: string;
  readonly method: string;
}

/** The protocol parameters of a signed request (RFC 5849 section 3); a text says what is wrong. */
export function readOAuth1(received: Received, keys: OAuth1Keys): Map<string, string> | string {
  const header = received.headers.authorization ?? "";
  if (!header.startsWith("OAuth ")) return "has no Authorization header of OAuth";
  const pairs = header
    .slice("OAuth ".length)
    .split(",")
    .flatMap((part) => {
      const [, name, value = ""] = /^\s*([\w.~-]+)="([^"]*)"\s*$/.exec(part) ?? [];
      return name === undefined
        ? []
        : [[decodeURIComponent(name), decodeURIComponent(value)] as const];
    });
  const given = new Map(pairs);
  if (given.get("oauth_consumer_key") !== keys.consumerKey) return "is of another consumer";
  if ((given.get("oauth_token") || undefined) !== keys.token) return "is of another token";
  if (given.get("oauth_signature_method") !== keys.method) return `is not signed by ${keys.method}`;
  const isForm = (received.headers["content-type"] ?? "").startsWith(
    "application/x-www-form-urlencoded",
  );
  const parameters = [
    ...pairs.filter(([name]) => name !== "realm" && name !== "oauth_signature"),
    ...received.query,
    ...(isForm ? new URLSearchParams(received.body) : []),
  ];
  const normal = parameters
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");
  const address = `https://${received.host.toLowerCase()}${received.path}`;
  const base = [received.method, address, normal].map(encode).join("&");
  const secret = [keys.consumerSecret, keys.tokenSecret].map(encode).join("&");
  const signature = given.get("oauth_signature") ?? "";
  return signature === signOAuth1(keys.method, base, secret) ? given : "has a wrong signature";
}

function signOAuth1(method: string, base: string, secret: string): string {
  if (method === "PLAINTEXT") return secret;
  const digest = method === "HMAC-SHA256" ? "sha256" : "sha1";
  return createHmac(digest, secret).update(base).digest("base64");
}

function encode(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** OASIS UsernameToken; what is encoded in base64 is the digest, or its hex text. */
export function isWsse(
  header: string,
  user: { username: string; password: string },
  form: "raw" | "hex",
): boolean {
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(header)?.[1] ?? "";
  const created = field("Created");
  const nonce = form === "raw" ? Buffer.from(field("Nonce"), "base64").toString() : field("Nonce");
  const hash = createHash("sha1").update(nonce + created + user.password);
  const digest =
    form === "raw" ? hash.digest("base64") : Buffer.from(hash.digest("hex")).toString("base64");
  const isFresh = Math.abs(Date.now() - Date.parse(created)) < 300_000;
  return isFresh && field("Username") === user.username && field("PasswordDigest") === digest;
}

export interface AwsKeys {
  readonly id: string;
  readonly secret: string;
  readonly region: string;
  readonly service: string;
}

/** AWS Signature Version 4 over the headers that the request says are signed. */
export function isSignedV4(received: Received, key: AwsKeys): boolean {
  const { method, path, headers, body, query } = received;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (match === null) return false;
  const [, id, day = "", region, service, names = "", signature] = match;
  if (id !== key.id || region !== key.region || service !== key.service) return false;
  const sortedQuery = [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const canonicalHeaders = names
    .split(";")
    .map((name) => `${name}:${[headers[name]].flat().join(",").trim()}\n`)
    .join("");
  const hash = createHash("sha256").update(body).digest("hex");
  const canonical = [method, path, sortedQuery, canonicalHeaders, names, hash].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const hashed = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashed].join("\n");
  const derived = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${key.secret}`,
  );
  return createHmac("sha256", derived).update(toSign).digest("hex") === signature;
}
