import { afterAll, beforeAll, expect, test } from "vitest";
import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  newRandomId,
  SECOND,
} from "#foundation";
import { deleteOldDeliveries, sendToEach, sendWebhook } from "./index.ts";
import { webhookDeliveryHandlers as handlers } from "./routes.ts";
import { signWebhook } from "./sending/sign-webhook.ts";
import { claimDeliveries } from "./sending/store.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { ok, receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };
const event = {
  type: "forward",
  body: {
    from: "crm",
    type: "forward",
    providerConfigKey: "crm",
    payload: { b: 1, a: 2, 10: "ü" },
    raw: "eA==",
  },
  headers: { "X-Vendor": "v" },
} as const;

function targetOf(connectionId: string, overrideUrl: string | null = null) {
  return { connection: newRandomId<ConnectionUuid>(), connectionId, overrideUrl };
}

async function countPayloads(ctx: EnvironmentContext): Promise<number> {
  const { rows } = await outbox.app.database.pool.query(
    "select count(*)::int from webhook_payloads where environment_id = $1",
    [ctx.environment.id],
  );
  return rows[0].count;
}

test("a webhook to several addresses has the bytes, headers and signature that each would have had alone", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: `${receiver.url}/all` });
  outbox.startSending();

  await sendWebhook(ctx, { ...event, body: { ...event.body, connectionId: "a" } });
  await sendToEach(ctx, event, [
    targetOf("a"),
    targetOf('"odd" \u2028 name'),
    targetOf("own", `${receiver.url}/own`),
  ]);

  await expect.poll(() => receiver.received.length).toBe(4);
  const key = await outbox.keyOf(ctx);
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  for (const { body, headers } of receiver.received) {
    expect(headers["x-vendor"]).toBe("v");
    const content = {
      id: String(headers["webhook-id"]),
      sentAt: new Date(Number(headers["webhook-timestamp"]) * 1000),
      body: Buffer.from(body),
    };
    expect(headers).toMatchObject(await signWebhook(content, [key]));
  }
  const [alone, shared] = receiver.received.filter(({ body }) => body.includes('"a",'));
  expect(shared?.body).toBe(alone?.body);
  expect(bodies.map(({ connectionId }) => connectionId).toSorted()).toEqual(
    ['"odd" \u2028 name', "a", "a", "own"].toSorted(),
  );
  const own = receiver.received.filter(({ path }) => path === "/own");
  expect(own.map(({ body }) => JSON.parse(body).connectionId)).toEqual(["own"]);
  expect(await countPayloads(ctx)).toBe(1);
});

test("the log shows the whole, a replay sends it again, and it goes with the last delivery", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  await sendToEach(ctx, event, [targetOf("a"), targetOf("b")]);
  await expect.poll(() => receiver.received.length).toBe(2);
  const states = async () => (await outbox.stored(ctx)).map(({ state }) => state);
  await expect.poll(states).toEqual(["delivered", "delivered"]);

  const { data } = await handlers.listWebhookDeliveries(ctx, { ...nothing, query: {} });
  const params = { id: data[0]?.id ?? "" };
  const whole = await handlers.getWebhookDelivery(ctx, { ...nothing, params });
  await handlers.replayWebhookDelivery(ctx, { ...nothing, params });
  await expect.poll(() => receiver.received.length).toBe(3);
  await expect.poll(states).toEqual(["delivered", "delivered"]);

  expect(data.map((each) => each.connection_id).toSorted()).toEqual(["a", "b"]);
  expect(data[0]?.provider_config_key).toBe("crm");
  expect(receiver.received[2]?.body).toBe(whole.data.body);
  expect(JSON.parse(whole.data.body)).toEqual({
    ...event.body,
    connectionId: data[0]?.connection_id,
  });
  expect(await countPayloads(ctx)).toBe(1);
  outbox.app.clock.advance(31 * DAY);
  await deleteOldDeliveries(outbox.app.ctx);
  expect(await countPayloads(ctx)).toBe(0);
});

test("nothing is stored where nothing is wanted, nor a payload for one connection alone", async () => {
  const silent = await outbox.environment();
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });

  await sendToEach(silent, event, [targetOf("a"), targetOf("b")]);
  await sendToEach(ctx, event, [targetOf("a")]);
  await sendToEach(ctx, event, []);

  expect(await outbox.stored(silent)).toEqual([]);
  expect(await outbox.stored(ctx)).toHaveLength(1);
  expect([await countPayloads(silent), await countPayloads(ctx)]).toEqual([0, 0]);
});

test("so many bytes are taken along as a sender can hold, at least of one delivery", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
  const large = { ...event, body: { ...event.body, payload: "x".repeat(100_000) } };
  for (const name of ["a", "b"]) {
    await sendWebhook(ctx, { ...large, body: { ...large.body, connectionId: name } });
    outbox.app.clock.advance(SECOND);
  }
  await sendToEach(ctx, large, [targetOf("c"), targetOf("d")]);
  const claim = async (maxBytes: number) => {
    const rooms = { standard: 8, byReceiver: {} };
    const now = outbox.app.clock.now();
    const shares = { held: {}, ceiling: { count: 100, bytes: 1_000_000 } };
    const open = { since: addMs(now, -DAY), until: addMs(now, DAY) };
    const query = { now, open, limit: 100, maxBytes, leaseMs: 60_000, rooms, shares };
    const claimed = await claimDeliveries(ctx.db, query);
    return claimed.filter(({ environmentId }) => environmentId === ctx.environment.id).length;
  };
  await outbox.app.database.pool.query(
    "update webhook_deliveries set state = 'failed' where environment_id <> $1 and state = 'waiting'",
    [ctx.environment.id],
  );

  expect([await claim(1), await claim(150_000), await claim(1_000_000)]).toEqual([1, 2, 1]);
});
