import { scopes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";
import { type Ids, operations, sampleRequest } from "./sample-request.ts";

// Promise A3: secrets leave only through a scope that ends in `_credentials`.

const canaries = {
  clientSecret: "canary-client-secret",
  accessToken: "canary-access-token",
  refreshToken: "canary-refresh-token",
  apiKey: "canary-api-key",
  password: "canary-password",
};

let api: ApiUnderTest;
let plainKey = "";
let fullKey = "";
beforeAll(async () => {
  api = await startApi();
  fullKey = await api.keyOf("dev", ["environment:*"]);
  const plain = scopes.filter(
    (scope) =>
      scope.startsWith("environment:") &&
      !scope.endsWith("_credentials") &&
      // These hand out secrets of their own kind by name.
      !["environment:variables:read", "environment:webhooks:read"].includes(scope),
  );
  plainKey = await api.keyOf("dev", plain);
  await seed();
});
afterAll(async () => await api[Symbol.asyncDispose]());

async function seed(): Promise<void> {
  const dev = apiOf(api.url, fullKey);
  const create = async (path: string, body: object) => {
    const { status } = await dev("POST", path, { body });
    expect([200, 201]).toContain(status);
  };
  await create("/integrations", {
    provider: "oauth2-generic",
    unique_key: "oauth",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: canaries.clientSecret },
    integration_config: {
      authorization_url: "https://x.example/a",
      token_url: "https://x.example/t",
    },
  });
  await create("/integrations", { provider: "private-api-bearer", unique_key: "bearer" });
  await create("/integrations", { provider: "private-api-basic", unique_key: "basic" });
  await create("/connections", {
    provider_config_key: "oauth",
    connection_id: "acme",
    credentials: {
      type: "OAUTH2",
      access_token: canaries.accessToken,
      refresh_token: canaries.refreshToken,
      expires_at: "2099-01-01T00:00:00Z",
    },
  });
  await create("/connections", {
    provider_config_key: "bearer",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: canaries.apiKey },
  });
  await create("/connections", {
    provider_config_key: "basic",
    connection_id: "acme",
    credentials: { type: "BASIC", username: "u", password: canaries.password },
  });
}

function idsOf(integration: string): Ids {
  return {
    uniqueKey: integration,
    providerConfigKey: integration,
    provider_config_key: integration,
    "provider-config-key": integration,
    integrationId: integration,
    connectionId: "acme",
    connection_id: "acme",
    "connection-id": "acme",
    include: "credentials",
  };
}

async function get(path: string, headers: Readonly<Record<string, string>>, key: string) {
  const response = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    redirect: "manual",
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text() };
}

const readRoutes = operations.filter(
  ({ method, path }) => method === "GET" && !/^\/(proxy|oauth|connect)/.test(path),
);

test.each(readRoutes.map((described) => [described.path, described] as const))(
  "GET %s shows no secret to a key without a credentials scope",
  async (_path, described) => {
    for (const integration of ["oauth", "bearer", "basic"]) {
      const { path, headers } = sampleRequest(described, idsOf(integration));
      const { text, status } = await get(path, headers, plainKey);
      expect(status).toBeLessThan(500);
      for (const canary of Object.values(canaries)) expect(text).not.toContain(canary);
    }
  },
);

test("a key with the scopes gets them, the refresh token only on request", async () => {
  const path = "/connections/acme?provider_config_key=oauth";

  const connection = await get(path, {}, fullKey);
  const withRefreshToken = await get(`${path}&refresh_token=true`, {}, fullKey);
  const integration = await get("/integrations/oauth?include=credentials", {}, fullKey);
  const refused = await get(`${path}&refresh_token=true`, {}, plainKey);

  expect(connection.text).toContain(canaries.accessToken);
  expect(connection.text).not.toContain(canaries.refreshToken);
  expect(withRefreshToken.text).toContain(canaries.refreshToken);
  expect(integration.text).toContain(canaries.clientSecret);
  expect(refused.status).toBe(403);
});

test("a dump of the database holds none of them in clear", async () => {
  const { rows: tables } = await api.database.pool.query(
    "select tablename from pg_tables where schemaname = 'public'",
  );
  for (const { tablename } of tables) {
    const { rows } = await api.database.pool.query(`select t::text from "${tablename}" t`);
    const dump = JSON.stringify(rows);
    for (const canary of Object.values(canaries)) {
      for (const form of ["utf8", "base64", "hex"] as const) {
        const text = Buffer.from(canary).toString(form).replace(/=+$/, "");
        expect(dump.includes(text), `${tablename}: ${canary} as ${form}`).toBe(false);
      }
    }
  }
});

test("a key that may only create gives no connection that exists new credentials", async () => {
  const creating = apiOf(api.url, await api.keyOf("dev", ["environment:connections:create"]));
  const changing = apiOf(
    api.url,
    await api.keyOf("dev", ["environment:connections:create", "environment:connections:update"]),
  );
  const full = apiOf(api.url, fullKey);
  const nested = (id: string, apiKey: string) => ({
    provider_config_key: "bearer",
    connection_id: id,
    credentials: { type: "API_KEY", apiKey },
  });
  const flat = (id: string, key: string) => ({
    provider_config_key: "bearer",
    connection_id: id,
    api_key: key,
  });
  const keyOf = async (id: string) => {
    const { body } = await full("GET", `/connections/${id}?provider_config_key=bearer`);
    return body.credentials.apiKey;
  };
  const results: unknown[] = [];
  const post = async (call: typeof full, path: string, body: object) => {
    const answer = await call("POST", path, { body });
    results.push(answer.status);
    return answer;
  };

  await post(creating, "/connections", nested("theirs", "canary-first"));
  const refused = await post(creating, "/connections", nested("theirs", "canary-second"));
  await post(creating, "/connection", flat("theirs", "canary-third"));
  const kept = await keyOf("theirs");
  await post(changing, "/connections", nested("theirs", "canary-fourth"));
  await post(changing, "/connection", flat("theirs", "canary-fifth"));
  const race = await Promise.all(
    ["a", "b", "c", "d", "e"].map(
      async (name) =>
        (await creating("POST", "/connections", { body: nested("raced", name) })).status,
    ),
  );

  expect(results).toEqual([201, 403, 403, 201, 201]);
  expect(refused.body.error).toMatchObject({
    code: "forbidden",
    message: expect.stringContaining("environment:connections:update"),
  });
  expect(kept).toBe("canary-first");
  expect(await keyOf("theirs")).toBe("canary-fifth");
  expect(race.toSorted()).toEqual([201, 403, 403, 403, 403]);
});
