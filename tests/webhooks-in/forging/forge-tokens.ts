import { createHmac } from "node:crypto";
import {
  type RouterCase,
  SECRET,
  type Signer,
  TIME,
} from "../../../packages/server/src/webhooks-in/testing/index.ts";
import { type Forgeries, type Sent, withHeader } from "./forge-signatures.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

interface Token {
  readonly head: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly signature: string;
}

function readToken(token: string): Token {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const decode = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString());
  return { head: decode(head), claims: decode(claims), signature };
}

/** JSON Web Tokens (RFC 7519, 8725) with one fault each, of the routers that take one. */
export function forgeTokens(each: RouterCase, request: Sent, signer: Signer): Forgeries {
  const [kind, token] = (request.headers["authorization"] ?? "").split(" ");
  if (each.header !== "authorization" || kind === undefined || token === undefined) return {};
  const genuine = readToken(token);
  const isGoogle = genuine.head["alg"] === "RS256";
  const signRight = (content: string) =>
    isGoogle ? signer.rsaSign(content) : createHmac("sha256", SECRET).update(content).digest();
  const make = (
    head: Record<string, unknown>,
    claims: Record<string, unknown>,
    sign: (content: string) => Buffer = signRight,
  ) => {
    const content = `${encode({ ...genuine.head, ...head })}.${encode({ ...genuine.claims, ...claims })}`;
    return `${content}.${sign(content).toString("base64url")}`;
  };
  const none = () => Buffer.alloc(0);
  const now = Math.floor(TIME.getTime() / 1000);
  const hmac = (algorithm: string, key: string | Buffer) => (content: string) =>
    createHmac(algorithm, key).update(content).digest();
  const forged: Record<string, string> = {
    "alg none": make({ alg: "none" }, {}, none),
    "alg None": make({ alg: "None" }, {}, none),
    "alg none with the signature": make({ alg: "none" }, {}),
    "no alg": make({ alg: undefined }, {}),
    "alg null": make({ alg: null }, {}, none),
    "alg a list": make({ alg: ["HS256", "RS256"] }, {}),
    "HS256 with the public key": make({ alg: "HS256" }, {}, hmac("sha256", signer.rsaPublicKey)),
    "HS256 with the modulus": make({ alg: "HS256" }, {}, hmac("sha256", signer.rsaModulus)),
    "HS256 with nothing": make({ alg: "HS256" }, {}, hmac("sha256", "")),
    HS384: make({ alg: "HS384" }, {}, hmac("sha384", SECRET)),
    HS512: make({ alg: "HS512" }, {}, hmac("sha512", SECRET)),
    "RS256 by a name alone": make(isGoogle ? { alg: "RS512" } : { alg: "RS256" }, {}),
    "PS256 by a name alone": make({ alg: "PS256" }, {}),
    "an unknown critical field": make({ crit: ["x"], x: 1 }, {}),
    "an unencoded payload": make({ b64: false, crit: ["b64"] }, {}),
    "no signature": `${token.split(".").slice(0, 2).join(".")}.`,
    "two parts": token.split(".").slice(0, 2).join("."),
    "four parts": `${token}.x`,
    "five parts": `${token}.x.y`,
    "other claims, same signature": `${encode(genuine.head)}.${encode({ ...genuine.claims, x: 1 })}.${genuine.signature}`,
    "another head, same signature": `${encode({ ...genuine.head, x: 1 })}.${token.split(".").slice(1).join(".")}`,
    expired: make({}, { exp: now - 3600, iat: now - 7200 }),
    "not valid yet": make({}, { nbf: now + 3600 }),
    "no end, made long ago": make({}, { exp: undefined, iat: now - 7200 }),
    "an end that is text": make({}, { exp: "2099-01-01" }),
    "an end that is no number": make({}, { exp: [now + 60] }),
    "its signature cut": token.slice(0, -4),
    "its signature zeros": `${token.slice(0, token.lastIndexOf(".") + 1)}${"A".repeat(genuine.signature.length)}`,
    "twice itself": `${token}${token}`,
    "a list of itself": `${token}, ${token}`,
    ...(isGoogle ? googleFaults(make, signer) : atlassianFaults(make, now)),
  };
  const texts = Object.entries(forged).map(([fault, text]) => [fault, `${kind} ${text}`]);
  texts.push(["without its kind", token], ["as Basic", `Basic ${token}`]);
  return Object.fromEntries(
    texts.map(([fault, text]) => [`token: ${fault}`, withHeader(request, "authorization", text)]),
  );
}

type Make = (
  head: Record<string, unknown>,
  claims: Record<string, unknown>,
  sign?: (content: string) => Buffer,
) => string;

function googleFaults(make: Make, signer: Signer): Record<string, string> {
  const jwk = { kty: "oct", k: Buffer.from("k").toString("base64url") };
  const byEmbedded = (content: string) => createHmac("sha256", "k").update(content).digest();
  return {
    "another issuer": make({}, { iss: "https://accounts.google.com.evil.example" }),
    "no issuer": make({}, { iss: undefined }),
    "another audience": make({}, { aud: "https://hooks.example.com/webhook/e/other" }),
    "no audience": make({}, { aud: undefined }),
    "an audience within a list of others": make({}, { aud: ["https://other.example"] }),
    "another account": make({}, { email: "push@other.iam.gserviceaccount.com" }),
    "an account that is not verified": make({}, { email_verified: false }),
    "an account verified by a text": make({}, { email_verified: "true" }),
    "an account in capitals": make({}, { email: "PUSH@PROJECT.IAM.GSERVICEACCOUNT.COM" }),
    "no account": make({}, { email: undefined }),
    "a key of its own": make({ alg: "HS256", jwk }, {}, byEmbedded),
    "an address for its key": make({ alg: "HS256", jku: "https://evil.example/k" }, {}, byEmbedded),
    "the other key": make({}, {}, signer.edSign),
  };
}

function atlassianFaults(make: Make, now: number): Record<string, string> {
  return {
    "the hash of another request": make({}, { qsh: "0".repeat(64) }),
    "the hash of a page": make({}, { qsh: "context-qsh" }),
    "a hash that is no text": make({}, { qsh: ["x"] }),
    "made in the future": make({}, { iat: now + 3600 }),
    "neither time": make({}, { exp: undefined, iat: undefined }),
  };
}
