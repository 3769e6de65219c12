import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, MINUTE } from "#foundation";
import { type ConnectionServer, startConnectionServer } from "../testing/connection-server.ts";
import { prepareConnection } from "../testing/refreshing-connection.ts";
import { startRotatingServer } from "../testing/rotating-server.ts";

let server: ConnectionServer;
let call: ConnectionServer["call"];

beforeAll(async () => {
  server = await startConnectionServer([]);
  ({ call } = server);
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function prepare(tokenUrl: string) {
  const { ctx } = server.installation;
  const { integration, connection } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  const path = `/connections/${connection.connectionId}`;
  return { connection, path, query: `?provider_config_key=${integration.uniqueKey}` };
}

const claims = Buffer.from(JSON.stringify({ sub: "1", email: "ada@example.com" }));
const idToken = `e30.${claims.toString("base64url")}.signature`;

test("a refresh asks the provider at once and answers health, without credentials", async () => {
  await using tokens = await startRotatingServer({ expiresIn: 3600 });
  const { path, query } = await prepare(tokens.tokenUrl);
  const body = { access_token: "a", refresh_token: "r", expires_in: 60 };
  tokens.answerWith({ status: 200, body: { ...body, scope: "repo read:user", id_token: idToken } });

  const answer = await call("full", "POST", `${path}/refresh${query}`);
  const read = await call("full", "GET", `${path}${query}&include=health`);

  expect(answer).toMatchObject({
    status: 200,
    body: {
      refreshed: true,
      data: {
        health: {
          state: "ok",
          expires_at: expect.any(String),
          last_refreshed_at: expect.any(String),
          refresh_failures: 0,
          account_identity: "ada@example.com",
          scopes_granted: ["repo", "read:user"],
        },
      },
    },
  });
  expect(answer.body.data).not.toHaveProperty("credentials");
  expect(read.body.health).toMatchObject({ account_identity: "ada@example.com" });
});

test("a refresh that fails tells why, and the connection is in a back-off until one succeeds", async () => {
  await using tokens = await startRotatingServer({ expiresIn: 3600 });
  const { path, query } = await prepare(tokens.tokenUrl);
  tokens.answerWith({ status: 503, body: "" });

  const failed = await call("full", "POST", `${path}/refresh${query}`);
  const { body } = await call("full", "GET", "/connections?state=backoff&include=health");
  tokens.answerWith(undefined);
  const repaired = await call("full", "POST", `${path}/refresh${query}`);

  expect(failed.body.error.code).toBe("connection_refresh_backoff");
  expect(body.connections).toHaveLength(1);
  expect(body.connections[0].health).toMatchObject({
    state: "backoff",
    refresh_failures: 1,
    next_refresh_at: expect.any(String),
  });
  expect(repaired.body.data.health).toMatchObject({ state: "ok", refresh_failures: 0 });
});

test("health says why refreshes fail, since when, and what happens next", async () => {
  await using tokens = await startRotatingServer({ expiresIn: 3600 });
  const { path, query, connection } = await prepare(tokens.tokenUrl);
  const failWith = async (status: number, body: object | "") => {
    tokens.answerWith({ status, body });
    await call("full", "POST", `${path}/refresh${query}`);
    const listed = await call(
      "full",
      "GET",
      `/connections?connectionId=${connection.connectionId}&include=health`,
    );
    return listed.body.connections[0].health;
  };

  const first = await failWith(503, "");
  server.installation.clock.advance(MINUTE);
  const second = await failWith(429, { error: "slow_down" });
  server.installation.clock.advance(MINUTE);
  const client = await failWith(401, { error: "invalid_client", error_description: "s3cret" });
  const revoked = await failWith(400, { error: "invalid_grant" });
  tokens.answerWith(undefined);
  const repaired = await call("full", "POST", `${path}/refresh${query}`);

  const outage = {
    cause: "provider_unavailable",
    code: "connection_refresh_backoff",
    next: "retry",
  };
  expect(first.failure).toMatchObject({
    ...{ ...outage, message: "The token endpoint answered 503.", provider_error: null },
    ...{ since: first.failure.last_at, next_attempt_at: first.next_refresh_at },
  });
  expect(second).toMatchObject({ refresh_failures: 2 });
  expect(second.failure).toMatchObject({
    ...{ ...outage, provider_error: "slow_down", since: first.failure.since },
  });
  expect(Date.parse(second.failure.last_at) - Date.parse(first.failure.last_at)).toBe(MINUTE);
  expect(client.failure).toMatchObject({
    ...{ cause: "client_refused", code: "integration_misconfigured", next: "operator" },
    ...{ provider_error: "invalid_client", since: client.failure.last_at },
    next_attempt_at: expect.any(String),
  });
  expect(JSON.stringify(client)).not.toContain("s3cret");
  expect(revoked.failure).toMatchObject({
    ...{ cause: "grant_refused", code: "invalid_credentials", next: "end_user" },
    ...{ provider_error: "invalid_grant", next_attempt_at: null },
  });
  expect(repaired.body.data.health).toMatchObject({ state: "ok", failure: null });
});

test("a refused client waits for nobody once the integration is changed", async () => {
  await using tokens = await startRotatingServer({ expiresIn: 3600 });
  const { path, query, connection } = await prepare(tokens.tokenUrl);
  tokens.answerWith({ status: 401, body: { error: "invalid_client" } });
  await call("full", "POST", `${path}/refresh${query}`);

  server.installation.clock.advance(MINUTE);
  await sql`update integrations set updated_at = ${server.installation.clock.now()}
             where id = ${connection.integrationId}`.execute(server.installation.ctx.db);
  const read = await call(
    "full",
    "GET",
    `/connections?connectionId=${connection.connectionId}&include=health`,
  );

  expect(read.body.connections[0].health.failure).toMatchObject({
    ...{ cause: "client_refused", next: "retry", next_attempt_at: null },
  });
});

test("what cannot be refreshed is answered as it is", async () => {
  await call("full", "POST", "/connections", {
    provider_config_key: "plain",
    connection_id: "fixed",
    credentials: { type: "API_KEY", apiKey: "k" },
  });

  const answer = await call("full", "POST", "/connections/fixed/refresh?provider_config_key=plain");

  expect(answer).toMatchObject({
    status: 200,
    body: { refreshed: false, data: { health: { state: "ok", scopes_granted: null } } },
  });
});

test("another environment neither refreshes, counts nor sees it", async () => {
  const { ctx } = server.installation;
  await using tokens = await startRotatingServer({ expiresIn: 3600 });
  const { path, query, connection } = await prepare(tokens.tokenUrl);
  await sql`update connections set needs_reauthorization_at = ${addMs(ctx.clock.now(), -MINUTE)}
             where uuid = ${connection.uuid}`.execute(ctx.db);

  const refused = await call("other", "POST", `${path}/refresh${query}`);
  const counts = await call("other", "GET", "/connections/count");
  const listed = await call("other", "GET", "/connections?state=needs_reauthorization");

  expect([refused.status, refused.body.error.code]).toEqual([400, "unknown_provider_config"]);
  expect(counts.body.data.total).toBe(0);
  expect(listed.body.connections).toEqual([]);
  expect(tokens.requests).toEqual([]);
});
