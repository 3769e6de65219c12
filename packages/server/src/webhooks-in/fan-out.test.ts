import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createInboxWork } from "./index.ts";
import { listDue } from "./store.ts";
import {
  type InboxServer,
  listForwards,
  listWebhookRuns,
  startInboxServer,
  subscribe,
} from "./testing/index.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const CONNECTIONS = 600;
const headers = { "content-type": "application/json" };
const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;

async function insertConnections(ctx: EnvironmentContext, integration: { id: number }) {
  await sql`
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
    select gen_random_uuid(), ${ctx.environment.id}, ${integration.id}, 'customer-' || n, 'NONE', '', now(), now()
      from generate_series(1, ${CONNECTIONS}::int) n`.execute(ctx.db);
}

async function sizeOf(ctx: EnvironmentContext, table: string, column: string) {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::int, sum(octet_length(${sql.ref(column)}))::int as bytes from ${sql.table(table)}
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  return rows[0];
}

test("an event of all connections is kept once, however many they are", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "affinity");
  await insertConnections(ctx, integration);
  await subscribe(ctx, integration, ["*"]);
  const payload = { type: "person.created", text: "x".repeat(20_000) };

  for (const n of [1, 2]) {
    const body = JSON.stringify({ ...payload, n });
    const answer = await server.send(server.pathOf(integration), { headers, body });
    expect(answer.status).toBe(200);
  }
  await server.handle();

  expect(await sizeOf(ctx, "webhook_payloads", "body")).toMatchObject({ count: 2 });
  expect(await sizeOf(ctx, "webhook_inputs", "input")).toMatchObject({ count: 2 });
  const own = await sizeOf(ctx, "webhook_deliveries", "body");
  expect(own?.count).toBe(2 * CONNECTIONS);
  expect(own?.bytes).toBeLessThan(200 * 2 * CONNECTIONS);
  const forwards = await listForwards(ctx);
  const reported = forwards.filter(({ body }) => Object(body["payload"])["n"] === 2);
  expect(new Set(reported.map(({ body }) => body["connectionId"])).size).toBe(CONNECTIONS);
  expect(reported[0]).toEqual({
    body: {
      from: "affinity",
      type: "forward",
      providerConfigKey: "affinity",
      connectionId: expect.stringMatching(/^customer-/),
      payload: { ...payload, n: 2 },
    },
    headers: { "x-svc-webhook-id": expect.any(String), "x-svc-webhook-verified": "none" },
  });
  const runs = await listWebhookRuns(ctx);
  expect(runs).toHaveLength(2 * CONNECTIONS);
  expect(runs.at(-1)?.input).toEqual({ ...payload, n: 2 });
});

test("an event of many connections leaves the memory for locks to others", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "affinity");
  await insertConnections(ctx, integration);
  await subscribe(ctx, integration, ["*"]);
  const sent = { headers, body: JSON.stringify({ type: "person.created" }) };
  await server.send(server.pathOf(integration), sent);
  const locks: number[] = [];
  const failpoints = {
    ...server.app.ctx.failpoints,
    hit: async (name: string) => {
      if (name !== "inbox.handled") return;
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_locks where locktype = 'advisory'`.execute(ctx.db);
      locks.push(rows[0]?.count ?? 0);
    },
  };

  const work = createInboxWork();
  await work.claim({ ...server.app.ctx, failpoints }, () => {});
  await work.drain?.();

  expect(await listWebhookRuns(ctx)).toHaveLength(CONNECTIONS);
  expect(locks).toHaveLength(1);
  expect(locks[0]).toBeLessThan(150);
});

test("large webhooks are not read all at once", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "affinity");
  const body = JSON.stringify({ type: "a", text: "x".repeat(1000) });
  for (let n = 0; n < 5; n += 1) await server.send(server.pathOf(integration), { headers, body });
  const queue = { environmentId: ctx.environment.id, integrationId: integration.id };
  const count = async (maxBytes: number, limit = 100) =>
    (await listDue(ctx.db, queue, { now: ctx.clock.now(), limit, maxBytes })).length;

  expect([await count(1), await count(body.length), await count(body.length + 1)]).toEqual([
    1, 1, 2,
  ]);
  expect([await count(10 * body.length), await count(10 * body.length, 3)]).toEqual([5, 3]);
  await server.handle();
  expect(await count(1)).toBe(0);
});

test("a long queue of some integrations does not delay the others", async () => {
  const ctx = await server.environment();
  const work = createInboxWork();
  const paths: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    paths.push(server.pathOf(await server.integration(ctx, "affinity", { uniqueKey: `i${n}` })));
  }
  // Those that came first have more than one batch takes.
  for (const path of paths.slice(0, 8)) {
    await Promise.all(
      Array.from({ length: 101 }, () => server.send(path, { headers, body: '{"type":"many"}' })),
    );
  }
  for (const path of paths.slice(8)) {
    await server.send(path, { headers, body: '{"type":"one"}' });
  }
  const waiting = async () => {
    const { rows } = await sql<{ type: string; count: number }>`
      select types ->> 0 as type, count(*)::int from inbound_webhooks
       where environment_id = ${ctx.environment.id} and state = 'waiting' group by 1`.execute(
      ctx.db,
    );
    return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
  };

  const after = async () => {
    await work.claim(server.app.ctx, () => {});
    await work.drain?.();
    return await waiting();
  };
  const rounds = [await after(), await after()];

  // An environment has six slots; the four that had none go first in the next round.
  expect(rounds).toEqual([{ many: 2 * 101 + 6, one: 2 }, { many: 6 }]);
});

test("a request with more events than any vendor sends is refused", async () => {
  const ctx = await server.environment();
  const path = server.pathOf(await server.integration(ctx, "quickbooks", { credentials: client }));
  const signed = server.pathOf(
    await server.integration(ctx, "quickbooks", {
      uniqueKey: "signed",
      credentials: { ...client, webhook_secret: "s" },
    }),
  );
  const post = async (to: string, count: number) => {
    const body = JSON.stringify(Array(count).fill({ type: "a" }));
    const signature = createHmac("sha256", "s").update(body).digest("base64");
    const sent = to === signed ? { ...headers, "intuit-signature": signature } : headers;
    return await server.send(to, { headers: sent, body });
  };

  const answers = [
    await post(signed, 1000),
    await post(signed, 1001),
    await post(path, 100),
    await post(path, 101),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400]);
  expect(JSON.parse(answers[1]?.body ?? "").error.message).toContain("more than 1000 events");
  expect(JSON.parse(answers[3]?.body ?? "").error.message).toContain("nothing proves its sender");
});

test("what would be passed on to too many fails with the reason, and nothing of it is passed on", async () => {
  const ctx = await server.environment();
  const credentials = { ...client, webhook_secret: "s" };
  const integration = await server.integration(ctx, "quickbooks", { credentials });
  await insertConnections(ctx, integration);
  await sql`
    update connections set connection_config = '{"realmId":"1"}'
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  const body = JSON.stringify(Array(400).fill({ type: "a", intuitaccountid: "1" }));
  const signature = createHmac("sha256", "s").update(body).digest("base64");
  const signed = { ...headers, "intuit-signature": signature };
  await server.send(server.pathOf(integration), { headers: signed, body });

  await server.handle();

  const { rows } = await sql`
    select state, error from inbound_webhooks where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  expect(rows).toEqual([
    { state: "waiting", error: expect.stringContaining("400 events for so many connections") },
  ]);
  expect(await sizeOf(ctx, "webhook_deliveries", "body")).toMatchObject({ count: 0 });
});
