import { createHmac, generateKeyPairSync, verify } from "node:crypto";
import { expect, test } from "vitest";
import { signOAuth1, toBaseString } from "./oauth1-signature.ts";
import { signJwt } from "./sign-jwt.ts";
import { signSigV4 } from "./sign-sigv4.ts";

test("builds the signature base string of RFC 5849 section 3.4.1.1", () => {
  const text = toBaseString(
    {
      method: "POST",
      url: "http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b",
      form: "c2&a3=2+q",
    },
    {
      oauth_consumer_key: "9djdj82h48djs9d2",
      oauth_token: "kkk9d7dh3k39sjv7",
      oauth_signature_method: "HMAC-SHA1",
      oauth_timestamp: "137131201",
      oauth_nonce: "7d8f3e4a",
    },
  );

  expect(text).toBe(
    "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
  );
  // As corrected by the erratum to the RFC's own figure.
  const key = "j49sk3j29djd&dh893hdasih9";
  expect(createHmac("sha1", key).update(text).digest("base64")).toBe(
    "r6/TJjbCOr97/+UU0NsvSne7s5g=",
  );
});

const consumer = { consumerKey: "dpf43f3p2l4k3l03", consumerSecret: "kd94hf93k423kf44" } as const;

// Requests of RFC 5849 section 1.2, which carry no oauth_version.
test.each([
  [
    "74KNZJeDHnMBp0EMJ9ZHt/XKycU=",
    "POST",
    "https://photos.example.net/initiate",
    {
      oauth_timestamp: "137131200",
      oauth_nonce: "wIjqoS",
      oauth_callback: "http://printer.example.com/ready",
    },
    "",
  ],
  [
    "gKgrFCywp7rO0OXSjdot/IHF7IU=",
    "POST",
    "https://photos.example.net/token",
    {
      oauth_timestamp: "137131201",
      oauth_nonce: "walatlh",
      oauth_token: "hh5s93j4hdidpola",
      oauth_verifier: "hfdp7dh39dks9884",
    },
    "hdhd0244k9j7ao03",
  ],
  [
    "MdpQcU8iPSUjWoN/UDMsK2sui9I=",
    "GET",
    "http://photos.example.net/photos?file=vacation.jpg&size=original",
    {
      oauth_timestamp: "137131202",
      oauth_nonce: "chapoH",
      oauth_token: "nnch734d00sl2jdk",
    },
    "pfkkdhi9sl3r4s00",
  ],
])(
  "reproduces the signature %s of RFC 5849 section 1.2",
  (signature, method, url, params, secret) => {
    const text = toBaseString(
      { method, url },
      {
        oauth_consumer_key: consumer.consumerKey,
        oauth_signature_method: "HMAC-SHA1",
        ...params,
      },
    );

    const key = `${consumer.consumerSecret}&${secret}`;
    expect(createHmac("sha1", key).update(text).digest("base64")).toBe(signature);
  },
);

test.each([
  ["2.1", undefined, "", "ja893SD9%26"],
  ["2.3", "hdk48Djdsa", "xyz4992k83j47x0b", "ja893SD9%26xyz4992k83j47x0b"],
])(
  "reproduces the PLAINTEXT signature of RFC 5849 section %s",
  (_section, token, tokenSecret, signature) => {
    const header = signOAuth1({
      method: "POST",
      url: "https://server.example.com/request_temp_credentials",
      signatureMethod: "PLAINTEXT",
      consumerKey: "jd83jd92dhsh93js",
      consumerSecret: "ja893SD9",
      token,
      tokenSecret,
      now: new Date(0),
    });

    expect(header).toContain(`oauth_signature="${signature}"`);
  },
);

test.each([
  ["http://EXAMPLE.COM:80/r%20v/X?id=123", "http://example.com/r%20v/X"],
  ["https://www.example.net:8080/?q=1", "https://www.example.net:8080/"],
])("names %s in a base string as RFC 5849 section 3.4.1.2 has it", (url, base) => {
  const [, named = ""] = toBaseString({ method: "GET", url }, {}).split("&");

  expect(decodeURIComponent(named)).toBe(base);
});

test("signs with each of the OAuth 1 methods and names the realm", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const base = {
    method: "GET",
    url: "https://api.example.com/a?x=1",
    consumerKey: "ck",
    token: "tk",
    tokenSecret: "ts+/",
    now: new Date(1_000_000),
    nonce: "n",
  };
  const sign = (
    signatureMethod: Parameters<typeof signOAuth1>[0]["signatureMethod"],
    secret: string,
  ) => signOAuth1({ ...base, signatureMethod, consumerSecret: secret, realm: "R_1" });
  const params = {
    oauth_consumer_key: "ck",
    oauth_nonce: "n",
    oauth_timestamp: "1000",
    oauth_version: "1.0",
    oauth_token: "tk",
  };
  const textOf = (method: string) =>
    toBaseString(base, { ...params, oauth_signature_method: method });

  const plain = sign("PLAINTEXT", "c&s");
  const sha256 = sign("HMAC-SHA256", "cs");
  const rsa = sign("RSA-SHA1", pem);

  expect(plain).toContain('OAuth realm="R_1", oauth_consumer_key="ck"');
  expect(plain).toContain(`oauth_signature="${encodeURIComponent("c%26s&ts%2B%2F")}"`);
  const hmac = createHmac("sha256", "cs&ts%2B%2F").update(textOf("HMAC-SHA256")).digest("base64");
  expect(sha256).toContain(`oauth_signature="${encodeURIComponent(hmac)}"`);
  const signature = decodeURIComponent(/oauth_signature="([^"]+)"/.exec(rsa)?.[1] ?? "");
  const bytes = Buffer.from(signature, "base64");
  expect(verify("sha1", Buffer.from(textOf("RSA-SHA1")), publicKey, bytes)).toBe(true);
});

// From the test suite that AWS publishes for Signature Version 4.
const suite = {
  headers: new Map<string, string>(),
  body: new Uint8Array() as Uint8Array | undefined,
  region: "us-east-1",
  service: "service",
  keys: {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  },
  now: new Date("2015-08-30T12:36:00Z"),
};

const vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

test.each([
  ["get-vanilla", "GET", "/", vanilla],
  ["get-relative", "GET", "/example/..", vanilla],
  ["get-relative-relative", "GET", "/example1/example2/../..", vanilla],
  ["get-slash", "GET", "//", vanilla],
  ["get-slash-dot-slash", "GET", "/./", vanilla],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    "/?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "get-unreserved",
    "GET",
    "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  ],
  ["post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
])("signs the published case %s", (_, method, path, signature) => {
  const headers = signSigV4({ ...suite, method, url: `https://example.amazonaws.com${path}` });

  expect(headers.get("authorization")).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
});

test("signs the published cases with a body and with a session token", () => {
  const form = signSigV4({
    ...suite,
    method: "POST",
    url: "https://example.amazonaws.com/",
    headers: new Map([["content-type", "application/x-www-form-urlencoded"]]),
    body: Buffer.from("Param1=value1"),
  });
  const session = signSigV4({
    ...suite,
    method: "POST",
    url: "https://example.amazonaws.com/",
    keys: {
      ...suite.keys,
      sessionToken:
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
    },
  });

  expect(form.get("authorization")).toContain(
    "SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  );
  expect(session.get("authorization")).toContain(
    "Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
  );
});

test("leaves the payload of a stream unsigned and says so", () => {
  const headers = signSigV4({
    ...suite,
    method: "PUT",
    url: "https://bucket.s3.us-east-1.amazonaws.com/a%20b",
    service: "s3",
    body: undefined,
  });

  expect(headers.get("x-amz-content-sha256")).toBe("UNSIGNED-PAYLOAD");
  expect(headers.get("authorization")).toContain(
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date",
  );
});

test.each(["RS256", "PS256", "ES256", "EdDSA"])("signs a JWT with %s", async (alg) => {
  const { privateKey, publicKey } = newKeys(alg);
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  const jwt = await signJwt({ alg, key: pem.replaceAll("\n", "\\n"), claims: { iss: "a" } });

  const [header = "", claims = "", signature = ""] = jwt.split(".");
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg, typ: "JWT" });
  const key = alg === "PS256" ? { key: publicKey, padding: 6, saltLength: 32 } : publicKey;
  const how = alg === "ES256" ? { key: publicKey, dsaEncoding: "ieee-p1363" as const } : key;
  const digest = alg === "EdDSA" ? null : "sha256";
  const bytes = Buffer.from(signature, "base64url");
  expect(verify(digest, Buffer.from(`${header}.${claims}`), how, bytes)).toBe(true);
});

test("tells a key that cannot sign, without showing it", async () => {
  const signing = signJwt({ alg: "RS256", key: "no key SECRET", claims: {} });

  await expect(signing).rejects.toThrow(/cannot sign with RS256(?!.*SECRET)/);
});

test("refuses an RSA key that is too short for a JWT (RFC 7518 section 3.3)", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  const signing = signJwt({ alg: "RS256", key, claims: {} });

  await expect(signing).rejects.toThrow(/at least 2048 bits/);
});

function newKeys(alg: string) {
  if (alg === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  if (alg === "EdDSA") return generateKeyPairSync("ed25519");
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}
