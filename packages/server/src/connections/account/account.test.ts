import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createIntegration } from "#integrations";
import { disguiseConnections } from "../erasure/erase-end-user.ts";
import { getConnectionForCall } from "../read/find-connection-for-call.ts";
import { type ConnectionServer, startConnectionServer } from "../testing/connection-server.ts";
import { accountTaskHandlers } from "./task-handlers.ts";

let server: ConnectionServer;
let provider: Server;
let answer: { status: number; body: unknown };
let asked: string[];

beforeAll(async () => {
  server = await startConnectionServer([]);
  provider = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const { port } = provider.address() as AddressInfo;
  await createIntegration(server.installation.ctx, {
    ...{ provider: "github-pat", uniqueKey: "github", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, integrationConfig: {}, custom: {} },
    settings: { overrides: { base_url: `http://127.0.0.1:${port}` } },
  });
});
beforeEach(() => {
  answer = { status: 200, body: { id: 583231, login: "octocat", email: "ada@example.com" } };
  asked = [];
});
afterAll(async () => {
  provider.close();
  await server[Symbol.asyncDispose]();
});

async function connect(id: string): Promise<void> {
  const made = await server.call("full", "POST", "/connections", {
    ...{ provider_config_key: "github", connection_id: id, tags: { end_user_id: "u1" } },
    credentials: { type: "API_KEY", apiKey: "ghp_1" },
  });
  expect(made.status).toBe(201);
  asked = [];
}

async function show(id: string) {
  return (await server.call("full", "GET", `/connections/${id}?provider_config_key=github`)).body;
}

async function find(id: string) {
  const { ctx } = server.installation;
  const name = { integrationKey: "github", connectionId: id };
  const { connection } = await getConnectionForCall(ctx, name);
  return connection;
}

/** Does what a worker does with the task. */
async function readAccount(id: string, { isLast = true } = {}): Promise<void> {
  const { ctx } = server.installation;
  const { uuid } = await find(id);
  const task = { environment: ctx.environment, connection: uuid };
  await accountTaskHandlers.readAccount(ctx, task, { number: 1, isLast });
}

async function countTasks(id: string): Promise<number> {
  const { uuid } = await find(id);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from graphile_worker.jobs where key = ${`account ${uuid}`}`.execute(
    server.installation.ctx.db,
  );
  return rows[0]?.count ?? 0;
}

test("a connection is asked about once it is made, and says whose account it is", async () => {
  await connect("reported");
  const before = await show("reported");
  const tasks = await countTasks("reported");

  await readAccount("reported");
  const after = await show("reported");
  const { body: list } = await server.call("full", "GET", "/connections?connectionId=reported");

  expect(before.account).toBeNull();
  expect(tasks).toBe(1);
  expect(asked).toEqual(["GET /user Bearer ghp_1"]);
  const account = { id: "583231", label: "octocat", email: "ada@example.com", workspace: null };
  expect(after.account).toEqual(account);
  expect(list.connections[0].account).toEqual(account);
  expect(after.updated_at).toBe(before.updated_at);
});

/** Imports other credentials over a connection. */
async function renew(id: string, more: object = {}) {
  asked = [];
  return await server.call("full", "POST", "/connections", {
    ...{ provider_config_key: "github", connection_id: id, ...more },
    credentials: { type: "API_KEY", apiKey: "ghp_2" },
  });
}

test("credentials of another account are refused, and the connection keeps those that it has", async () => {
  await connect("mine");
  await readAccount("mine");
  const before = await show("mine");
  answer = { status: 200, body: { id: 2, login: "hubot", email: null } };

  const refused = await renew("mine");
  const calls = asked;
  const after = await show("mine");

  expect([refused.status, refused.body.error.code]).toEqual([409, "account_changed"]);
  expect(refused.body.error.message).toContain("of another account at github-pat");
  expect(refused.body.error.message).not.toContain("hubot");
  expect(new Set(calls)).toEqual(new Set(["GET /user Bearer ghp_2"]));
  expect(after).toEqual({ ...before, last_fetched_at: after.last_fetched_at });
});

test("who says that another account is meant gets it, and it is asked for again", async () => {
  await connect("moved");
  await readAccount("moved");
  answer = { status: 200, body: { id: 2, login: "hubot", email: null } };

  const taken = await renew("moved", { allow_account_change: true });
  const between = await show("moved");
  await readAccount("moved");
  const after = await show("moved");

  expect(taken.status).toBe(201);
  expect(between.account).toBeNull();
  expect(after.account).toEqual({ id: "2", label: "hubot", email: null, workspace: null });
});

test("new credentials of the same account are taken, and the account stays known", async () => {
  await connect("same");
  await readAccount("same");
  answer = { status: 200, body: { id: 583231, login: "octocat-2", email: null } };

  const taken = await renew("same");
  const shown = await show("same");
  answer = { status: 200, body: { id: 2, login: "hubot", email: null } };
  const refused = await renew("same");

  expect(taken.status).toBe(201);
  expect(shown.account).toMatchObject({ id: "583231", label: "octocat-2" });
  expect(shown.credentials.apiKey).toBe("ghp_2");
  expect(refused.body.error.code).toBe("account_changed");
});

test("a provider that does not say whose new credentials are does not hold them up", async () => {
  await connect("unsaid");
  await readAccount("unsaid");
  answer = { status: 200, body: ["ada@example.com"] };

  const taken = await renew("unsaid");

  expect(taken.status).toBe(201);
  expect((await show("unsaid")).account).toBeNull();
});

test.each([
  ["refuses", { status: 401, body: { message: "Bad credentials" } }],
  ["says something else", { status: 200, body: ["ada@example.com"] }],
  ["is busy", { status: 503, body: {} }],
])("a provider that %s leaves the connection as it is", async (how, given) => {
  const id = `silent-${how.replaceAll(" ", "-")}`;
  await connect(id);
  answer = given;

  await readAccount(id);
  const shown = await show(id);

  expect(shown).toMatchObject({ account: null, errors: [] });
});

test("a provider that is busy is asked again", async () => {
  await connect("busy");
  answer = { status: 503, body: {} };

  await expect(readAccount("busy", { isLast: false })).rejects.toThrow("503");
});

test("what nobody can see is left out of names, and long ones are cut", async () => {
  await connect("hostile");
  answer = {
    status: 200,
    body: { id: 1, login: "ada\u202e\u0000\n\u{e0041}evil", email: "e".repeat(1000) },
  };

  await readAccount("hostile");
  const { account } = await show("hostile");

  expect(account.label).toBe("ada evil");
  expect(account.email).toHaveLength(255);
});

test("with the connection goes what it says of a person, and logs never had it", async () => {
  await connect("leaves");
  await readAccount("leaves");
  const { uuid } = await find("leaves");
  const { ctx } = server.installation;
  const held = async () => {
    const { rows } = await sql<{ account: unknown }>`
      select account from connections where uuid = ${uuid}`.execute(ctx.db);
    return rows[0]?.account;
  };

  const before = await held();
  await server.call("full", "DELETE", "/connections/leaves?provider_config_key=github");
  const deleted = await held();
  await sql`update connections set account = '{"id": "1"}' where uuid = ${uuid}`.execute(ctx.db);
  await disguiseConnections(ctx, [uuid]);
  const erased = await held();
  const { rows: reported } = await sql`
    select 1 from operations o where o::text like '%ada@example.com%'
    union all select 1 from operation_messages m where m::text like '%ada@example.com%'`.execute(
    ctx.db,
  );

  expect(before).toMatchObject({ label: "octocat" });
  expect(deleted).toBeNull();
  expect(erased).toBeNull();
  expect(reported).toEqual([]);
});
