import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createServerDatabase,
  dumpDatabase,
} from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { findSecrets, formsOf } from "./forms-of.ts";
import { type LeakyProvider, startLeakyProvider } from "./leaky-provider.ts";
import { runFunctions } from "./run-functions.ts";
import { WatchedPlatform } from "./watched-platform.ts";

// Promise A4: secrets of every kind go through a server, with faults provoked wherever they are handled,
// and none of them is found, in any form, in what the server prints, stores, answers to those who may not
// read it, or sends on.

const newCanary = (name: string): string => `cnry-${name}-${randomBytes(15).toString("hex")}`;

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString();

/** Secrets that the test chooses; those that the server makes join them on the way. */
function newSecrets() {
  return {
    clientSecret: newCanary("client"),
    accessToken: newCanary("access"),
    refreshToken: newCanary("refresh"),
    idToken: newCanary("id"),
    code: newCanary("code"),
    apiKey: newCanary("apikey"),
    password: newCanary("password"),
    webhookSecret: newCanary("hook"),
    privateKey: privateKey.split("\n")[3] ?? "",
    ccSecret: newCanary("cc"),
    overrideSecret: newCanary("override"),
    tokenSecret: newCanary("oauth1"),
    importedRefreshToken: newCanary("imported"),
    variable: newCanary("variable"),
    proxiedHeader: newCanary("header"),
    proxiedBody: newCanary("body"),
    proxiedQuery: newCanary("query"),
    serviceKey: randomUUID(),
    encryptionKey: randomBytes(32).toString("base64"),
  };
}

type Secrets = ReturnType<typeof newSecrets>;

interface Journey {
  readonly platform: WatchedPlatform;
  readonly provider: LeakyProvider;
  readonly secret: Secrets;
}

test("no secret is found in outputs, logs, the database, files, errors, pages or webhooks", async () => {
  const secret = newSecrets();
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using provider = await startLeakyProvider(secret);
  const process = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_BOOTSTRAP_KEY: secret.serviceKey,
      SVC_ENCRYPTION_KEY: secret.encryptionKey,
      SVC_LOG_LEVEL: "debug",
      SVC_LOG_PROXY_SAMPLE: "1",
    },
  });
  const platform = new WatchedPlatform(process.url, secret.serviceKey, secret);
  const journey = { platform, provider, secret };

  const plain = await makeKeys(journey);
  await configureIntegrations(journey);
  await importConnections(journey);
  const connected = await connect(journey);
  await failRefreshes(journey, connected);
  await callProvider(journey, plain, connected);
  await readWithoutScopes(journey, plain, connected);
  await runFunctions(platform, connected);
  await expect.poll(() => provider.webhooks.length, { timeout: 20_000 }).toBeGreaterThan(6);
  await process.stop();

  for (const webhook of provider.webhooks) platform.look("webhook", webhook);
  platform.look("output", process.output);
  const dump = await dumpDatabase(database.connectionString);
  for (const { name, text } of dump) platform.look(`table ${name}`, text);
  for (const { path, text } of await readAll(folder.path)) platform.look(`file ${path}`, text);

  expect(platform.secrets.size).toBeGreaterThan(20);
  expect([...platform.secrets].filter(([, value]) => value.length < 20)).toEqual([]);
  // What may stand there does, so the search has looked into the right places.
  const textOf = (table: string): string =>
    dump.flatMap(({ name, text }) => (name.startsWith(table) ? [text] : [])).join("\n");
  expect(textOf("operations_")).toContain("leaky");
  expect(provider.webhooks.join()).toContain("refresh");
  expect(textOf("operation_messages_")).toContain("[redacted]");
  expect(process.output).toContain('"level":20');
  expect(platform.findings).toEqual([]);
}, 120_000);

/** Keys, variables and where webhooks go; gives the header of a key that may not read secrets. */
async function makeKeys({ platform, provider, secret }: Journey) {
  const scopes = ["connections:list", "connections:read", "integrations:read", "integrations:list"];
  const wanted = {
    display_name: "reads",
    scopes: [...scopes, "proxy"].map((scope) => `environment:${scope}`),
  };
  const kept = { "idempotency-key": randomUUID() };
  const made = await platform.data("POST", "/environment/api-keys", wanted, kept);
  platform.secrets.set("made key", made["secret"] ?? "");
  const hooks = { primary_url: `${provider.origin}/hooks`, on_auth_creation: true };
  await platform.done("PATCH", "/environment/webhooks", { ...hooks, on_auth_refresh_error: true });
  const rotated = await platform.data("POST", "/environment/webhook-signing-key/rotate", {});
  platform.secrets.set("signing key", rotated["webhook_signing_key"] ?? "");
  const path = "/environment-variables/TOKEN";
  await platform.done("PUT", path, { value: secret.variable });
  await platform.refused("PUT", path, { value: [secret.variable] });
  await platform.refused("PUT", path, { value: { v: secret.variable } });
  const altered = { authorization: `Bearer ${made["secret"]}x` };
  await platform.refused("GET", "/connections", undefined, altered);
  return { authorization: `Bearer ${made["secret"]}` };
}

async function configureIntegrations({ platform, provider, secret }: Journey): Promise<void> {
  const path = "/integrations";
  const credentials = {
    type: "OAUTH2",
    client_id: "id",
    client_secret: secret.clientSecret,
    webhook_secret: secret.webhookSecret,
  };
  const integration_config = {
    authorization_url: `${provider.origin}/authorize`,
    token_url: `${provider.origin}/token`,
    base_url: provider.origin,
  };
  const leaky = {
    provider: "oauth2-generic",
    unique_key: "leaky",
    credentials,
    integration_config,
  };
  const wrongType = { ...credentials, type: secret.clientSecret };
  await platform.refused("POST", path, { ...leaky, credentials: wrongType });
  await platform.refused("POST", path, { ...leaky, credentials: { ...credentials, client_id: 5 } });
  const wrongPlace = { ...integration_config, pkce: secret.clientSecret };
  await platform.refused("POST", path, { ...leaky, integration_config: wrongPlace });
  await platform.refused("POST", path, `{"credentials": {"a": "${secret.clientSecret}",}`);
  await platform.done("POST", path, leaky, { "idempotency-key": randomUUID() });
  await platform.refused("POST", path, leaky);
  await platform.done("PATCH", `${path}/leaky`, { credentials });

  const app = { type: "APP", app_id: "1", app_link: "https://github.com/apps/x" };
  await platform.done("POST", path, {
    provider: "github-app",
    unique_key: "app",
    credentials: { ...app, private_key: privateKey },
  });
  const cut = { type: "APP", private_key: privateKey.slice(40) };
  await platform.refused("PATCH", `${path}/app`, { credentials: cut });

  const base = { base_url: provider.origin };
  const withToken = { ...base, token_url: integration_config.token_url };
  const oauth1 = { type: "OAUTH1", client_id: "id", client_secret: secret.clientSecret };
  for (const [unique_key, body] of [
    ["bearer", { provider: "private-api-bearer", integration_config: base }],
    ["basic", { provider: "private-api-basic", integration_config: base }],
    ["cc", { provider: "oauth2-cc-generic", integration_config: withToken }],
    ["trello", { provider: "trello", credentials: oauth1 }],
  ] as const) {
    await platform.done("POST", path, { unique_key, ...body });
  }
}

/** Credentials by integration, and the field of each that has the wrong form once. */
const imports: readonly [string, string, (secret: Secrets) => Record<string, string>][] = [
  ["bearer", "apiKey", ({ apiKey }) => ({ type: "API_KEY", apiKey })],
  ["basic", "password", ({ password }) => ({ type: "BASIC", username: "u", password })],
  [
    "cc",
    "client_secret",
    ({ ccSecret, accessToken }) => ({
      type: "OAUTH2_CC",
      client_id: "id",
      client_secret: ccSecret,
      token: accessToken,
    }),
  ],
  [
    "trello",
    "oauth_token_secret",
    ({ tokenSecret }) => ({ type: "OAUTH1", oauth_token: "t", oauth_token_secret: tokenSecret }),
  ],
  [
    "leaky",
    "refresh_token",
    ({ accessToken, importedRefreshToken }) => ({
      type: "OAUTH2",
      access_token: accessToken,
      refresh_token: importedRefreshToken,
      expires_at: "2020-01-01T00:00:00Z",
    }),
  ],
];

async function importConnections({ platform, secret }: Journey): Promise<void> {
  for (const [provider_config_key, field, toCredentials] of imports) {
    const credentials = toCredentials(secret);
    const body = { provider_config_key, connection_id: "imported" };
    const wrongForm = { ...credentials, [field]: [credentials[field]] };
    await platform.refused("POST", "/connections", { ...body, credentials: wrongForm });
    const wrongType = { ...credentials, type: "BILL" };
    await platform.refused("POST", "/connections", { ...body, credentials: wrongType });
    const wrongPlace = { ...body, [credentials[field] ?? ""]: 1, credentials: {} };
    await platform.refused(
      "POST",
      "/connections",
      { ...wrongPlace, connection_id: 1 },
      {
        "idempotency-key": credentials[field]?.slice(0, 8) ?? "",
      },
    );
    const kept = { "idempotency-key": randomUUID() };
    await platform.done("POST", "/connections", { ...body, credentials }, kept);
  }
}

/** The way through the authorization server, with a client of the end user's own. */
async function connect({ platform, provider, secret }: Journey): Promise<string> {
  const connection_config = {
    oauth_client_id_override: "own",
    oauth_client_secret_override: secret.overrideSecret,
  };
  const session = await platform.data("POST", "/connect/sessions", {
    tags: { end_user_id: "u1" },
    integrations_config_defaults: { leaky: { connection_config } },
  });
  const bearer = { authorization: `Bearer ${session["token"]}` };
  platform.secrets.set("session token", session["token"] ?? "");
  await platform.seenBy(bearer, "/connect/session");
  const query = `connect_session_token=${session["token"]}`;
  await platform.refused("POST", `/api-auth/api-key/bearer?${query}`, { apiKey: [secret.apiKey] });
  const login = { username: "u", password: { p: secret.password } };
  await platform.refused("POST", `/api-auth/basic/basic?${query}`, login);

  const start = await fetch(`${platform.url}/oauth/connect/leaky?${query}`, { redirect: "manual" });
  const cookie = start.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const away = await fetch(start.headers.get("location") ?? "", { redirect: "manual" });
  platform.secrets.set("state", provider.seen.get("authorize state") ?? "");
  const callback = away.headers.get("location") ?? "";
  for (const [name, status] of [
    ["callback page", 200],
    ["callback page, a second time", 400],
  ] as const) {
    const page = await fetch(callback, { headers: { cookie }, redirect: "manual" });
    expect(page.status).toBe(status);
    platform.look(name, await page.text());
  }
  platform.secrets.set("code verifier", provider.seen.get("token code_verifier") ?? "");
  expect(provider.seen.get("token client_secret")).toBe(secret.overrideSecret);
  platform.look("connect page", await (await fetch(session["connect_link"] ?? "")).text());
  await platform.seenBy(bearer, "/connect/session/result");
  const result = await platform.data("GET", "/connect/session/result", undefined, bearer);
  return result["connection_id"] ?? "";
}

/** The provider refuses, and repeats all that it was sent. */
async function failRefreshes({ platform, provider }: Journey, connected: string): Promise<void> {
  provider.refuse();
  await platform.refused("GET", "/connections/imported?provider_config_key=leaky");
  const forced = "force_refresh=true";
  await platform.refused("GET", `/connections/${connected}?provider_config_key=leaky&${forced}`);
  await platform.refused("GET", `/connections/imported?provider_config_key=cc&${forced}`);
}

/** An API that fails with all that it got; that answer is the caller's, so only refusals are searched. */
async function callProvider(
  { platform, secret }: Journey,
  plain: { authorization: string },
  connected: string,
): Promise<void> {
  const path = `/proxy/x?q=${secret.proxiedQuery}`;
  const body = { body: secret.proxiedBody };
  for (const [key, id] of [
    ["bearer", "imported"],
    ["basic", "imported"],
    ["leaky", connected],
  ] as const) {
    const target = { "provider-config-key": key, "connection-id": id };
    const headers = { ...plain, ...target, "svc-proxy-x-token": secret.proxiedHeader };
    const response = await fetch(`${platform.url}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(await response.text()).toContain(secret.proxiedHeader);
    await platform.refused("POST", path, body, { ...headers, retries: "many" });
    const nowhere = { ...headers, "base-url-override": "http://127.0.0.1:9" };
    await platform.refused("POST", path, body, nowhere);
  }
}

async function readWithoutScopes(
  { platform }: Journey,
  plain: { authorization: string },
  connected: string,
): Promise<void> {
  for (const path of [
    "/connections",
    "/integrations",
    "/integrations/leaky?include=credentials",
    "/integrations/app?include=credentials",
    `/connections/${connected}?provider_config_key=leaky`,
    ...imports.map(([key]) => `/connections/imported?provider_config_key=${key}`),
  ]) {
    await platform.seenBy(plain, path);
  }
}

async function readAll(folder: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { path, text: await readFile(path, "latin1") };
    }),
  );
}

test.each(["cnry-a-0123456789abcdef", 'with spaces & ünïcode "quotes"', "12345678901234567890"])(
  "the search finds %s in every form",
  (secret) => {
    const bytes = Buffer.from(secret);
    const texts = [
      secret,
      JSON.stringify({ a: secret }),
      `x=${encodeURIComponent(secret)}`,
      bytes.toString("hex"),
      ...["", "u", "us", "user:"].flatMap((before) =>
        ["", "!", "!!"].flatMap((after) => {
          const around = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
          return [around.toString("base64"), around.toString("base64url")];
        }),
      ),
    ];

    const missed = texts.filter(
      (text) => findSecrets("", text, new Map([["s", secret]])).length === 0,
    );

    expect(missed).toEqual([]);
    expect(formsOf(secret).size).toBe(15);
  },
);
