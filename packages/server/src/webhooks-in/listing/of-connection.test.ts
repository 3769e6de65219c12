import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, SECOND } from "#foundation";
import { countReads } from "#foundation/testing";
import { listInbox } from "../inbox/list-inbox.ts";
import { type InboxServer, insertConnection, startInboxServer } from "../testing/index.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

async function start() {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "google-mail", { credentials: client });
  for (const name of ["ada", "bea"]) {
    await insertConnection(ctx, integration, name, { metadata: { email: `${name}@b.c` } });
  }
  return { ctx, integration };
}

async function push(ctx: EnvironmentContext, name: string, messageId: string): Promise<void> {
  server.app.clock.advance(SECOND);
  const data = Buffer.from(JSON.stringify({ emailAddress: `${name}@b.c`, historyId: 1 }));
  const body = JSON.stringify({ message: { data: data.toString("base64"), messageId } });
  const headers = { "content-type": "application/json" };
  await server.send(`/webhook/${ctx.environment.id}/google-mail`, { headers, body });
}

async function read(ctx: EnvironmentContext, query: string) {
  const headers = { authorization: ctx.environment.name };
  const answer = await server.send("/webhooks/inbox", { method: "GET", headers, query });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

const ofAda = "?provider_config_key=google-mail&connection_id=ada";

test("the inbox of a connection has what was passed on for it, newest first, page by page", async () => {
  const { ctx } = await start();
  for (const [n, name] of ["ada", "bea", "ada", "nobody", "ada"].entries()) {
    await push(ctx, name, `m-${n}`);
  }
  const before = await read(ctx, ofAda);
  await server.handle();

  const { body } = await read(ctx, ofAda);
  const first = await read(ctx, `${ofAda}&limit=2`);
  const second = await read(ctx, `${ofAda}&limit=2&cursor=${first.body.next_cursor}`);
  const handled = await read(ctx, `${ofAda}&state=handled`);
  const failed = await read(ctx, `${ofAda}&state=failed`);
  const since = await read(ctx, `${ofAda}&from=${body.data[1].received_at}`);
  const ofBea = await read(ctx, "?providerConfigKey=google-mail&connectionId=bea");

  const all = await read(ctx, "?provider_config_key=google-mail");
  expect(all.body.data.map(({ connections }: { connections: string[] }) => connections)).toEqual([
    ...[["ada"], [], ["ada"], ["bea"], ["ada"]],
  ]);
  const times = body.data.map(({ received_at }: { received_at: string }) => received_at);
  expect(before.body.data).toEqual([]);
  expect(times).toHaveLength(3);
  expect(times).toEqual(times.toSorted().toReversed());
  expect([...first.body.data, ...second.body.data]).toEqual(body.data);
  expect(second.body.next_cursor).toBeNull();
  expect(handled.body.data).toEqual(body.data);
  expect(failed.body.data).toEqual([]);
  expect(since.body.data).toEqual(body.data.slice(0, 2));
  expect(ofBea.body.data).toHaveLength(1);
});

test("a webhook that is handled again stays noted once, and goes with its notes", async () => {
  const { ctx } = await start();
  await push(ctx, "ada", "m");
  await server.handle();
  const { body } = await read(ctx, ofAda);
  const replayed = await server.send(`/webhooks/inbox/${body.data[0].id}/replay`, {
    headers: { authorization: ctx.environment.name },
  });
  await server.handle();
  const again = await read(ctx, ofAda);
  await sql`delete from inbound_webhooks where id = ${body.data[0].id}`.execute(ctx.db);

  expect(JSON.parse(replayed.body).data.state).toBe("waiting");
  expect(again.body.data).toMatchObject([{ id: body.data[0].id, state: "handled" }]);
  expect((await read(ctx, ofAda)).body.data).toEqual([]);
});

test("what was passed on for a connection is handled again, and nothing else", async () => {
  const { ctx } = await start();
  for (const [n, name] of ["ada", "bea", "ada", "nobody"].entries())
    await push(ctx, name, `m-${n}`);
  await server.handle();
  const replay = async (asked: object) => {
    const { status, body } = await server.send("/webhooks/inbox/replay", {
      headers: { authorization: ctx.environment.name, "content-type": "application/json" },
      body: JSON.stringify({ from: "2020-01-01T00:00:00Z", connection_id: "ada", ...asked }),
    });
    return { status, body: JSON.parse(body) };
  };
  const named = { provider_config_key: "google-mail" };

  const done = await replay({ ...named, state: "any" });

  expect(done).toMatchObject({ status: 200, body: { data: { replayed: 2, next_from: null } } });
  const { body } = await read(ctx, "?state=waiting");
  expect(body.data).toHaveLength(2);
  await server.handle();
  expect((await read(ctx, ofAda)).body.data).toHaveLength(2);
  expect((await replay({ ...named, state: "any", connection_id: "x" })).status).toBe(400);
  expect((await replay({ ...named })).body.error.message).toContain("needs the state any");
  expect((await replay({ state: "any" })).body.error.message).toContain("together with");
});

test("the inbox of a connection is read without those of others", async () => {
  const { ctx, integration } = await start();
  const { rows } = await sql<{ uuid: string }>`
    select uuid from connections where environment_id = ${ctx.environment.id} order by connection_id`.execute(
    ctx.db,
  );
  await sql`
    with added as (
      insert into inbound_webhooks
        (id, environment_id, integration_id, request, body_bytes, is_verified, types, completes, state, received_at)
      select gen_random_uuid(), ${ctx.environment.id}, ${integration.id}, ''::bytea, 0, true, '[]', false,
             'handled', ${ctx.clock.now()}::timestamptz + make_interval(secs => n)
        from generate_series(1, 5000) n
      returning id, received_at)
    insert into inbound_webhook_connections (environment_id, webhook_id, connection_uuid, received_at)
    select ${ctx.environment.id}, id, ${rows[1]?.uuid}::uuid, received_at from added`.execute(
    ctx.db,
  );
  await push(ctx, "ada", "m");
  await server.handle();
  const query = { integrationKey: "google-mail", connectionId: "ada", limit: 100 };
  const all = { state: undefined, from: undefined, to: undefined, cursor: undefined };

  const reads = await countReads(ctx, "inbound_webhook%", async (ctx) => {
    expect((await listInbox(ctx, { ...query, ...all })).webhooks).toHaveLength(1);
  });

  expect(reads).toBeLessThan(50);
});

test.each([
  ["?connection_id=ada", "invalid_query_params"],
  ["?provider_config_key=google-mail&connection_id=%3Cb%3E", "invalid_query_params"],
  ["?provider_config_key=google-mail&connection_id=nobody", "unknown_connection"],
  ["?provider_config_key=nothing&connection_id=ada", "unknown_provider_config"],
])("400 for the inbox with %s", async (query, code) => {
  const { ctx } = await start();

  const { status, body } = await read(ctx, query);

  expect([status, body.error.code]).toEqual([400, code]);
});

test("another environment sees nothing of the connection", async () => {
  const { ctx } = await start();
  const other = await start();
  await push(ctx, "ada", "m");
  await server.handle();

  expect((await read(other.ctx, ofAda)).body.data).toEqual([]);
});
