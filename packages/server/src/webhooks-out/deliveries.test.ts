import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentHandlers } from "#environments";
import {
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  newRandomId,
  SECOND,
} from "#foundation";
import { deleteOldDeliveries, sendWebhook } from "./index.ts";
import { webhookDeliveryHandlers as handlers } from "./routes.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { ok, type Received, receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };
type Query = Parameters<typeof handlers.listWebhookDeliveries>[1]["query"];

async function list(ctx: EnvironmentContext, query: Query = {}) {
  return await handlers.listWebhookDeliveries(ctx, { ...nothing, query });
}

async function get(ctx: EnvironmentContext, id: string) {
  return (await handlers.getWebhookDelivery(ctx, { ...nothing, params: { id } })).data;
}

function signedHeadersOf(request: Received | undefined) {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  return Object.fromEntries(names.map((name) => [name, request?.headers[name]]));
}

async function send(
  ctx: EnvironmentContext,
  connectionId = "acme",
  type: "auth" | "sync" = "auth",
) {
  const body = { from: "svc", type, connectionId, providerConfigKey: "crm" };
  await sendWebhook(ctx, { type, body });
}

test("the log has each attempt with its status, time and the first KB of the answer, sealed", async () => {
  const receiver = await receive((count, response) => {
    response.writeHead(count === 1 ? 500 : 200).end(`answer ${count} ${"y".repeat(2000)}`);
  });
  const ctx = await outbox.environment({ primary: `${receiver.url}/hook?a=b` });
  const loop = outbox.startSending();
  const startedAt = outbox.app.clock.now().toISOString();
  await send(ctx);
  await expect.poll(async () => (await outbox.stored(ctx))[0]?.attempts).toBe(1);
  outbox.app.clock.advance(5 * SECOND);
  const laterAt = outbox.app.clock.now().toISOString();
  loop.wake();
  await expect.poll(async () => (await outbox.stored(ctx))[0]?.state).toBe("delivered");

  const { data } = await list(ctx);
  const whole = await get(ctx, data[0]?.id ?? "");
  const answered = await list(ctx, { status: "2xx" });
  const refused = await list(ctx, { status: "5xx" });

  expect([answered.data.length, refused.data.length]).toEqual([1, 0]);
  expect(data).toEqual([
    {
      id: expect.any(String),
      webhook_id: `msg_${data[0]?.id}`,
      type: "auth",
      url: `${receiver.url}/hook?a=b`,
      state: "delivered",
      connection_id: "acme",
      provider_config_key: "crm",
      operation_id: null,
      attempt_count: 2,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
      created_at: startedAt,
      ended_at: laterAt,
    },
  ]);
  expect(whole.body).toBe(receiver.received[0]?.body);
  expect(whole.attempts).toEqual([
    {
      status: 500,
      error: null,
      answer: `answer 1 ${"y".repeat(1024 - 9)}`,
      duration_ms: expect.any(Number),
      created_at: startedAt,
      headers: signedHeadersOf(receiver.received[0]),
    },
    expect.objectContaining({
      ...{ status: 200, created_at: laterAt, headers: signedHeadersOf(receiver.received[1]) },
    }),
  ]);
  const { rows } = await outbox.app.database.pool.query("select answer from webhook_attempts");
  expect(rows.some(({ answer }: { answer: Buffer }) => answer?.includes("answer"))).toBe(false);
});

test("filters narrow, pages follow each other, and environments see their own alone", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/a" });
  const other = await outbox.environment({ primary: "http://127.0.0.1:1/a" });
  const from = outbox.app.clock.now();
  await send(ctx, "one");
  outbox.app.clock.advance(SECOND);
  const middle = outbox.app.clock.now();
  await send(ctx, "two", "sync");
  await send(ctx, "two");
  await sendWebhook(ctx, {
    type: "auth",
    body: { from: "svc" },
    overrideUrl: "http://127.0.0.1:1/own",
  });

  const count = async (query: Query) => (await list(ctx, query)).data.length;
  const first = await list(ctx, { limit: 3 });
  const second = await list(ctx, { limit: 3, cursor: first.next_cursor ?? "" });

  expect(await count({})).toBe(4);
  expect(await count({ type: "sync" })).toBe(1);
  expect(await count({ connection_id: "two" })).toBe(2);
  expect(await count({ url: "http://127.0.0.1:1/own" })).toBe(1);
  expect(await count({ since: middle.toISOString() })).toBe(3);
  expect(await count({ since: from.toISOString(), until: middle.toISOString() })).toBe(1);
  expect(await count({ state: "waiting" })).toBe(4);
  expect(await count({ state: "failed" })).toBe(0);
  expect(await count({ provider_config_key: "crm" })).toBe(3);
  expect(await count({ provider_config_key: "other" })).toBe(0);
  expect(await count({ status: "none" })).toBe(4);
  expect(await count({ status: "2xx" })).toBe(0);
  expect([first.data.length, second.data.length, second.next_cursor]).toEqual([3, 1, null]);
  expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(4);
  expect((await list(other)).data).toEqual([]);
  const [one] = first.data;
  await expect(get(other, one?.id ?? "")).rejects.toMatchObject({ code: "not_found" });
  const params = { id: one?.id ?? "" };
  await expect(handlers.replayWebhookDelivery(other, { ...nothing, params })).rejects.toMatchObject(
    { code: "not_found" },
  );
  await expect(list(ctx, { cursor: "x" })).rejects.toMatchObject({ code: "invalid_cursor" });
});

test("one is replayed under its id and with its bytes, also after it was delivered", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  await send(ctx);
  await expect.poll(async () => (await outbox.stored(ctx))[0]?.state).toBe("delivered");
  const [row] = await outbox.stored(ctx);

  const params = { id: row?.id ?? "" };
  const { data } = await handlers.replayWebhookDelivery(ctx, { ...nothing, params });

  expect(data).toMatchObject({ state: "waiting", attempt_count: 0, ended_at: null });
  await expect.poll(() => receiver.received.length).toBe(2);
  const [first, second] = receiver.received;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
  await expect.poll(async () => (await get(ctx, params.id)).attempts.length).toBe(2);
});

test("what failed since a time is replayed, in its order, and nothing else", async () => {
  let isMended = false;
  const receiver = await receive((_count, response) => {
    response.writeHead(isMended ? 200 : 410).end();
  });
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  await send(ctx, "early");
  outbox.app.clock.advance(SECOND);
  const since = outbox.app.clock.now().toISOString();
  for (const name of ["a", "b", "c"]) {
    await send(ctx, name);
    outbox.app.clock.advance(SECOND);
  }
  const states = async () => (await outbox.stored(ctx)).map(({ state }) => state).toSorted();
  await expect.poll(states).toEqual(["failed", "failed", "failed", "failed"]);
  isMended = true;

  const { data } = await handlers.replayWebhookDeliveries(ctx, { ...nothing, body: { since } });

  expect(data).toMatchObject({ state: "done", replayed: 3 });
  await expect.poll(states).toEqual(["delivered", "delivered", "delivered", "failed"]);
  const again = await handlers.replayWebhookDeliveries(ctx, { ...nothing, body: { since } });
  expect(again.data).toMatchObject({ replayed: 0 });
  const body = { since, state: "any", connection_id: "b" } as const;
  const named = await handlers.replayWebhookDeliveries(ctx, { ...nothing, body });
  expect(named.data).toMatchObject({ replayed: 1 });
  await expect.poll(() => receiver.received.length).toBe(4 + 3 + 1);
});

test("deliveries go after the environment's days, with their attempts", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  const short = await outbox.environment({ primary: receiver.url });
  await environmentHandlers.updateEnvironmentSettings(short, {
    ...nothing,
    body: { retention: { webhooks_days: 7 } },
  });
  outbox.startSending();
  for (const each of [ctx, short]) await send(each);
  for (const each of [ctx, short]) {
    await expect.poll(async () => (await outbox.stored(each))[0]?.state).toBe("delivered");
  }
  const count = async () =>
    await Promise.all([ctx, short].map(async (each) => (await outbox.stored(each)).length));

  outbox.app.clock.advance(8 * DAY);
  await deleteOldDeliveries(outbox.app.ctx);
  const afterEight = await count();
  outbox.app.clock.advance(23 * DAY);
  await deleteOldDeliveries(outbox.app.ctx);

  expect(afterEight).toEqual([1, 0]);
  expect(await count()).toEqual([0, 0]);
  const { rows } = await outbox.app.database.pool.query(
    "select from webhook_attempts a left join webhook_deliveries d on d.id = a.delivery_id where d.id is null",
  );
  expect(rows).toEqual([]);
});

test("webhooks about a connection are numbered in the order of the commits; forwards are not", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  const connections = [0, 1].map(() => newRandomId<ConnectionUuid>());
  const body = { from: "svc", type: "sync" };

  await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const connection = connections[n % 2];
      await sendWebhook(ctx, { type: "sync", body: { ...body, connection }, connection });
    }),
  );
  await sendWebhook(ctx, {
    type: "forward",
    body: { from: "github", type: "forward", payload: {} },
    connection: connections[0],
  });
  await sendWebhook(ctx, { type: "auth", body: { from: "svc", type: "auth" } });

  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(102);
  const bodies = receiver.received.map((each) => JSON.parse(each.body));
  for (const connection of connections) {
    const numbers = bodies.filter((each) => each.connection === connection);
    expect(numbers.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
  }
  const others = bodies
    .filter(({ type }) => type !== "sync")
    .toSorted((a) => (a.from === "svc" ? -1 : 1));
  expect(others).toEqual([
    { from: "svc", type: "auth" },
    { from: "github", type: "forward", payload: {} },
  ]);
});

test("forwards can be turned off, also to a connection's own address", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
  const forward = { type: "forward", body: { from: "github", type: "forward" } } as const;
  await environmentHandlers.updateWebhookSettings(ctx, { ...nothing, body: { forward: false } });

  await sendWebhook(ctx, forward);
  await sendWebhook(ctx, { ...forward, overrideUrl: "http://127.0.0.1:1/own" });
  const off = await outbox.stored(ctx);
  await environmentHandlers.updateWebhookSettings(ctx, { ...nothing, body: { forward: true } });
  await sendWebhook(ctx, forward);

  expect(off).toEqual([]);
  expect(await outbox.stored(ctx)).toHaveLength(1);
});

test("signing keys are shown to keys that may read settings, not to those that may only change them", async () => {
  const ctx = await outbox.environment();
  const scopes = (...held: string[]): EnvironmentContext => ({
    ...ctx,
    actor: { kind: "key", keyId: randomUUID(), accountId: ctx.environment.accountId, scopes: held },
  });
  const change = { ...nothing, body: { on_sync_error: false } };

  const { data } = await environmentHandlers.getWebhookSettings(ctx);
  const writer = await environmentHandlers.updateWebhookSettings(
    scopes("environment:webhooks:write"),
    change,
  );
  const both = await environmentHandlers.updateWebhookSettings(
    scopes("environment:webhooks:*", "environment:secrets:reveal"),
    change,
  );

  expect(data.signing_key).toMatch(/^whsec_/);
  expect(data.signing_keys.map(({ key }) => key)).toEqual([data.signing_key]);
  expect(writer.data).not.toHaveProperty("signing_key");
  expect(writer.data).not.toHaveProperty("signing_keys");
  expect(both.data).toMatchObject({ signing_key: data.signing_key, on_sync_error: false });
});
