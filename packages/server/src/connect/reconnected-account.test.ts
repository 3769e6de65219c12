import { once } from "node:events";
import { createServer } from "node:http";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getConnectionForCall, getFreshCredentials } from "#connections";
import { createIntegration } from "#integrations";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { createSession } from "./testing/end-user.ts";

let server: ConnectServer;
/** Whose account the provider says that a key is of. */
const accounts: Readonly<Record<string, number>> = { ghp_ada: 1, ghp_ada_new: 1, ghp_bob: 2 };
const provider = createServer(({ headers }, response) => {
  const key = headers.authorization?.replace("Bearer ", "") ?? "";
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id: accounts[key], login: key }));
});

beforeAll(async () => {
  server = await startConnectServer();
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = Object(provider.address());
  await createIntegration(server.installation.ctx, {
    ...{ provider: "github-pat", uniqueKey: "github", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, integrationConfig: {}, custom: {} },
    settings: { overrides: { base_url: `http://127.0.0.1:${port}` } },
  });
});
afterAll(async () => {
  provider.close();
  await server[Symbol.asyncDispose]();
});

async function submit(token: string, apiKey: string) {
  const url = `/api-auth/api-key/github?connect_session_token=${token}`;
  const answer = await server.call({ method: "POST", url, payload: { apiKey } });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

/** A connection of Ada's account, and a session to authorize it again. */
async function reconnect(more: object = {}) {
  const { ctx } = server.installation;
  const { body } = await submit(await createSession(server), "ghp_ada");
  const connectionId: string = body.connectionId;
  const account = { id: "1", label: "ada" };
  await sql`update connections set account = ${JSON.stringify(account)}
    where connection_id = ${connectionId}`.execute(ctx.db);
  const made = await server.call({
    ...{ method: "POST", url: "/connect/sessions/reconnect", as: "dev" },
    payload: { connection_id: connectionId, integration_id: "github", ...more },
  });
  return { connectionId, token: JSON.parse(made.text).data.token as string };
}

async function keyOf(connectionId: string) {
  const found = await getConnectionForCall(server.installation.ctx, {
    ...{ integrationKey: "github", connectionId },
  });
  const fresh = await getFreshCredentials(server.installation.ctx, { ...found, force: false });
  return [fresh.credentials["apiKey"], found.connection.account?.id];
}

test("an end user who authorizes another account is refused, and the connection stays as it is", async () => {
  const { connectionId, token } = await reconnect();

  const refused = await submit(token, "ghp_bob");
  const between = await keyOf(connectionId);
  const again = await submit(token, "ghp_ada_new");

  expect([refused.status, refused.body.error.code]).toEqual([409, "account_changed"]);
  expect(between).toEqual(["ghp_ada", "1"]);
  expect(again.status).toBe(200);
  expect(await keyOf(connectionId)).toEqual(["ghp_ada_new", "1"]);
});

test("a session that permits another account takes it", async () => {
  const { connectionId, token } = await reconnect({ allow_account_change: true });

  const taken = await submit(token, "ghp_bob");

  expect(taken.status).toBe(200);
  expect(await keyOf(connectionId)).toEqual(["ghp_bob", undefined]);
});
