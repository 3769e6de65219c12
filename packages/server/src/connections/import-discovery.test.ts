import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let key: string;
let origin: string;
/** What the provider answers to the question for tenants. */
let listed: { status: number; body: unknown };

const provider = createServer((_request, response) => {
  response.writeHead(listed.status, { "content-type": "application/json" });
  response.end(JSON.stringify(listed.body));
});

beforeAll(async () => {
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const address = provider.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  origin = `http://127.0.0.1:${port}`;
  server = await startKeyedServer({ egressAllow: ["127.0.0.0/8"] });
  key = await server.newKey(server.installation.ctx, "environment:*");
  for (const name of ["xero", "salesforce"]) {
    const made = await server.call(key, "POST", "/integrations", {
      provider: name,
      unique_key: name,
      credentials: { type: "OAUTH2", client_id: "id", client_secret: "s" },
      settings: {
        overrides: name === "xero" ? { base_url: `http://127.0.0.1:${port}` } : undefined,
      },
    });
    expect(made.status).toBe(200);
  }
});
afterAll(async () => {
  provider.close();
  await server[Symbol.asyncDispose]();
});

const tenants = [{ tenantId: "t-1" }, { tenantId: "t-2" }];

async function importXero(connectionId: string, config?: Record<string, string>) {
  return await server.call(key, "POST", "/connections", {
    provider_config_key: "xero",
    connection_id: connectionId,
    credentials: { type: "OAUTH2", access_token: "a" },
    ...(config && { connection_config: config }),
  });
}

test("an import keeps the tenant that it names, and takes the first where it names none", async () => {
  listed = { status: 200, body: tenants };

  const named = await importXero("named", { tenant_id: "t-2" });
  const open = await importXero("open");

  expect([named.status, named.body.connection_config]).toEqual([201, { tenant_id: "t-2" }]);
  expect([open.status, open.body.connection_config]).toEqual([201, { tenant_id: "t-1" }]);
});

test("a tenant that the provider does not list is refused by name", async () => {
  listed = { status: 200, body: tenants };

  const { status, body } = await importXero("unlisted", { tenant_id: "t-9" });

  expect(status).toBe(400);
  expect(body.error).toMatchObject({
    code: "invalid_body",
    errors: [{ path: ["connection_config", "tenant_id"] }],
  });
  expect(body.error.message).toMatch(/t-9.*Xero.*t-1, t-2/);
});

test.each([
  ["an empty list", 200, [], 201],
  ["no JSON object", 500, "down", 201],
  ["a scope that is missing", 403, { error: "scope" }, 201],
  ["credentials that are refused", 401, { error: "token" }, 400],
])(
  "a named tenant is kept where discovery answers %s: %i",
  async (_case, status, body, expected) => {
    listed = { status, body };

    const named = await importXero(`blind-${status}`, { tenant_id: "t-2" });
    const open = await importXero(`open-${status}`);

    expect(named.status).toBe(expected);
    if (expected === 201) expect(named.body.connection_config).toEqual({ tenant_id: "t-2" });
    expect(open.status).toBe(400);
  },
);

test("values of two accounts are refused together, and one that is listed is not blamed", async () => {
  await server.call(key, "POST", "/integrations", {
    provider: "jira",
    unique_key: "jira",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s" },
    settings: { overrides: { simulator_url: origin } },
  });
  listed = {
    status: 200,
    body: [
      { id: "c-1", url: "https://one.atlassian.net" },
      { id: "c-2", url: "https://two.atlassian.net" },
    ],
  };
  const refuse = async (baseUrl: string) => {
    const { body } = await server.call(key, "POST", "/connections", {
      provider_config_key: "jira",
      credentials: { type: "OAUTH2", access_token: "a" },
      connection_config: { cloudId: "c-1", baseUrl },
    });
    return body.error.message;
  };

  expect(await refuse("https://two.atlassian.net")).toBe(
    "`connection_config.baseUrl` is of another account at Jira than `cloudId`.",
  );
  expect(await refuse("https://three.atlassian.net")).toBe(
    '`connection_config.baseUrl` is "https://three.atlassian.net", which Jira does not list for these credentials; it lists https://one.atlassian.net, https://two.atlassian.net.',
  );
});

test("new credentials for a connection leave it with its tenant, or are refused", async () => {
  listed = { status: 200, body: tenants };
  await importXero("again", { tenant_id: "t-2" });

  const without = await importXero("again");
  const other = await importXero("again", { other: "x" });
  listed = { status: 200, body: [{ tenantId: "t-3" }] };
  const gone = await importXero("again");

  expect([without.status, without.body.connection_config]).toEqual([201, { tenant_id: "t-2" }]);
  expect([other.status, other.body.connection_config]).toEqual([
    201,
    { other: "x", tenant_id: "t-2" },
  ]);
  expect([gone.status, gone.body.error.code]).toEqual([400, "invalid_body"]);
});

test.each([
  ["salesforce", { instance_url: "acme" }, 400],
  ["salesforce", { instance_url: "https://acme.my.salesforce.com" }, 201],
  ["salesforce", { hostname: "not a host" }, 400],
])("an import to %s with %j answers %i", async (integration, config, status) => {
  const made = await server.call(key, "POST", "/connections", {
    provider_config_key: integration,
    credentials: { type: "OAUTH2", access_token: "a" },
    connection_config: config,
  });

  expect(made.status).toBe(status);
  if (status === 201) expect(made.body.connection_config).toMatchObject(config);
  else
    expect(made.body.error.errors[0].path).toEqual(["connection_config", Object.keys(config)[0]]);
});
