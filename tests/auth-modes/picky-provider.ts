import { createHash, createHmac, createPublicKey, type KeyObject, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** One server that stands for all vendors, by the host that it is called by, and insists on their credentials. */
export interface PickyProvider extends AsyncDisposable {
  readonly origin: string;
  /** Calls of the API that came with the right credentials: host and path. */
  readonly accepted: readonly string[];
  /** What calls of its MCP server came with. */
  readonly authorizations: readonly string[];
}

export interface Expected {
  readonly publicKey: KeyObject;
  /** Authorization server of the MCP server at `/mcp`. */
  readonly issuer: string;
}

interface Call {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function startPickyProvider(expected: Expected): Promise<PickyProvider> {
  const accepted: string[] = [];
  const authorizations: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const call: Call = {
        method: request.method ?? "",
        host: request.headers.host ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
      };
      if (call.path.startsWith("/mcp") && call.headers.authorization !== undefined) {
        authorizations.push(call.headers.authorization);
      }
      const answer = mcpOf(call, expected) ?? loginOf(call, expected) ?? callOf(call, expected);
      if (answer === welcome) accepted.push(`${call.host}${call.path}`);
      response.writeHead(answer.status ?? 200, {
        "content-type": "application/json",
        ...answer.headers,
      });
      response.end(answer.body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${asTcpAddress(server.address()).port}`,
    accepted,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const refused: Answer = { status: 401, body: '{"error":"refused"}' };
const welcome: Answer = { body: '"welcome"' };

/** An MCP server, which sends those without a token to its authorization server (RFC 9728). */
function mcpOf({ host, path, headers }: Call, { issuer }: Expected): Answer | undefined {
  const metadata = "/.well-known/oauth-protected-resource/mcp";
  const origin = `http://${host}`;
  if (path === metadata) {
    return {
      body: JSON.stringify({
        resource: `${origin}/mcp`,
        authorization_servers: [issuer],
        scopes_supported: ["openid", "offline_access"],
      }),
    };
  }
  if (!path.startsWith("/mcp")) return undefined;
  if (headers.authorization !== undefined) return welcome;
  const challenge = `Bearer resource_metadata="${origin}${metadata}"`;
  return { ...refused, headers: { "www-authenticate": challenge } };
}

/** Answers of login endpoints; undefined for calls of the API. */
function loginOf(call: Call, expected: Expected): Answer | undefined {
  if (call.host === "gateway.prod.bill.com" && call.path === "/connect/v3/login") {
    const { username, password, organizationId, devKey } = JSON.parse(call.body);
    const isRight = [username, password, organizationId, devKey].join() === "ada,pass,org,dev";
    return isRight ? { body: '{"sessionId":"bill-session","userId":"u1"}' } : refused;
  }
  if (call.host === "oauth2.googleapis.com") {
    const form = new URLSearchParams(call.body);
    const claims = readJwt(form.get("assertion") ?? "", expected.publicKey);
    const isRight =
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
      claims?.["iss"] === "robot@example.com" &&
      claims["scope"] === "read" &&
      claims["aud"] === "https://oauth2.googleapis.com/token";
    return isRight ? { body: '{"access_token":"google-token","expires_in":3600}' } : refused;
  }
  if (call.host === "sts.amazonaws.com") {
    const form = new URLSearchParams(call.body);
    const keys = { id: "AKIDPLATFORM", secret: "platform-secret", region: "us-east-1" };
    const isRight = isSignedV4(call, { ...keys, service: "sts" });
    if (!isRight || form.get("RoleArn") !== "arn:aws:iam::123456789012:role/r") return refused;
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    return {
      body: `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIATEMP</AccessKeyId><SecretAccessKey>temp-secret</SecretAccessKey><SessionToken>temp-session</SessionToken><Expiration>${expires}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    };
  }
  return undefined;
}

/** Answers of the APIs: their own check of what the proxy has put into the call. */
function callOf(call: Call, expected: Expected): Answer {
  const { headers } = call;
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const checks: Record<string, () => boolean> = {
    "acme.snowflakecomputing.com": () => {
      const der = expected.publicKey.export({ type: "spki", format: "der" });
      const print = `SHA256:${createHash("sha256").update(der).digest("base64")}`;
      const claims = readJwt(bearer, expected.publicKey);
      return claims?.["iss"] === `ORG-ACC.BOT.${print}` && claims["sub"] === "ORG-ACC.BOT";
    },
    "www.googleapis.com": () => bearer === "google-token",
    "gateway.prod.bill.com": () =>
      headers["devkey"] === "dev" && headers["sessionid"] === "bill-session",
    "api.emarsys.net": () => isWsse(String(headers["x-wsse"]), "ada", "pass"),
    "123-sb1.suitetalk.api.netsuite.com": () => isSignedOAuth1(call),
    "s3.eu-west-1.amazonaws.com": () =>
      headers["x-amz-security-token"] === "temp-session" &&
      isSignedV4(call, {
        id: "ASIATEMP",
        secret: "temp-secret",
        region: "eu-west-1",
        service: "s3",
      }),
  };
  return checks[call.host]?.() === true ? welcome : refused;
}

function readJwt(jwt: string, publicKey: KeyObject): Record<string, unknown> | undefined {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const signed = Buffer.from(`${header}.${claims}`);
  const isValid = verify(
    "sha256",
    signed,
    createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
    Buffer.from(signature, "base64url"),
  );
  if (!isValid) return undefined;
  const read = JSON.parse(Buffer.from(claims, "base64url").toString());
  return read.exp > Date.now() / 1000 ? read : undefined;
}

/** OASIS UsernameToken: base64(hex(sha1(nonce + created + secret))), as this vendor has it. */
function isWsse(header: string, user: string, secret: string): boolean {
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(header)?.[1] ?? "";
  const created = field("Created");
  const digest = createHash("sha1")
    .update(field("Nonce") + created + secret)
    .digest("hex");
  const isFresh = Math.abs(Date.now() - Date.parse(created)) < 60_000;
  return (
    isFresh &&
    field("Username") === user &&
    field("PasswordDigest") === Buffer.from(digest).toString("base64")
  );
}

/** RFC 5849 with HMAC-SHA256, for a request without a form. */
function isSignedOAuth1({ method, host, path, headers }: Call): boolean {
  const pairs = [...(headers.authorization ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, decodeURIComponent(value)] as const,
  );
  const given = new Map(pairs);
  const [bare = "", query = ""] = path.split("?");
  const params = [
    ...pairs.filter(([name]) => name !== "realm" && name !== "oauth_signature"),
    ...new URLSearchParams(query),
  ];
  const normal = params
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const base = [method, `https://${host}${bare}`, normal].map(encode).join("&");
  const wanted = createHmac("sha256", "consumer-secret&token-secret").update(base).digest("base64");
  return (
    given.get("realm") === "123_SB1" &&
    given.get("oauth_consumer_key") === "consumer" &&
    given.get("oauth_token") === "token-id" &&
    given.get("oauth_signature") === wanted
  );
}

function encode(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** AWS Signature Version 4 over the headers that the request says are signed. */
function isSignedV4(
  { method, path, headers, body }: Call,
  key: { id: string; secret: string; region: string; service: string },
): boolean {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (match === null) return false;
  const [, id, day = "", region, service, names = "", signature] = match;
  if (id !== key.id || region !== key.region || service !== key.service) return false;
  const [bare = "", query = ""] = path.split("?");
  const sortedQuery = [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const canonicalHeaders = names
    .split(";")
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join("");
  const hash = createHash("sha256").update(body).digest("hex");
  const request = [method, bare, sortedQuery, canonicalHeaders, names, hash].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const hashed = createHash("sha256").update(request).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashed].join("\n");
  const derived = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${key.secret}`,
  );
  return createHmac("sha256", derived).update(toSign).digest("hex") === signature;
}

// A server that listens on a port of TCP has such an address.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}
