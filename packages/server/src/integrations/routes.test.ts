import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, on } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { allowedIntegrations, integrationDeleting } from "./hooks.ts";
import { getIntegration, getIntegrationById } from "./reading/get-integration.ts";
import { getIntegrationCredentials } from "./reading/get-integration-credentials.ts";
import { toAuthSubject } from "./reading/to-auth-subject.ts";
import { integrations } from "./slice.ts";

let installation: TestApp;
let calling: EnvironmentContext;
let ctx: EnvironmentContext;
const deleted: string[] = [];
let allowed: string[] | undefined;
let refusal: Error | undefined;

beforeAll(async () => {
  installation = await testApp({
    slices: [integrations],
    caller: async () => calling,
    hooks: [
      on(integrationDeleting, async (tx, { uniqueKey }) => {
        if (!tx.db.isTransaction) throw new Error("called outside the transaction");
        if (refusal !== undefined) throw refusal;
        deleted.push(uniqueKey);
      }),
      on(allowedIntegrations, async () => allowed),
    ],
  });
  ctx = installation.ctx;
});
afterAll(async () => await installation[Symbol.asyncDispose]());

async function call(
  caller: EnvironmentContext,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  url: string,
  body?: object,
) {
  calling = caller;
  const options = { method, url, ...(body === undefined ? {} : { payload: body }) };
  const response = await installation.server.inject(options);
  return { status: response.statusCode, body: response.json() };
}

const github = {
  provider: "github",
  credentials: { type: "OAUTH2", client_id: "id", client_secret: "s3cret", scopes: "repo,gist" },
};

test("creates an OAuth integration; its client is sealed and read by scope", async () => {
  const created = await call(ctx, "POST", "/integrations", { ...github, unique_key: "gh" });

  const data = {
    unique_key: "gh",
    provider: "github",
    display_name: "GitHub",
    logo: "http://127.0.0.1:3003/images/template-logos/github.svg",
    forward_webhooks: true,
    created_at: ctx.clock.now().toISOString(),
    updated_at: ctx.clock.now().toISOString(),
    callback_url: "http://127.0.0.1:3003/oauth/callback",
  };
  expect(created).toEqual({ status: 200, body: { data } });
  const { rows } = await sql<{ credentials: Buffer }>`
    select credentials from integrations where unique_key = 'gh'`.execute(ctx.db);
  expect(rows[0]?.credentials.includes("s3cret")).toBe(false);
  const integration = await getIntegration(ctx, "gh");
  expect(await getIntegrationById(ctx, integration.id)).toEqual(integration);
  expect(await getIntegrationCredentials(ctx, integration)).toEqual(github.credentials);

  const plain = await call(ctx, "GET", "/integrations/gh?include=webhook");
  expect(plain.body).toEqual({
    data: { ...data, webhook_url: expect.stringMatching(/\/webhook\/[0-9a-f-]{36}\//) },
  });
  for (const query of ["include=webhook&include=credentials", "include=webhook,credentials"]) {
    const full = await call(ctx, "GET", `/integrations/gh?${query}`);
    // What is not set is left out.
    expect(full.body.data.credentials).toEqual(github.credentials);
  }
  const reader = { ...ctx, actor: withScopes("environment:integrations:read") };
  const less = await call(reader, "GET", "/integrations/gh?include=credentials");
  expect(less.body).toEqual({ data });
});

test.each([
  ["commas", "repo,gist"],
  ["spaces", "repo gist"],
  ["both", "repo, gist"],
  ["a list", ["repo", "gist"]],
])("scopes with %s between are the same scopes", async (_name, scopes) => {
  const unique_key = `gh-${randomUUID()}`;
  const credentials = { ...github.credentials, scopes };

  const created = await call(ctx, "POST", "/integrations", { ...github, credentials, unique_key });
  const integration = await getIntegration(ctx, unique_key);

  expect(created.status).toBe(200);
  expect(await getIntegrationCredentials(ctx, integration)).toEqual(github.credentials);
});

test.each([
  ["github", { client_id: "id", client_secret: "s3cret", scopes: ["repo"] }, "OAUTH2"],
  ["netsuite-tba", { client_id: "k", client_secret: "s" }, "TBA"],
  ["trello", { client_id: "k", client_secret: "s" }, "OAUTH1"],
])("credentials of %s without a type are of its mode, also in a change", async (id, own, type) => {
  const unique_key = `untyped-${id}`;

  const created = await call(ctx, "POST", "/integrations", {
    provider: id,
    unique_key,
    credentials: own,
  });
  const changed = await call(ctx, "PATCH", `/integrations/${unique_key}`, {
    credentials: { client_secret: "other" },
  });
  const read = await call(ctx, "GET", `/integrations/${unique_key}?include=credentials`);

  expect([created.status, changed.status]).toEqual([200, 200]);
  expect(read.body.data.credentials).toMatchObject({ type, client_id: own.client_id });
  expect(read.body.data.credentials.client_secret).toBe("other");
  // What is not set is left out.
  expect(Object.values(read.body.data.credentials)).not.toContain(null);
});

test("credentials without a type are checked, and the answer names the callback URL", async () => {
  const post = async (credentials: object, provider = "github") =>
    (await call(ctx, "POST", "/integrations", { provider, unique_key: "faulty", credentials })).body
      .error;

  const missing = await post({ client_secret: "s" });
  const unknown = await post({ client_id: "i", client_secret: "s", clientScopes: "repo" });
  const none = await post({ client_id: "i", client_secret: "s" }, "openai");

  expect(missing.errors).toEqual([
    { code: "invalid_type", message: "is missing", path: ["credentials", "client_id"] },
  ]);
  expect(missing.message).toContain("register at GitHub: http://127.0.0.1:3003/oauth/callback");
  expect(unknown.errors[0]).toMatchObject({ code: "unrecognized_keys", path: ["credentials"] });
  expect(none.message).toContain("must be left out");
});

test("an integration that was not created yet is answered with the callback URL of its provider", async () => {
  const { status, body } = await call(ctx, "GET", "/integrations/gitlab");
  const form = await call(ctx, "GET", "/integrations/openai");
  const unknown = await call(ctx, "GET", "/integrations/no-provider");

  expect(status).toBe(404);
  expect(body.error.message).toContain("POST /integrations. Callback URL to register at GitLab: ");
  expect(form.body.error.message).toMatch(/POST \/integrations\.$/);
  expect(unknown.body.error.message).toContain("GET /integrations");
});

test("an integration without its client names the callback URL to register", async () => {
  const bare = await call(ctx, "POST", "/integrations", {
    provider: "github",
    unique_key: "gh-bare",
  });
  const form = await call(ctx, "POST", "/integrations", {
    provider: "openai",
    unique_key: "no-callback",
  });

  expect(bare.status).toBe(200);
  expect(bare.body.data.callback_url).toBe("http://127.0.0.1:3003/oauth/callback");
  expect(form.body.data).not.toHaveProperty("callback_url");
});

function withScopes(...scopes: string[]) {
  return { kind: "key", keyId: "k", accountId: "a", scopes } as const;
}

test("stores the configuration with defaults, which modes get to see", async () => {
  const created = await call(ctx, "POST", "/integrations", {
    provider: "private-api-generic",
    unique_key: "own api",
    display_name: "Own",
    forward_webhooks: false,
    integration_config: { keyName: "x-key", baseUrl: "https://api.example.com" },
    settings: { allowed_hosts: ["files.example.com"] },
  });

  expect(created.body.data).toMatchObject({
    display_name: "Own",
    forward_webhooks: false,
    integration_config: {
      keyPlacement: "header",
      keyName: "x-key",
      valueTemplate: "{{credentials.apiKey}}",
      baseUrl: "https://api.example.com",
      keyLabel: "API key",
    },
    settings: { allowed_hosts: ["files.example.com"] },
  });
  const subject = await toAuthSubject(ctx, await getIntegration(ctx, "own api"), { a: "b" });
  expect(subject).toMatchObject({
    provider: { id: "private-api-generic" },
    integrationCredentials: undefined,
    connectionConfig: { a: "b" },
  });
  expect(subject.integrationConfig["keyPlacement"]).toBe("header");
});

const pem = "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n";

test.each([
  ["TBA", "netsuite-tba", { client_id: "k", client_secret: "s" }],
  ["OAUTH1", "trello", { client_id: "k", client_secret: "s" }],
  ["APP", "github-app", { app_id: "1", app_link: "https://a.example", private_key: pem }],
])(
  "takes and shows the credentials of mode %s, and of no other",
  async (type, provider, fields) => {
    const unique_key = `of ${type}`;
    const body = { provider, unique_key, credentials: { type, ...fields } };
    const wrong = { type: "OAUTH2", client_id: "k", client_secret: "s" };

    const refused = await call(ctx, "POST", "/integrations", { ...body, credentials: wrong });
    const created = await call(ctx, "POST", "/integrations", body);
    const read = await call(ctx, "GET", `/integrations/of%20${type}?include=credentials`);

    expect(refused.body.error.errors[0].path).toEqual(["credentials"]);
    expect(created.status).toBe(200);
    expect(read.body.data.credentials).toMatchObject({ type, ...fields });
  },
);

const own = { keyName: "x-key", baseUrl: "https://api.example.com" };

test.each([
  ["an unknown provider", { provider: "nope" }, "provider"],
  ["a taken key", { ...github, unique_key: "gh" }, "uniqueKey"],
  ["a client where none is taken", { ...github, provider: "openai" }, "credentials"],
  ["an unknown setting", { ...github, integration_config: { x: "1" } }, "integration_config.x"],
  [
    "a missing setting",
    { provider: "private-api-generic", integration_config: { keyName: "x" } },
    "integration_config.baseUrl",
  ],
  [
    "a value outside the enum",
    { provider: "private-api-generic", integration_config: { ...own, keyPlacement: "body" } },
    "integration_config.keyPlacement",
  ],
  [
    "an address that is none",
    { provider: "private-api-generic", integration_config: { ...own, baseUrl: "ftp://a.b" } },
    "integration_config.baseUrl",
  ],
  [
    "a base with a query",
    {
      provider: "private-api-generic",
      integration_config: { ...own, baseUrl: "https://a.b/?x=1" },
    },
    "integration_config.baseUrl",
  ],
  [
    "a form without the key",
    { provider: "private-api-generic", integration_config: { ...own, valueTemplate: "x" } },
    "integration_config.valueTemplate",
  ],
  ["values that only a change may set", { ...github, custom: { note: "a" } }, ""],
])("refuses %s", async (_, body, path) => {
  const answer = await call(ctx, "POST", "/integrations", { unique_key: "new", ...body });

  expect(answer.status).toBe(400);
  expect(answer.body.error.code).toBe("invalid_body");
  const paths = answer.body.error.errors.map((issue: { path: string[] }) => issue.path.join("."));
  expect(paths).toEqual([path]);
  expect((await call(ctx, "GET", "/integrations/new")).status).toBe(404);
});

test("lists by key; a session sees what it allows, without configuration", async () => {
  const environment = await installation.addEnvironment();
  for (const unique_key of ["b", "a", "c"]) {
    const body = {
      provider: "unauthenticated",
      unique_key,
      integration_config: { base_url: "https://a.b" },
    };
    await call(environment, "POST", "/integrations", body);
  }
  const keysOf = async (caller: EnvironmentContext) => {
    const { body } = await call(caller, "GET", "/integrations");
    expect(body.configs).toEqual(body.data);
    expect(body.data[0]).not.toHaveProperty("integration_config");
    return body.data.map((found: { unique_key: string }) => found.unique_key);
  };
  const session = { ...environment, actor: { kind: "session", sessionId: "s" } as const };

  expect(await keysOf(environment)).toEqual(["a", "b", "c"]);
  allowed = ["c", "a", "gh"];
  expect(await keysOf(session)).toEqual(["a", "c"]);
  allowed = undefined;
  expect(await keysOf(session)).toEqual(["a", "b", "c"]);
});

test("deletes with all that hangs on it, or not at all; the key is free again", async () => {
  await call(ctx, "POST", "/integrations", { ...github, unique_key: "gone" });
  refusal = new Error("not now");
  expect((await call(ctx, "DELETE", "/integrations/gone")).status).toBe(500);
  expect((await call(ctx, "GET", "/integrations/gone")).status).toBe(200);
  refusal = undefined;

  const answer = await call(ctx, "DELETE", "/integrations/gone");

  expect(answer).toEqual({ status: 200, body: { success: true } });
  expect(deleted).toEqual(["gone"]);
  expect((await call(ctx, "GET", "/integrations/gone")).status).toBe(404);
  expect((await call(ctx, "DELETE", "/integrations/gone")).status).toBe(404);
  await expect(getIntegration(ctx, "gone")).rejects.toMatchObject({
    code: "unknown_provider_config",
  });
  expect((await call(ctx, "POST", "/integrations", { ...github, unique_key: "gone" })).status).toBe(
    200,
  );
});

test("another environment sees nothing of it", async () => {
  const other = await installation.addEnvironment();

  const unknown = await call(other, "GET", `/integrations/${randomUUID()}`);
  const foreign = await call(other, "GET", "/integrations/gh");

  expect(foreign.status).toBe(404);
  expect(foreign.body.error.code).toBe(unknown.body.error.code);
  expect((await call(other, "DELETE", "/integrations/gh")).status).toBe(404);
  expect((await call(other, "GET", "/integrations")).body.data).toEqual([]);
  expect((await call(ctx, "GET", "/integrations/gh")).status).toBe(200);
});
