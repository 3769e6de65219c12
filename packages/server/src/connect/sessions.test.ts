import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnection, getConnectionForCall, getFreshCredentials } from "#connections";
import { MINUTE } from "#foundation";
import { createIntegration, getIntegration } from "#integrations";
import { deleteOldSessions } from "./sessions/delete-old-sessions.ts";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
  await createIntegration(server.installation.ctx, {
    ...{ provider: "servicenow", uniqueKey: "now", displayName: undefined },
    ...{ forwardWebhooks: true, integrationConfig: {}, custom: {}, settings: {} },
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s" },
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function post(url: string, payload: object) {
  const answer = await server.call({ method: "POST", url, as: "dev", payload });
  return { status: answer.status, ...JSON.parse(answer.text) };
}

async function open(token: string) {
  const answer = await server.call({ url: "/connect/session", as: token });
  return { status: answer.status, ...JSON.parse(answer.text) };
}

async function connect(token: string, key = "oauth"): Promise<string> {
  await finish(server, await begin(server, { token, key }));
  return (await resultOf(server, token)).connection_id;
}

async function connectionOf(connectionId: string, integrationKey = "oauth") {
  const { ctx } = server.installation;
  return (await getConnectionForCall(ctx, { integrationKey, connectionId })).connection;
}

test("an end user named in the older way becomes tags, and explicit tags win", async () => {
  const token = await createSession(server, {
    tags: { End_User_Email: "own@example.com" },
    end_user: {
      id: "u1",
      email: "old@example.com",
      display_name: "Ada",
      tags: { Plan: "pro", "no good": "x", long: "y".repeat(300) },
    },
    organization: { id: "o1", display_name: "Analytical" },
  });

  const { data } = await open(token);
  const { tags } = await connectionOf(await connect(token));

  expect(data.endUser).toMatchObject({
    id: "u1",
    display_name: "Ada",
    organization: { id: "o1", display_name: "Analytical" },
  });
  expect(tags).toEqual({
    end_user_id: "u1",
    end_user_email: "own@example.com",
    end_user_display_name: "Ada",
    organization_id: "o1",
    organization_display_name: "Analytical",
    plan: "pro",
    long: "y".repeat(255),
  });
});

test("too many tags of the end user are left out, not the rest", async () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, "x"]));
  const token = await createSession(server, {
    end_user: { id: "u1", tags: many },
    organization: { id: "o1" },
  });

  expect((await connectionOf(await connect(token))).tags).toEqual({
    end_user_id: "u1",
    organization_id: "o1",
  });
});

test("a session tells its page what it allows, and no secret", async () => {
  const token = await createSession(server, {
    tags: { end_user_id: "u2" },
    allowed_integrations: ["oauth", "keyed"],
    overrides: { oauth: { docs_connect: "https://docs.example.com" } },
    allowed_origins: ["https://app.example.com"],
    return_url: "https://app.example.com/done?a=b",
    integrations_config_defaults: {
      oauth: {
        connection_config: {
          subdomain: "acme",
          oauth_client_id_override: "own",
          oauth_client_secret_override: "very secret",
        },
        authorization_params: { prompt: "consent" },
      },
      second: {
        connection_config: { oauth_client_id_override: "", oauth_client_secret_override: "" },
      },
    },
  });

  const { data } = await open(token);
  const { rows } = await sql<{ text: string }>`
    select row_to_json(s)::text || encode(defaults, 'escape') as text from connect_sessions s`.execute(
    server.installation.ctx.db,
  );

  expect(data).toEqual({
    endUser: { id: "u2", display_name: null, email: null, tags: null, organization: null },
    connectUISettings: {
      theme: { light: { primary: "#00B2E3" }, dark: { primary: "#00B2E3" } },
      defaultTheme: "system",
      showWatermark: true,
      app: { name: null, logo: null, termsUrl: null, privacyUrl: null },
    },
    expires_at: expect.any(String),
    allowed_integrations: ["oauth", "keyed"],
    overrides: { oauth: { docs_connect: "https://docs.example.com" } },
    attempts: [],
    return_url: "https://app.example.com/done?a=b",
    allowed_origins: ["https://app.example.com"],
    integrations_config_defaults: {
      oauth: {
        connection_config: { subdomain: "acme" },
        authorization_params: { prompt: "consent" },
      },
      second: {
        connection_config: { oauth_client_id_override: "", oauth_client_secret_override: "" },
      },
    },
  });
  expect(JSON.stringify(rows)).not.toContain("very secret");
});

test.each([
  ["an unknown field", { tag: {} }, ""],
  ["an end user without id", { end_user: { email: "a@example.com" } }, "end_user.id"],
  ["a bad e-mail address", { end_user: { id: "u", email: "a" } }, "end_user.email"],
  ["overrides of an unknown integration", { overrides: { nope: {} } }, "overrides.nope"],
  ["an origin with a path", { allowed_origins: ["https://a.example/x"] }, "allowed_origins.0"],
  ["an origin with a wildcard", { allowed_origins: ["https://*"] }, "allowed_origins.0"],
  ["a return address of another scheme", { return_url: "javascript:alert(1)" }, "return_url"],
  [
    "a return address on an origin that is not allowed",
    { allowed_origins: ["https://a.example"], return_url: "https://b.example/x" },
    "return_url",
  ],
  [
    "two values of one field",
    {
      integrations_config_defaults: {
        now: { connection_config: { hostname: "a.service-now.com", subdomain: "b" } },
      },
    },
    "integrations_config_defaults.now.connection_config.subdomain",
  ],
  ["a return address with a password", { return_url: "https://a:b@a.example/" }, "return_url"],
])("refuses a session with %s", async (_case, payload, path) => {
  const { status, error } = await post("/connect/sessions", payload);

  expect(status).toBe(400);
  expect(error.code).toBe("invalid_body");
  expect(error.errors[0].path.join(".")).toBe(path);
});

test("the server's private addresses are no place for webhooks", async () => {
  const { status, error } = await post("/connect/sessions", {
    webhook_url_override: "http://169.254.169.254/hook",
  });

  expect([status, error.code]).toEqual([400, "destination_not_allowed"]);
});

test("a reconnect session gives the same connection new credentials and keeps its tags", async () => {
  const { ctx } = server.installation;
  const connectionId = await connect(await createSession(server, { tags: { end_user_id: "u1" } }));
  const before = await connectionOf(connectionId);

  const created = await post("/connect/sessions/reconnect", {
    connection_id: connectionId,
    integration_id: "oauth",
  });
  const token = created.data.token;
  const { data } = await open(token);
  const elsewhere = await server.call({
    url: `/oauth/connect/second?connect_session_token=${token}`,
    accept: "*/*",
  });
  const again = await connect(token);
  const third = await connect(token);
  const after = await connectionOf(connectionId);
  const integration = await getIntegration(ctx, "oauth");
  const fresh = await getFreshCredentials(ctx, { connection: after, integration, force: false });

  expect(created.status).toBe(200);
  expect(data).toMatchObject({ isReconnecting: true, allowed_integrations: ["oauth"] });
  expect(JSON.parse(elsewhere.text).error.code).toBe("integration_not_allowed");
  expect(again).toBe(connectionId);
  expect(after.uuid).toBe(before.uuid);
  expect(after.credentialVersion).toBe(before.credentialVersion + 2);
  expect(after.tags).toEqual({ end_user_id: "u1" });
  expect(fresh.credentials["access_token"]).toMatch(/^access of code-/);
  expect(third).toBe(connectionId);
});

test("an organization without an end user becomes tags of the connection", async () => {
  const token = await createSession(server, {
    organization: { id: "o7", display_name: "Analytical" },
  });
  const { data } = await open(token);

  const connectionId = await connect(token);

  expect(data.endUser).toBeNull();
  expect((await connectionOf(connectionId)).tags).toEqual({
    organization_id: "o7",
    organization_display_name: "Analytical",
  });
});

test("tags of a reconnect session replace those of the connection", async () => {
  const connectionId = await connect(await createSession(server, { tags: { a: "1" } }));
  const { data } = await post("/connect/sessions/reconnect", {
    connection_id: connectionId,
    integration_id: "oauth",
    tags: { B: "2" },
  });

  await connect(data.token);

  expect((await connectionOf(connectionId)).tags).toEqual({ b: "2" });
});

test("a connection that was deleted meanwhile is not made again", async () => {
  const { ctx } = server.installation;
  const connectionId = await connect(await createSession(server));
  const { data } = await post("/connect/sessions/reconnect", {
    connection_id: connectionId,
    integration_id: "oauth",
  });
  const begun = await begin(server, { token: data.token });
  await sql`update connections set deleted_at = now() where connection_id = ${connectionId}`.execute(
    ctx.db,
  );

  const page = await finish(server, begun);
  const restart = await server.call({
    url: `/oauth/connect/oauth?connect_session_token=${data.token}`,
    accept: "*/*",
  });

  expect(page.text).toContain("invalid_connection");
  expect(JSON.parse(restart.text).error.code).toBe("invalid_connection");
  await expect(connectionOf(connectionId)).rejects.toMatchObject({ code: "unknown_connection" });
});

test.each([
  ["connection", { connection_id: "nope", integration_id: "keyed" }, "connection_id"],
  ["integration", { connection_id: "plain", integration_id: "nope" }, "integration_id"],
])("refuses to reconnect an unknown %s", async (_case, payload, field) => {
  const { status, error } = await post("/connect/sessions/reconnect", payload);

  expect([status, error.code]).toEqual([400, "invalid_body"]);
  expect(error.errors[0].path).toEqual([field]);
});

test("an imported connection can be reconnected once it has tags", async () => {
  const { ctx } = server.installation;
  const integration = await getIntegration(ctx, "open");
  const imported = {
    integration,
    connectionId: "imported",
    credentials: { type: "NONE" },
    metadata: undefined,
    connectionConfig: undefined,
    webhookUrlOverride: undefined,
  };
  await createConnection(ctx, { ...imported, tags: undefined });
  const body = { connection_id: "imported", integration_id: "open" };

  const without = await post("/connect/sessions/reconnect", body);
  await createConnection(ctx, { ...imported, tags: { end_user_id: "u1" } });
  const withTags = await post("/connect/sessions/reconnect", body);

  expect([without.status, without.error.code]).toEqual([400, "invalid_body"]);
  expect(without.error.message).toContain("PATCH /connections");
  expect(withTags.status).toBe(200);
});

test("another environment's connection cannot be reconnected", async () => {
  const connectionId = await connect(await createSession(server));

  const answer = await server.call({
    method: "POST",
    url: "/connect/sessions/reconnect",
    as: "other",
    payload: { connection_id: connectionId, integration_id: "oauth" },
  });

  expect(answer.status).toBe(400);
});

test("a deleted session is over, and so is the attempt under way", async () => {
  const begun = await begin(server);

  const gone = await server.call({
    method: "DELETE",
    url: "/connect/session",
    as: begun.token,
  });
  const afterwards = await open(begun.token);
  const page = await finish(server, begun);

  expect([gone.status, gone.text]).toEqual([204, ""]);
  expect([afterwards.status, afterwards.error.code]).toEqual([
    401,
    "unknown_connect_session_token",
  ]);
  expect(page.status).toBe(400);
});

test("a session works to the end of its 30 minutes, also for reading its result", async () => {
  const late = await createSession(server);
  const used = await createSession(server);
  await connect(used);

  server.installation.clock.advance(30 * MINUTE - 1000);
  const begun = await server.call({ url: `/oauth/connect/oauth?connect_session_token=${late}` });
  const result = await resultOf(server, used);
  server.installation.clock.advance(2000);
  const refused = await server.call({
    url: `/oauth/connect/oauth?connect_session_token=${late}`,
    accept: "*/*",
  });

  expect(begun.status).toBe(302);
  expect(result.state).toBe("success");
  expect(refused.status).toBe(401);
  expect((await open(used)).status).toBe(401);
});

test("telemetry is accepted and forgotten", async () => {
  const answer = await server.call({
    method: "POST",
    url: "/connect/telemetry",
    payload: { token: "x", event: "open", timestamp: "2026-01-01T00:00:00Z" },
  });

  expect([answer.status, answer.text]).toEqual([204, ""]);
});

test("old sessions and attempts are removed", async () => {
  const { ctx, clock } = server.installation;
  await begin(server);

  clock.advance(32 * 24 * 60 * MINUTE);
  await deleteOldSessions(ctx);
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from connect_sessions) + (select count(*) from authorization_flows) as count`.execute(
    ctx.db,
  );

  expect(rows[0]?.count).toBe(0);
});

test("scopes from the browser never widen what the integration requests, unless the session allows it", async () => {
  const start = async (query: string, defaults?: object) => {
    const token = await createSession(server, {
      ...(defaults && { integrations_config_defaults: { oauth: defaults } }),
    });
    const url = `/oauth/connect/oauth?connect_session_token=${token}${query}`;
    const answer = await server.call({ url, accept: "*/*" });
    if (answer.status !== 302) return JSON.parse(answer.text).error.code;
    return new URL(String(answer.headers["location"])).searchParams.get("scope");
  };

  expect(await start("&user_scope=read")).toBe("read");
  expect(await start("&user_scope=read,admin")).toBe("invalid_query_params");
  expect(await start("&user_scope=read%20admin")).toBe("invalid_query_params");
  expect(await start("&params[oauth_scopes_override]=admin")).toBe("invalid_query_params");
  expect(await start("&authorization_params[Scope]=admin")).toBe("invalid_query_params");
  expect(await start("&authorization_params[optional_scope]=admin")).toBe("invalid_query_params");
  expect(await start("&user_scope=admin", { user_scopes: "read,admin" })).toBe("read admin");
  expect(
    await start("&params[oauth_scopes_override]=other", {
      connection_config: { oauth_scopes_override: "admin" },
    }),
  ).toBe("admin");
});
