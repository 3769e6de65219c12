import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type RouteDefinition, type RouteName, routes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAudited } from "../../packages/server/src/audit/audited-routes.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { totpCode } from "../people/totp-code.ts";
import { agentCalls } from "./agent-calls.ts";
import { elsewhere } from "./audited-elsewhere.ts";
import { fingerprint } from "./fingerprint.ts";

// Every call that changes something leaves one row, in the transaction that changes it: while rows cannot be written
// nothing is changed.

let people: PeopleUnderTest;
let owner: Browser;
let receiver: Server;
let receiverUrl = "";
let accountId = "";
beforeAll(async () => {
  people = await startPeople({ SVC_ACCOUNTS: "many" });
  owner = await people.owner();
  accountId = (await owner.call("GET", "/me")).body.data.account.id;
  receiver = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  receiver.close();
  await people[Symbol.asyncDispose]();
});

interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** The owner's own browser, unless given. */
  readonly browser?: Browser;
  readonly environment?: string;
}

const scopes = ["environment:connections:list"];
const grants = [{ role: "support", environments: "all" }];
const inDev = { environment: "dev" } as const;

async function make(method: string, path: string, body: unknown, environment?: string) {
  const answer = await owner.call(method, path, { body, environment });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

async function newUser(): Promise<string> {
  return (await people.join("support")).id;
}
async function newKey(): Promise<string> {
  const body = { display_name: randomUUID(), scopes };
  return (await make("POST", "/environment/api-keys", body, "dev")).data.id;
}
async function newAccountKey(): Promise<string> {
  const body = { display_name: randomUUID(), scopes: ["account:users:list"] };
  return (await make("POST", "/account/api-keys", body)).data.id;
}
async function newEnvironment(): Promise<string> {
  return (await make("POST", "/environments", { name: `e-${randomUUID()}` })).data.id;
}
async function newVariable(): Promise<string> {
  const name = `V_${randomUUID().replaceAll("-", "_")}`;
  await make("PUT", `/environment-variables/${name}`, { value: "x" }, "dev");
  return name;
}
async function newIntegration(): Promise<string> {
  const body = { provider: "private-api-bearer", unique_key: `i-${randomUUID()}` };
  await make("POST", "/integrations", body, "dev");
  return body.unique_key;
}
async function newOAuthIntegration(): Promise<string> {
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" };
  const body = { provider: "github", unique_key: `i-${randomUUID()}`, credentials };
  await make("POST", "/integrations", body, "dev");
  return body.unique_key;
}
async function newInboundWebhook(): Promise<string> {
  const integration = await newIntegration();
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === "dev");
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: '{"n":1}' };
  expect((await fetch(`${people.url}/webhook/${id}/${integration}`, sent)).status).toBe(200);
  const own = `provider_config_key=${integration}`;
  const found = async (path: string) => (await owner.call("GET", path, inDev)).body.data;
  // What is written of it later would change the sums that are compared.
  const isNoted = async () => {
    const [handled] = await found(`/webhooks/inbox?state=handled&${own}`);
    const [counted] = await found(`/webhooks/inbox/integrations?${own}`);
    return handled !== undefined && counted?.last_received_at !== null;
  };
  await expect.poll(isNoted, { timeout: 30_000 }).toBe(true);
  return (await found(`/webhooks/inbox?${own}`))[0].id;
}
function connectionOf(integration: string) {
  const credentials = { type: "API_KEY", apiKey: "k" };
  return { provider_config_key: integration, connection_id: `c-${randomUUID()}`, credentials };
}
async function newConnection(): Promise<string> {
  const body = connectionOf(await newIntegration());
  await make("POST", "/connections", body, "dev");
  return `${body.connection_id}?provider_config_key=${body.provider_config_key}`;
}
function entryOf(id: string) {
  return {
    ...{ id, display_name: "Ours", categories: ["other"], auth_mode: "API_KEY" },
    base_url: "https://api.acme.example",
    api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
  };
}
async function newProvider(): Promise<string> {
  const id = `p-${randomUUID()}`;
  await make("POST", "/custom-providers", { entry: entryOf(id) }, "dev");
  return id;
}
async function withApp(): Promise<Browser> {
  const browser = await people.owner();
  const { secret } = (await browser.call("POST", "/me/totp")).body.data;
  await browser.call("POST", "/me/totp/confirm", { body: { code: totpCode(secret, new Date()) } });
  return browser;
}
async function joined(): Promise<Browser> {
  return (await people.join("support", { password: "looms weave algebra too" })).browser;
}

/** A successful call of each route, made new each time. */
const calls: Partial<Record<RouteName, () => Promise<Call>>> = {
  beginTotp: async () => ({ path: "/me/totp", browser: await joined() }),
  confirmTotp: async () => {
    const browser = await joined();
    const { secret } = (await browser.call("POST", "/me/totp")).body.data;
    return { path: "/me/totp/confirm", browser, body: { code: totpCode(secret, new Date()) } };
  },
  keepRecordHistory: async () => ({
    ...{ ...inDev, path: `/records/history/M${randomUUID()}`, body: { days: 7 } },
  }),
  endRecordHistory: async () => {
    const path = `/records/history/M${randomUUID()}`;
    await make("PUT", path, { days: 7 }, "dev");
    return { ...inDev, path };
  },
  updateMe: async () => ({ path: "/me", browser: await joined(), body: { name: "Renamed" } }),
  elevateSession: async () => ({
    path: "/me/elevate",
    browser: await joined(),
    body: { password: "looms weave algebra too" },
  }),
  setOwnPassword: async () => ({
    path: "/me/password",
    browser: await joined(),
    body: { password: "another loom that weaves" },
  }),
  endOwnSession: async () => {
    const browser = await joined();
    const { id } = (await browser.call("GET", "/me")).body.data.session;
    return { path: `/me/sessions/${id}`, browser };
  },
  endOtherSessions: async () => ({ path: "/me/sessions", browser: await joined() }),
  setSignInRules: async () => ({
    path: "/account/sign-in-rules",
    body: { second_factor_roles: ["developer"] },
  }),
  createUser: async () => ({
    path: "/users",
    body: { email: `${randomUUID()}@example.com`, name: "New", grants },
  }),
  updateUser: async () => ({ path: `/users/${await newUser()}`, body: { disabled: true } }),
  deleteUser: async () => ({ path: `/users/${await newUser()}` }),
  createUserLink: async () => ({ path: `/users/${await newUser()}/link` }),
  deleteSingleSignOn: async () => {
    await people.database.pool.query(
      `insert into oidc_providers (id, account_id, name, issuer, client_id, adds_users, is_required, updated_at)
       values (gen_random_uuid(), $1, 'Acme', 'https://login.example.com', 'c', false, false, now())`,
      [accountId],
    );
    return { path: "/account/sso" };
  },
  createAccount: async () => ({ path: "/accounts", body: { name: "Beta" } }),
  deleteAccount: async () => {
    const { data } = await make("POST", "/accounts", { name: "Gone" });
    return { path: `/accounts/${data.account.id}` };
  },
  updateAccount: async () => ({ path: `/accounts/${accountId}`, body: { name: randomUUID() } }),
  createApiKey: async () => ({
    ...{ ...inDev, path: "/environment/api-keys" },
    body: { display_name: randomUUID(), scopes },
  }),
  updateApiKey: async () => ({
    ...{ ...inDev, path: "/environment/api-keys" },
    body: { key_id: await newKey(), display_name: randomUUID() },
  }),
  deleteApiKey: async () => ({
    ...{ ...inDev, path: "/environment/api-keys" },
    body: { key_id: await newKey() },
  }),
  replaceApiKeys: async () => ({
    ...{ ...inDev, path: "/environment/api-keys/replace" },
    body: { key_ids: [await newKey()] },
  }),
  createAccountApiKey: async () => ({
    path: "/account/api-keys",
    body: { display_name: randomUUID(), scopes: ["account:users:list"] },
  }),
  updateAccountApiKey: async () => ({
    path: "/account/api-keys",
    body: { key_id: await newAccountKey(), display_name: randomUUID() },
  }),
  deleteAccountApiKey: async () => ({
    path: "/account/api-keys",
    body: { key_id: await newAccountKey() },
  }),
  replaceAccountApiKeys: async () => ({
    path: "/account/api-keys/replace",
    body: { key_ids: [await newAccountKey()] },
  }),
  revealWebhookSigningKeys: async () => ({ ...inDev, path: "/environment/webhooks/reveal" }),
  updateWebhookSettings: async () => ({
    ...{ ...inDev, path: "/environment/webhooks" },
    body: { on_auth_creation: false, primary_url: receiverUrl },
  }),
  rotateWebhookSigningKey: async () => ({
    ...{ ...inDev, path: "/environment/webhook-signing-key/rotate" },
    body: { immediate: true },
  }),
  rotateReportKey: async () => ({ ...inDev, path: "/revocation-keys/rotate" }),
  createEnvironment: async () => ({ path: "/environments", body: { name: `e-${randomUUID()}` } }),
  updateEnvironment: async () => ({
    path: `/environments/${await newEnvironment()}`,
    body: { name: `e-${randomUUID()}` },
  }),
  deleteEnvironment: async () => ({ path: `/environments/${await newEnvironment()}` }),
  updateEnvironmentSettings: async () => ({
    ...{ ...inDev, path: "/environment/settings" },
    body: { callback_url: `https://${randomUUID()}.example.com/oauth/callback` },
  }),
  revealEnvironmentVariable: async () => ({
    ...inDev,
    path: `/environment-variables/${await newVariable()}/reveal`,
  }),
  setEnvironmentVariable: async () => ({
    ...{ ...inDev, path: `/environment-variables/${await newVariable()}` },
    body: { value: "y" },
  }),
  deleteEnvironmentVariable: async () => ({
    ...inDev,
    path: `/environment-variables/${await newVariable()}`,
  }),
  createIntegration: async () => ({
    ...{ ...inDev, path: "/integrations" },
    body: { provider: "private-api-bearer", unique_key: `i-${randomUUID()}` },
  }),
  updateIntegration: async () => ({
    ...{ ...inDev, path: `/integrations/${await newIntegration()}` },
    body: { display_name: "Renamed" },
  }),
  deleteIntegration: async () => ({ ...inDev, path: `/integrations/${await newIntegration()}` }),
  createConnection: async () => ({
    ...{ ...inDev, path: "/connections" },
    body: connectionOf(await newIntegration()),
  }),
  updateConnection: async () => ({
    ...{ ...inDev, path: `/connections/${await newConnection()}` },
    body: { tags: { team: "a" } },
  }),
  updateConnectionConfig: async () => ({
    ...{ ...inDev, path: `/connection/${(await newConnection()).replace("?", "/config?")}` },
    body: { region: "eu" },
  }),
  deleteConnection: async () => ({ ...inDev, path: `/connections/${await newConnection()}` }),
  revealConnectionField: async () => ({
    ...{ ...inDev, path: `/connections/${(await newConnection()).replace("?", "/reveal?")}` },
    body: { field: "apiKey" },
  }),
  revealInboundWebhookBody: async () => ({
    ...{ ...inDev, path: `/webhooks/inbox/${await newInboundWebhook()}/reveal` },
  }),
  revealIntegrationField: async () => ({
    ...{ ...inDev, path: `/integrations/${await newOAuthIntegration()}/reveal` },
    body: { field: "client_secret" },
  }),
  endConnectSession: async () => {
    const made = await make("POST", "/connect/sessions", { tags: {} }, "dev");
    const listed = await owner.call("GET", "/connect/sessions", inDev);
    const { id } = listed.body.data[0] ?? made.data;
    return { ...inDev, path: `/connect/sessions/${id}` };
  },
  createCustomProvider: async () => ({
    ...{ ...inDev, path: "/custom-providers" },
    body: { entry: entryOf(`p-${randomUUID()}`) },
  }),
  updateCustomProvider: async () => {
    const id = await newProvider();
    const entry = { ...entryOf(id), display_name: "Renamed" };
    return { ...inDev, path: `/custom-providers/${id}`, body: { entry } };
  },
  deleteCustomProvider: async () => ({
    ...inDev,
    path: `/custom-providers/${await newProvider()}`,
  }),
  ...agentCalls(async (method, path, body) => await make(method, path, body, "dev")),
  testWebhookReceiver: async () => {
    await make("PATCH", "/environment/webhooks", { primary_url: receiverUrl }, "dev");
    return { ...inDev, path: "/webhooks/receivers/test", body: { url: receiverUrl } };
  },
};

async function blockRows<Result>(work: () => Promise<Result>): Promise<Result> {
  const { pool } = people.database;
  await pool.query("alter table audit_events add constraint full_disk check (false) not valid");
  try {
    return await work();
  } finally {
    await pool.query("alter table audit_events drop constraint full_disk");
  }
}

async function rowsOf(action: string): Promise<number> {
  const { rows } = await people.database.pool.query(
    "select count(*)::int as n from audit_events where action = $1 and outcome = 'done'",
    [action],
  );
  return rows[0].n;
}

async function state(): Promise<string> {
  const { pool } = people.database;
  // The rows of an account that a call has deleted go one after the other, by a task.
  const erasures = "select from account_erasures where ended_at is null";
  await expect.poll(async () => (await pool.query(erasures)).rowCount).toBe(0);
  const { rows } = await pool.query(`
    select (select md5(string_agg((to_jsonb(s) - 'last_used_at')::text, '|' order by s.id)) from user_sessions s) as user_sessions,
           (select md5(string_agg(t::text, '|' order by t.user_id)) from totp_secrets t) as totp_secrets,
           (select md5(string_agg(a::text, '|' order by a.id)) from accounts a) as accounts,
           (select md5(string_agg(l::text, '|' order by l.id)) from one_time_links l) as one_time_links`);
  const sums = Object.entries(rows[0]).map(([name, sum]) => `${name} ${sum}`);
  return [...sums, await fingerprint(pool, accountId)].join("\n");
}

async function send(route: RouteDefinition, { path, body, browser = owner, environment }: Call) {
  return await browser.call(route.method, path, { body, environment });
}

test.each(Object.entries(calls))(
  "%s leaves a row, and does nothing without",
  async (name, prepare) => {
    const route: RouteDefinition = routes[name as RouteName];
    const call = await prepare();
    const [before, rows] = [await state(), await rowsOf(name)];

    const refused = await blockRows(async () => await send(route, call));
    const unchanged = await state();
    const done = await send(route, call);

    expect(done.status, done.text).toBeLessThan(300);
    expect(await rowsOf(name)).toBe(rows + 1);
    expect(refused.status).toBe(500);
    expect(unchanged).toBe(before);
  },
);

test("an app in use: new codes, and its end, leave rows and do nothing without", async () => {
  const user = await joined();
  const { secret } = (await user.call("POST", "/me/totp")).body.data;
  await user.call("POST", "/me/totp/confirm", { body: { code: totpCode(secret, new Date()) } });
  const { id } = (await user.call("GET", "/me")).body.data.user;
  const admin = await withApp();
  const ends: [RouteName, Call][] = [
    ["replaceRecoveryCodes", { path: "/me/totp/recovery-codes", browser: admin }],
    ["deleteUserTotp", { path: `/users/${id}/totp`, browser: admin }],
    ["deleteTotp", { path: "/me/totp", browser: admin }],
  ];

  for (const [name, call] of ends) {
    const [before, rows] = [await state(), await rowsOf(name)];
    const refused = await blockRows(async () => await send(routes[name], call));
    expect([refused.status, await state()], name).toEqual([500, before]);
    expect((await send(routes[name], call)).status, name).toBeLessThan(300);
    expect(await rowsOf(name), name).toBe(rows + 1);
  }
});

test("every audited route is called here, or is listed with the reason", () => {
  const audited = Object.entries(routes).filter(([name, route]) => isAudited(name, route));
  const missing = audited.filter(([name]) => !(name in calls) && !(name in elsewhere));

  expect(missing.map(([name]) => name)).toEqual([]);
  expect(Object.keys(calls).length).toBeGreaterThan(35);
});
