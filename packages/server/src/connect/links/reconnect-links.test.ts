import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection, deleteConnection } from "#connections";
import { getIntegration } from "#integrations";
import { type ConnectServer, startConnectServer } from "../testing/connect-server.ts";

let server: ConnectServer;
beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

const path = "/connect/links/reconnect";

async function post(as: string | undefined, url: string, payload: object) {
  const answer = await server.call({ method: "POST", url, ...(as && { as }), payload });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

async function list(query = "") {
  const { text } = await server.call({ url: `/connect/links${query}`, as: "dev" });
  return JSON.parse(text).data;
}

/** A connection by an API key, which the provider has refused unless it works. */
async function connect(
  connectionId: string,
  { tags = { end_user_id: connectionId }, works = false }: { tags?: object; works?: boolean } = {},
) {
  const { ctx } = server.installation;
  const integration = await getIntegration(ctx, "keyed");
  await createConnection(ctx, {
    ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
    ...{ tags: Object(tags), webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  if (works) return;
  await sql`update connections set needs_reauthorization_at = now()
             where connection_id = ${connectionId}`.execute(ctx.db);
}

const nameOf = (connection_id: string) => ({ provider_config_key: "keyed", connection_id });

beforeEach(async () => {
  await sql`delete from connections`.execute(server.installation.ctx.db);
  await sql`delete from connect_links`.execute(server.installation.ctx.db);
});

test("each connection that needs it gets a link, which authorizes that connection again", async () => {
  await connect("ada", { tags: { end_user_id: "ada", end_user_display_name: "Ada Quay" } });
  await connect("bob");

  const made = await post("dev", path, { connections: [nameOf("ada"), nameOf("bob")] });
  const [{ link, url }] = made.body.data.links;
  const token = String(url).split("#")[1];
  const opened = await post(undefined, "/connect/links/open", { token });
  const used = await post(undefined, "/connect/links/use", { token });
  const again = await post(undefined, "/connect/links/use", { token });
  const session = new URL(used.body.data.connect_link).searchParams.get("session_token") ?? "";
  const renewed = await post(session, `/api-auth/api-key/keyed?connect_session_token=${session}`, {
    apiKey: "another",
  });

  expect(made.status).toBe(201);
  expect(made.body.data.links).toHaveLength(2);
  expect(link).toMatchObject({
    ...{ state: "open", max_uses: 1, reconnects: nameOf("ada"), allowed_integrations: ["keyed"] },
    ...{ tags: { end_user_id: "ada" }, created_by: { kind: "key" } },
  });
  expect(opened.body.data).toMatchObject({ asks_for: "Ada Quay", uses_left: 1 });
  expect([renewed.status, renewed.body.connectionId]).toEqual([200, "ada"]);
  expect(again.status).toBe(404);
  expect(await list("?state=used_up")).toMatchObject([{ reconnects: nameOf("ada") }]);
  expect(await list("?state=open")).toMatchObject([{ reconnects: nameOf("bob") }]);
});

test("what works, and what has no owner, gets none, and the answer says so", async () => {
  await connect("fine", { works: true });
  await connect("nobodys", { tags: {} });
  await connect("bad");

  const named = ["fine", "nobodys", "bad"].map(nameOf);
  const { body } = await post("dev", path, { connections: named });

  expect(body.data.skipped).toEqual([
    { ...nameOf("fine"), reason: "works" },
    { ...nameOf("nobodys"), reason: "no_owner" },
  ]);
  expect(body.data.links).toHaveLength(1);
});

test("a filter takes those of its connections that need it", async () => {
  await connect("ada-1");
  await connect("ada-2", { works: true });
  await connect("bob");

  const ada = await post("dev", path, { filter: { search: "ada" } });
  const working = await post("dev", path, { filter: { state: "ok" } });

  const of = ({ body }: typeof ada) =>
    body.data.links.map(({ link }: { link: { reconnects: object } }) => link.reconnects);
  expect(of(ada)).toEqual([nameOf("ada-1")]);
  expect(of(working)).toEqual([]);
});

test("a filter that fits more than 500 is refused, and makes none", async () => {
  await connect("one");
  await sql`insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at,
       needs_reauthorization_at)
    select gen_random_uuid(), environment_id, integration_id, 'c-' || n, auth_mode, credentials, now(), now(), now()
      from connections, generate_series(1, 500) n`.execute(server.installation.ctx.db);

  const refused = await post("dev", path, { filter: {} });

  expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_body"]);
  expect(refused.body.error.errors[0].message).toContain("more than 500");
  expect(await list()).toEqual([]);
});

test("a link to a connection that was deleted does not work any more", async () => {
  await connect("ada");
  const made = await post("dev", path, { connections: [nameOf("ada")] });
  const token = String(made.body.data.links[0].url).split("#")[1];
  const { ctx } = server.installation;

  await deleteConnection(ctx, {
    integration: await getIntegration(ctx, "keyed"),
    connectionId: "ada",
  });
  const opened = await post(undefined, "/connect/links/open", { token });

  expect(opened.status).toBe(404);
});

test.each([
  ["both", { connections: [nameOf("a")], filter: {} }],
  ["neither", {}],
  ["a sync", { filter: { sync: "contacts" } }],
])("400 for %s", async (_what, body) => {
  expect((await post("dev", path, body)).status).toBe(400);
});
