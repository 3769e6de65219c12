import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOidcServer } from "../../packages/server/src/auth-modes/testing/oidc-server.ts";
import { type PickyProvider, startPickyProvider } from "./picky-provider.ts";
import { type PlatformUnderTest, startPlatform } from "./platform-under-test.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const oidc = await startOidcServer([]);
let provider: PickyProvider;
let platform: PlatformUnderTest;

beforeAll(async () => {
  provider = await startPickyProvider({ publicKey, issuer: oidc.issuer });
  platform = await startPlatform(provider.origin);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await oidc[Symbol.asyncDispose]();
});

interface Case {
  readonly provider: string;
  readonly path: string;
  readonly form: object;
  /** A form that the provider refuses. */
  readonly wrong?: object;
  readonly config?: object;
  readonly credentials?: object;
  readonly params?: string;
  /** Path below the base URL, and where it has to arrive. */
  readonly get: string;
  readonly arrives: string;
}

const login = { username: "ada", password: "pass" };

const cases: Record<string, Case> = {
  JWT: {
    provider: "snowflake-jwt",
    path: "/auth/jwt",
    params: "&params[subdomain]=acme",
    form: { accountIdentifier: "org-acc", userName: "bot", privateKey: pem },
    wrong: { accountIdentifier: "other", userName: "bot", privateKey: pem },
    get: "/api/v2/statements/1",
    arrives: "acme.snowflakecomputing.com/api/v2/statements/1",
  },
  TWO_STEP: {
    provider: "google-service-account",
    path: "/auth/two-step",
    form: { serviceAccountEmail: "robot@example.com", privateKey: pem, scopes: "read" },
    wrong: { serviceAccountEmail: "other@example.com", privateKey: pem, scopes: "read" },
    get: "/drive/v3/files?pageSize=2",
    arrives: "www.googleapis.com/drive/v3/files?pageSize=2",
  },
  TBA: {
    provider: "netsuite-tba",
    path: "/auth/tba",
    credentials: { type: "TBA", client_id: "consumer", client_secret: "consumer-secret" },
    params: "&params[accountId]=123-sb1",
    form: { token_id: "token-id", token_secret: "token-secret" },
    wrong: { token_id: "token-id", token_secret: "another" },
    get: "/services/rest/record/v1/customer?q=a%20b",
    arrives: "123-sb1.suitetalk.api.netsuite.com/services/rest/record/v1/customer?q=a%20b",
  },
  BILL: {
    provider: "bill",
    path: "/auth/bill",
    form: { ...login, organization_id: "org", dev_key: "dev" },
    wrong: { ...login, organization_id: "org", dev_key: "wrong" },
    get: "/v3/bills",
    arrives: "gateway.prod.bill.com/connect/v3/bills",
  },
  SIGNATURE: {
    provider: "emarsys",
    path: "/auth/signature",
    form: login,
    wrong: { ...login, password: "wrong" },
    get: "/v2/settings",
    arrives: "api.emarsys.net/api/v2/settings",
  },
  AWS_SIGV4: {
    provider: "aws-sigv4",
    path: "/auth/aws-sigv4",
    config: {
      service: "s3",
      awsAccessKeyId: "AKIDPLATFORM",
      awsSecretAccessKey: "platform-secret",
    },
    form: { role_arn: "arn:aws:iam::123456789012:role/r", region: "eu-west-1" },
    wrong: { role_arn: "arn:aws:iam::123456789012:role/other", region: "eu-west-1" },
    get: "/?list-type=2&prefix=a",
    arrives: "s3.eu-west-1.amazonaws.com/?list-type=2&prefix=a",
  },
};

test.each(Object.entries(cases))(
  "%s: what is typed in makes a connection whose calls the provider takes",
  async (mode, given) => {
    const key = mode.toLowerCase();
    const created = await platform.call("POST", "/integrations", {
      body: {
        provider: given.provider,
        unique_key: key,
        ...(given.config && { integration_config: given.config }),
        ...(given.credentials && { credentials: given.credentials }),
      },
    });
    expect(created).toMatchObject({ status: 200 });
    const token = await platform.newSession();
    const submit = async (body: object) =>
      await platform.call(
        "POST",
        `${given.path}/${key}?connect_session_token=${token}${given.params ?? ""}`,
        { body },
      );

    const refused = given.wrong && (await submit(given.wrong));
    const connected = await submit(given.form);
    const { connectionId } = connected.body;
    const target = { "provider-config-key": key, "connection-id": connectionId };
    const answer = await platform.call("GET", `/proxy${given.get}`, { headers: target });

    expect(refused?.body).toMatchObject({ error: { code: "connection_test_failed" } });
    expect(connected).toMatchObject({ status: 200, body: { providerConfigKey: key } });
    expect([answer.status, answer.body]).toEqual([200, "welcome"]);
    expect(provider.accepted.at(-1)).toBe(given.arrives);
  },
);

test("MCP_OAUTH2_GENERIC: a server is found, a client registered, and its calls arrive with the token", async () => {
  await platform.call("POST", "/integrations", {
    body: { provider: "mcp-generic", unique_key: "mcp" },
  });
  const token = await platform.newSession();
  const query = new URLSearchParams({
    connect_session_token: token,
    "params[mcp_server_url]": `${provider.origin}/mcp`,
    "authorization_params[prompt]": "consent",
  });

  const begun = await platform.call("GET", `/oauth/connect/mcp?${query}`);
  const location = begun.headers.get("location") ?? "";
  const redirectUri = new URL(location).searchParams.get("redirect_uri") ?? "";
  const callback = new URLSearchParams(await oidc.authorize(location, redirectUri));
  const [cookie = ""] = (begun.headers.get("set-cookie") ?? "").split(";");
  const ended = await platform.call("GET", `/oauth/callback?${callback}`, { headers: { cookie } });
  const { body: result } = await platform.call("GET", "/connect/session/result", {
    headers: { authorization: token },
  });
  const connectionId = result.data.connection_id;
  const answer = await platform.call("GET", "/proxy/", {
    headers: { "provider-config-key": "mcp", "connection-id": connectionId },
  });
  const read = await platform.call(
    "GET",
    `/connections/${connectionId}?provider_config_key=mcp&refresh_token=true`,
  );

  expect(ended.status).toBe(200);
  expect(result.data.state).toBe("success");
  expect([answer.status, answer.body]).toEqual([200, "welcome"]);
  expect(provider.authorizations.at(-1)).toBe(`Bearer ${read.body.credentials.access_token}`);
  expect(read.body.credentials).toMatchObject({
    type: "OAUTH2",
    config_override: { client_id: expect.any(String) },
  });
});

test.each([
  ["publishes nothing", "/nothing", /publishes no metadata/],
  ["cannot be reached", undefined, /could not be asked how to sign in/],
])("MCP_OAUTH2_GENERIC: that the server %s is reported as such", async (_what, path, message) => {
  const key = `mcp-${path === undefined ? "down" : "silent"}`;
  await platform.call("POST", "/integrations", {
    body: { provider: "mcp-generic", unique_key: key },
  });
  const server = path === undefined ? "http://127.0.0.1:1/mcp" : provider.origin + path;
  const query = new URLSearchParams({
    connect_session_token: await platform.newSession(),
    "params[mcp_server_url]": server,
  });

  const forPrograms = await platform.call("GET", `/oauth/connect/${key}?${query}`);
  const forPeople = await platform.call("GET", `/oauth/connect/${key}?${query}`, {
    headers: { accept: "text/html" },
  });

  expect(forPrograms.status).toBe(400);
  expect(forPrograms.body.error).toMatchObject({
    code: "connection_test_failed",
    message: expect.stringMatching(message),
  });
  expect(forPeople.status).toBe(400);
  expect(forPeople.body).toMatch(/<html/);
});
