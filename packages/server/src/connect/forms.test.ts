import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  connectionChecked,
  connectionValidating,
  getConnectionForCall,
  getFreshCredentials,
} from "#connections";
import { AppError, on } from "#foundation";
import { flushLogs } from "#logs";
import { openJson } from "#vault";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";
import { countConnections } from "./testing/store.ts";

let server: ConnectServer;
/** What the customer's check says; undefined where it agrees. */
let refusal: string | undefined;
const checked: string[] = [];

beforeAll(async () => {
  server = await startConnectServer({
    hooks: [
      on(connectionChecked, async () => true),
      on(connectionValidating, async (ctx, { connection }) => {
        expect(ctx.db.isTransaction).toBe(false);
        checked.push(connection.connectionId);
        if (refusal !== undefined) throw new AppError("connection_validation_failed", refusal);
      }),
    ],
  });
  await sql`update webhook_settings set primary_url = 'https://example.com/hook'`.execute(
    server.installation.ctx.db,
  );
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function submit(path: string, payload: object, { token = "", query = "" } = {}) {
  const used = token === "" ? await createSession(server) : token;
  const answer = await server.call({
    method: "POST",
    url: `${path}?connect_session_token=${used}${query}`,
    payload,
  });
  return { status: answer.status, token: used, body: JSON.parse(answer.text) };
}

async function credentialsOf(connectionId: string, integrationKey: string) {
  const { ctx } = server.installation;
  const found = await getConnectionForCall(ctx, { integrationKey, connectionId });
  return (await getFreshCredentials(ctx, { ...found, force: false })).credentials;
}

async function listWebhooks() {
  const { ctx } = server.installation;
  const { rows } = await sql<{ id: string; body: Buffer }>`
    select id, body from webhook_deliveries`.execute(ctx.db);
  const bodies = await Promise.all(
    rows.map(
      async ({ id, body }) =>
        await openJson(
          ctx,
          {
            environmentId: ctx.environment.id,
            table: "webhook_deliveries",
            column: "body",
            row: id,
          },
          body,
        ),
    ),
  );
  return bodies.map(Object);
}

async function webhooksOf(connectionId: string) {
  return (await listWebhooks()).filter((body) => body["connectionId"] === connectionId);
}

test.each([
  ["/api-auth/api-key/keyed", "keyed", { apiKey: " sk-1\n" }, { type: "API_KEY", apiKey: "sk-1" }],
  [
    "/api-auth/basic/basic",
    "basic",
    { username: "ada", password: "" },
    { type: "BASIC", username: "ada", password: "" },
  ],
  ["/auth/unauthenticated/open", "open", {}, { type: "NONE" }],
])("%s makes connections of the session", async (path, key, payload, credentials) => {
  const { status, body, token } = await submit(path, payload);
  const result = await resultOf(server, token);
  const again = await submit(path, payload, { token });

  expect(status).toBe(200);
  expect(body).toEqual({ connectionId: expect.any(String), providerConfigKey: key });
  expect(await credentialsOf(body.connectionId, key)).toMatchObject(credentials);
  expect(result).toMatchObject({
    state: "success",
    connection_id: body.connectionId,
    provider_config_key: key,
  });
  expect(again.status).toBe(200);
  expect(again.body.connectionId).not.toBe(body.connectionId);
});

test("values of the client go under those that the customer fixed", async () => {
  const token = await createSession(server, {
    tags: { end_user_id: "u1" },
    integrations_config_defaults: { open: { connection_config: { region: "eu" } } },
  });

  const { body } = await submit(
    "/auth/unauthenticated/open",
    {},
    {
      token,
      query: "&params[region]=us&params[team]=a&params[webhook_url]=x",
    },
  );
  const { connection } = await getConnectionForCall(server.installation.ctx, {
    integrationKey: "open",
    connectionId: body.connectionId,
  });

  expect(connection.connectionConfig).toEqual({ region: "eu", team: "a" });
  expect(connection.tags).toEqual({ end_user_id: "u1" });
  expect(connection.fromSession).toBe(true);
});

test.each([
  [
    "a route for other credentials",
    "/api-auth/basic/keyed",
    { username: "a", password: "b" },
    "",
    400,
    "invalid_auth_mode",
  ],
  [
    "an unknown integration",
    "/api-auth/basic/nope",
    { username: "a", password: "b" },
    "",
    404,
    "unknown_provider_config",
  ],
  ["an empty key", "/api-auth/api-key/keyed", { apiKey: " " }, "", 400, "invalid_body"],
  ["a missing field", "/api-auth/basic/basic", { username: "a" }, "", 400, "invalid_body"],
  ["an unknown field", "/api-auth/api-key/keyed", { apiKey: "a", x: 1 }, "", 400, "invalid_body"],
  ["a type of another route", "/auth/jwt/open", { type: "NONE" }, "", 400, "invalid_body"],
  ["a body where none is taken", "/auth/unauthenticated/open", { a: 1 }, "", 400, "invalid_body"],
  [
    "a client without a secret",
    "/oauth2/auth/machine",
    { client_id: "a" },
    "",
    400,
    "invalid_body",
  ],
  [
    "an id of the caller's choice",
    "/auth/unauthenticated/open",
    {},
    "&connection_id=x",
    400,
    "invalid_query_params",
  ],
  ["an unknown parameter", "/auth/unauthenticated/open", {}, "&x=1", 400, "invalid_query_params"],
  [
    "a value that only the server sets",
    "/auth/unauthenticated/open",
    {},
    "&params[emailAddressHash]=x",
    400,
    "invalid_query_params",
  ],
  [
    "a public key next to the session",
    "/auth/unauthenticated/open",
    {},
    "&public_key=x",
    400,
    "invalid_query_params",
  ],
  [
    "an integration that is not installed elsewhere",
    "/auth/oauth-outbound/oauth",
    {},
    "",
    400,
    "invalid_auth_mode",
  ],
])("refuses %s", async (_case, path, payload, query, status, code) => {
  const before = await countConnections(server);

  const answer = await submit(path, payload, { query });

  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(answer.body.error.message.length).toBeGreaterThan(10);
  expect(await countConnections(server)).toBe(before);
});

test("an end user does not see how the integration is configured; its logs show it", async () => {
  server.provider.failWith({ status: 401, body: { error: "invalid_client" } });

  const refused = await submit("/oauth2/auth/machine", { client_id: "a", client_secret: "b" });
  server.provider.failWith(undefined);

  await flushLogs(server.installation.ctx);
  const { rows } = await sql<{ error: { message: string } }>`
    select error from operations where state = 'failed'`.execute(server.installation.ctx.db);
  expect([refused.status, refused.body.error.code]).toEqual([400, "connection_test_failed"]);
  expect(refused.body.error.message).toBe(
    "The service did not accept what you entered. Check it and try again.",
  );
  expect(refused.body.error.message).not.toMatch(/token|endpoint|integration/);
  expect(JSON.stringify(rows)).toContain("the token URL of the integration");
});

test("without a session there is no connection", async () => {
  const call = async (query: string) => {
    const answer = await server.call({
      method: "POST",
      url: `/auth/unauthenticated/open${query}`,
      payload: {},
    });
    return [answer.status, JSON.parse(answer.text).error.code];
  };

  expect(await call("")).toEqual([401, "invalid_connect_session_token_format"]);
  expect(await call("?public_key=x")).toEqual([401, "deprecated_authentication"]);
  expect(await call(`?connect_session_token=svc_connect_session_${"0".repeat(64)}`)).toEqual([
    401,
    "unknown_connect_session_token",
  ]);
});

test("an OAuth client that the provider refuses is reported, and the session can try again", async () => {
  server.provider.failWith({ status: 401, body: { error: "invalid_client" } });
  const refused = await submit("/oauth2/auth/machine", { client_id: "a", client_secret: "b" });
  server.provider.failWith({ status: 200, body: { access_token: "t", expires_in: 3600 } });
  const { token } = refused;
  const accepted = await submit(
    "/oauth2/auth/machine",
    { client_id: "a", client_secret: "c" },
    { token },
  );
  server.provider.failWith(undefined);

  expect([refused.status, refused.body.error.code]).toEqual([400, "connection_test_failed"]);
  expect(accepted.status).toBe(200);
  expect(await credentialsOf(accepted.body.connectionId, "machine")).toMatchObject({
    type: "OAUTH2_CC",
    token: "t",
  });
});

test("a refused form sends a failure webhook with the session's tags, end user and the answer's error type", async () => {
  server.provider.failWith({ status: 401, body: { error: "invalid_client" } });
  const tags = { end_user_id: "u9", end_user_email: "u9@example.com" };
  const token = await createSession(server, { tags });
  const values = { client_id: "a", client_secret: "b" };

  const refused = await submit("/oauth2/auth/machine", values, { token });
  server.provider.failWith(undefined);

  const reported = (await listWebhooks()).filter(({ tags: sent }) => sent?.end_user_id === "u9");
  expect(refused.body.error.code).toBe("connection_test_failed");
  expect(reported).toMatchObject([
    {
      operation: "creation",
      success: false,
      providerConfigKey: "machine",
      tags,
      endUser: { endUserId: "u9", endUserEmail: "u9@example.com" },
      error: { type: "connection_test_failed" },
    },
  ]);
});

test("a check of the customer that refuses leaves nothing behind but a failure webhook", async () => {
  const before = await countConnections(server);
  refusal = "Only members of the team may connect.";
  const refused = await submit("/auth/unauthenticated/open", {});
  refusal = undefined;
  const { token } = refused;
  const during = await resultOf(server, token);
  const accepted = await submit("/auth/unauthenticated/open", {}, { token });

  expect(refused.status).toBe(400);
  expect(refused.body.error).toMatchObject({
    code: "connection_validation_failed",
    message: "Only members of the team may connect.",
  });
  expect(during.state).toBe("waiting");
  expect(accepted.status).toBe(200);
  expect(await countConnections(server)).toBe(before + 1);
  const [first] = checked.slice(-2);
  expect(await webhooksOf(String(first))).toMatchObject([
    {
      operation: "creation",
      success: false,
      error: { type: "connection_validation_failed" },
    },
  ]);
  expect(await webhooksOf(accepted.body.connectionId)).toMatchObject([
    { operation: "creation", success: true },
  ]);
});

test("a reconnected connection that a check refuses is flagged, and reported once", async () => {
  const { ctx } = server.installation;
  const { body } = await submit("/auth/unauthenticated/open", {});
  const { connectionId } = body;
  const created = await server.call({
    method: "POST",
    url: "/connect/sessions/reconnect",
    as: "dev",
    payload: { connection_id: connectionId, integration_id: "open" },
  });
  const { token } = JSON.parse(created.text).data;
  refusal = "Not you.";
  const refused = await submit("/auth/unauthenticated/open", {}, { token });
  refusal = undefined;
  const name = { integrationKey: "open", connectionId };
  const flagged = (await getConnectionForCall(ctx, name)).connection;
  await submit("/auth/unauthenticated/open", {}, { token });
  const healed = (await getConnectionForCall(ctx, name)).connection;

  expect(refused.body.error.code).toBe("connection_validation_failed");
  expect(flagged.errors).toMatchObject([{ type: "auth" }]);
  expect(healed.errors).toEqual([]);
  const reported = (await webhooksOf(connectionId)).map(({ operation, success }) => [
    operation,
    success,
  ]);
  expect(reported.map(String).toSorted()).toEqual(
    ["creation,true", "override,false", "override,true"].toSorted(),
  );
});

test("attempts at once make a connection each, also where a check takes its time", async () => {
  const token = await createSession(server);
  const before = await countConnections(server);

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => submit("/auth/unauthenticated/open", {}, { token })),
  );

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await countConnections(server)).toBe(before + 5);
});

test("an end user's own OAuth client takes the integration's place, its secret among the credentials", async () => {
  const query =
    "&credentials[oauth_client_id_override]=mine&credentials[oauth_client_secret_override]=hush";
  const token = await createSession(server, {
    integrations_config_defaults: {
      oauth: {
        connection_config: { oauth_client_id_override: "", oauth_client_secret_override: "" },
      },
    },
  });
  const begun = await begin(server, { token, query });
  await finish(server, begun);
  const { connection_id: connectionId } = await resultOf(server, token);
  const { connection } = await getConnectionForCall(server.installation.ctx, {
    integrationKey: "oauth",
    connectionId,
  });

  expect(begun.location.searchParams.get("client_id")).toBe("mine");
  expect(connection.connectionConfig).toEqual({ oauth_client_id_override: "mine" });
  expect(await credentialsOf(connectionId, "oauth")).toMatchObject({
    config_override: { client_id: "mine", client_secret: "hush" },
  });
});
