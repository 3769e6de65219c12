import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteConnection, getConnectionForCall, getFreshCredentials } from "#connections";
import { MINUTE, withEnvironment } from "#foundation";
import { getIntegration } from "#integrations";
import { openJson } from "#vault";
import { authenticateSession } from "./authenticate-session.ts";
import { listAllowedIntegrations } from "./list-allowed-integrations.ts";
import { streamSessionEvents } from "./sessions/session-events.ts";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";
import { countConnections } from "./testing/store.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
  await sql`update webhook_settings set primary_url = 'https://example.com/hook'`.execute(
    server.installation.ctx.db,
  );
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function listWebhooks(connectionId: string): Promise<Record<string, unknown>[]> {
  const { ctx } = server.installation;
  const { rows } = await sql<{ id: string; body: Buffer; environment: string }>`
    select id, body, environment_id as environment from webhook_deliveries`.execute(ctx.db);
  const bodies = await Promise.all(
    rows.map(async ({ id, body, environment: environmentId }) => {
      const aad = { environmentId, table: "webhook_deliveries", column: "body", row: id };
      return asObject(await openJson(ctx, aad, body));
    }),
  );
  return bodies.filter((body) => body["connectionId"] === connectionId);
}

// What sendWebhook was given is always an object.
function asObject(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}

test("a session leads through the provider to a connection with its tags, config and tokens", async () => {
  const token = await createSession(server, {
    tags: { End_User_Id: "u1" },
    integrations_config_defaults: {
      oauth: {
        connection_config: { subdomain: "fixed" },
        authorization_params: { prompt: "consent" },
        user_scopes: "admin",
      },
    },
  });
  const waiting = await resultOf(server, token);
  const begun = await begin(server, {
    token,
    query:
      "&params[subdomain]=mine&params[region]=eu&params[webhook_url]=x&authorization_params[prompt]=none&authorization_params[hint]=h&user_scope=read",
  });
  const page = await finish(server, begun);
  const result = await resultOf(server, token);

  expect(waiting.state).toBe("waiting");
  expect(Object.fromEntries(begun.location.searchParams)).toMatchObject({
    tenant: "a",
    response_type: "code",
    client_id: "client",
    redirect_uri: "http://127.0.0.1:3003/oauth/callback",
    scope: "admin",
    prompt: "consent",
    hint: "h",
    code_challenge_method: "S256",
  });
  expect(begun.state).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(page.status).toBe(200);
  expect(page.text).toContain("You can close this window");
  expect(result).toMatchObject({ state: "success", provider_config_key: "oauth" });
  expect(result.connection_id).toMatch(/^[0-9a-f-]{36}$/);
  const { ctx } = server.installation;
  const name = { integrationKey: "oauth", connectionId: result.connection_id };
  const found = await getConnectionForCall(ctx, name);
  const { credentials } = await getFreshCredentials(ctx, { ...found, force: false });
  expect(found.connection.tags).toEqual({ end_user_id: "u1" });
  expect(found.connection.connectionConfig).toEqual({ subdomain: "fixed", region: "eu" });
  expect(found.connection.credentialsIssuedAt).toEqual(ctx.clock.now());
  expect(credentials["access_token"]).toMatch(/^access of code-/);
  expect(await listWebhooks(result.connection_id)).toMatchObject([
    { operation: "creation", success: true, tags: { end_user_id: "u1" } },
  ]);
});

test("neither state nor session token nor verifier is stored in the clear", async () => {
  const begun = await begin(server);

  const { rows } = await sql<{ text: string }>`
    select row_to_json(f)::text || encode(f.secrets, 'escape') || row_to_json(s)::text as text
      from authorization_flows f join connect_sessions s on s.id = f.connect_session_id`.execute(
    server.installation.ctx.db,
  );
  const stored = rows.map(({ text }) => text).join("\n");

  expect(stored).not.toContain(begun.state);
  expect(stored).not.toContain(begun.token);
  expect(stored).not.toContain("codeVerifier");
  expect(stored).not.toContain(begun.cookie.split("=")[1]);
});

test("the link of a session leads to the connect page with its token", async () => {
  const answer = await server.call({
    method: "POST",
    url: "/connect/sessions",
    as: "dev",
    payload: { allowed_integrations: ["oauth"] },
  });
  const { token, connect_link, expires_at } = JSON.parse(answer.text).data;

  expect(token).toMatch(/^svc_connect_session_[0-9a-f]{64}$/);
  expect(connect_link).toBe(`http://127.0.0.1:3003/connect/?session_token=${token}`);
  expect(Date.parse(expires_at) - server.installation.clock.now().getTime()).toBe(30 * MINUTE);
});

test.each([
  [
    "an unknown allowed integration",
    { allowed_integrations: ["oauth", "nope"] },
    "allowed_integrations.1",
  ],
  [
    "defaults of an unknown integration",
    { integrations_config_defaults: { nope: {} } },
    "integrations_config_defaults.nope",
  ],
  [
    "a reserved authorization parameter",
    {
      integrations_config_defaults: {
        oauth: { authorization_params: { redirect_uri: "https://evil" } },
      },
    },
    "integrations_config_defaults.oauth.authorization_params.redirect_uri",
  ],
])("refuses a session with %s", async (_case, payload, path) => {
  const answer = await server.call({
    method: "POST",
    url: "/connect/sessions",
    as: "dev",
    payload,
  });

  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).error).toMatchObject({ code: "invalid_body" });
  expect(JSON.parse(answer.text).error.errors[0].path.join(".")).toBe(path);
});

test("a session ends after 30 minutes", async () => {
  const token = await createSession(server);

  server.installation.clock.advance(30 * MINUTE - 1);
  const before = await resultOf(server, token);
  server.installation.clock.advance(1);
  const after = await server.call({ url: "/connect/session/result", as: token });

  expect(before.state).toBe("waiting");
  expect(after.status).toBe(401);
  expect(after.text).toContain("unknown_connect_session_token");
});

test.each([
  ["no token", "", 401, "invalid_connect_session_token_format"],
  ["an API key", "connect_session_token=svc_key_abc", 401, "invalid_connect_session_token_format"],
  [
    "an unknown token",
    `connect_session_token=svc_connect_session_${"0".repeat(64)}`,
    401,
    "unknown_connect_session_token",
  ],
  [
    "a public key",
    "public_key=b6f3a1c0-0000-4000-8000-000000000000",
    401,
    "deprecated_authentication",
  ],
  ["a connection id", "connect_session_token=TOKEN&connection_id=x", 400, "invalid_query_params"],
  [
    "a repeated parameter",
    "connect_session_token=TOKEN&user_scope=a&user_scope=b",
    400,
    "invalid_query_params",
  ],
  [
    "a reserved parameter",
    "connect_session_token=TOKEN&authorization_params[state]=x",
    400,
    "invalid_query_params",
  ],
])("does not begin with %s", async (_case, query, status, code) => {
  const token = await createSession(server);
  const url = `/oauth/connect/oauth?${query.replace("TOKEN", token)}`;

  const page = await server.call({ url });
  const answer = await server.call({ url, accept: "*/*" });

  expect(page.status).toBe(status);
  expect(page.headers["content-type"]).toContain("text/html");
  expect(page.text).toContain(code);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).error.code).toBe(code);
});

test.each([
  ["an integration that the session does not allow", "second", 400, "integration_not_allowed"],
  ["an integration of another mode", "keyed", 400, "invalid_auth_mode"],
  ["an unknown integration", "nope", 404, "unknown_provider_config"],
])("does not begin for %s", async (_case, key, status, code) => {
  const allowed = key === "second" ? { allowed_integrations: ["oauth"] } : {};
  const token = await createSession(server, allowed);

  const answer = await server.call({
    url: `/oauth/connect/${key}?connect_session_token=${token}`,
    accept: "*/*",
  });

  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).error.code).toBe(code);
});

test("a session names the integrations that it allows, and its connection until that is deleted", async () => {
  const { ctx } = server.installation;
  const token = await createSession(server, { allowed_integrations: ["oauth"] });
  const { session } = await authenticateSession(ctx, token);
  const open = await authenticateSession(ctx, await createSession(server));
  await finish(server, await begin(server, { token }));
  const { connection_id: connectionId } = await resultOf(server, token);

  await deleteConnection(ctx, { integration: await getIntegration(ctx, "oauth"), connectionId });
  const afterDeletion = await resultOf(server, token);

  expect(connectionId).toBeDefined();
  expect(afterDeletion).toEqual({ status: 200, state: "success" });
  expect(await listAllowedIntegrations(ctx, { sessionId: session.id })).toEqual(["oauth"]);
  expect(await listAllowedIntegrations(ctx, open)).toBeUndefined();
  expect(await listAllowedIntegrations(server.other, { sessionId: session.id })).toEqual([]);
});

test("a session makes several connections until it expires, each attempt with its own result", async () => {
  const token = await createSession(server, { tags: { end_user_id: "u1" } });
  const query = (name: string) => `&attempt_id=${name}`;
  const first = await begin(server, { token, query: query("one") });
  const second = await begin(server, { token, query: query("two") });
  const third = await begin(server, { token, query: query("three") });
  const before = await countConnections(server);

  await finish(server, first);
  await server.call({
    url: `/oauth/callback?error=access_denied&state=${second.state}`,
    cookie: second.cookie,
  });
  await finish(server, third);
  const results = await Promise.all(
    ["one", "two", "three", "four"].map(async (name) => await resultOf(server, token, name)),
  );
  const latest = await resultOf(server, token);
  const session = await server.call({ url: "/connect/session", as: token });

  expect(await countConnections(server)).toBe(before + 2);
  expect(results).toMatchObject([
    { state: "success", attempt_id: "one", connection_id: expect.any(String) },
    { state: "error", attempt_id: "two", error: { type: "authorization_cancelled" } },
    { state: "success", attempt_id: "three", connection_id: expect.any(String) },
    { state: "waiting", attempt_id: "four" },
  ]);
  expect(results[0]?.connection_id).not.toBe(results[2]?.connection_id);
  expect(latest).toEqual(results[2]);
  const { attempts } = JSON.parse(session.text).data;
  const names = attempts.map((attempt: { attempt_id: string }) => attempt.attempt_id);
  expect(names.toSorted()).toEqual(["one", "three", "two"]);
  expect(attempts).toEqual(expect.arrayContaining(results.slice(0, 3).map(withoutStatus)));
});

function withoutStatus({ status: _status, ...result }: { status: number }) {
  return result;
}

test("a session makes at most 50 connections, however many attempts end at once", async () => {
  const token = await createSession(server);
  const form = async () =>
    await server.call({
      method: "POST",
      url: `/auth/unauthenticated/open?connect_session_token=${token}`,
      payload: {},
    });
  for (let made = 0; made < 46; made += 1) expect((await form()).status).toBe(200);
  const flows = await Promise.all(Array.from({ length: 6 }, () => begin(server, { token })));
  const before = await countConnections(server);

  const pages = await Promise.all(flows.map((flow) => finish(server, flow)));
  const refused = await form();
  const restart = await server.call({
    url: `/oauth/connect/oauth?connect_session_token=${token}`,
    accept: "*/*",
  });

  expect(pages.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(await countConnections(server)).toBe(before + 4);
  for (const { text } of [refused, restart]) {
    expect(JSON.parse(text).error.code).toBe("session_used");
  }
});

test("events tell of the attempt that is asked for, though others of the session ended before", async () => {
  const token = await createSession(server);
  await finish(server, await begin(server, { token, query: "&attempt_id=one" }));
  const { ctx } = server.installation;
  const { environment, session } = await authenticateSession(ctx, token);
  const actor = { kind: "session", sessionId: session.id } as const;
  const inside = withEnvironment(ctx, environment, actor);
  const never = new AbortController().signal;
  const options = { attemptId: "two", heartbeatMs: 5_000, lookEveryMs: 5 };
  const reported: unknown[] = [];
  const ended = (async () => {
    for await (const event of streamSessionEvents(inside, never, options)) {
      if (event.startsWith("data: ")) reported.push(JSON.parse(event.slice("data: ".length)).data);
    }
  })();

  const second = await begin(server, { token, query: "&attempt_id=two" });
  await finish(server, await begin(server, { token, query: "&attempt_id=three" }));
  await finish(server, second);
  await ended;

  expect(reported[0]).toEqual({ state: "waiting", attempt_id: "two" });
  expect(reported.at(-1)).toMatchObject({ state: "success", attempt_id: "two" });
  expect(reported).toHaveLength(2);
});
