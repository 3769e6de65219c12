import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendWebhook } from "../index.ts";
import { webhookDeliveryHandlers } from "../routes.ts";
import { type OutboxUnderTest, startOutbox } from "../testing/outbox.ts";
import { ok, receive } from "../testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };
const webhook = { type: "sync", body: { type: "sync", from: "svc" } } as const;

test("receivers are listed with what became of the latest webhooks, page by page", async () => {
  const good = await receive(ok);
  const bad = await receive((_count, response) => response.writeHead(500).end("no room"));
  const ctx = await outbox.environment({ primary: good.url, secondary: bad.url });
  const other = await outbox.environment({ primary: good.url });
  outbox.startSending();
  for (let round = 0; round < 3; round += 1) await sendWebhook(ctx, webhook);
  await sendWebhook(other, webhook);
  const list = async (query: { limit?: number; cursor?: string }) =>
    await webhookDeliveryHandlers.listWebhookReceivers(ctx, { ...nothing, query });
  // The first attempt at the bad one may still be under way.
  await expect
    .poll(async () => (await list({})).data)
    .toMatchObject([
      { recent: { last_status: expect.any(Number) } },
      { recent: { last_status: expect.any(Number) } },
    ]);
  await expect
    .poll(async () => (await outbox.stored(ctx)).filter(({ state }) => state === "delivered"))
    .toHaveLength(3);

  const whole = await list({});
  const first = await list({ limit: 1 });
  const second = await list({ limit: 1, cursor: String(first.next_cursor) });

  const { rows } = await outbox.app.database.pool.query<{ at: Date }>(
    "select min(created_at) as at from webhook_deliveries where environment_id = $1 and url = $2",
    [ctx.environment.id, bad.url],
  );
  const firstQueued = rows[0]?.at;
  const byUrl = new Map(whole.data.map((each) => [each.url, each]));
  expect(byUrl.size).toBe(2);
  expect(byUrl.get(good.url)).toMatchObject({
    state: "ok",
    failing_since: null,
    held: 0,
    waiting_since: null,
    next_attempt_at: null,
    last_failure: null,
    recent: { sent: 3, delivered: 3, last_status: 200, duration_p95_ms: expect.any(Number) },
  });
  expect(byUrl.get(bad.url)).toMatchObject({
    state: "failing",
    failing_since: expect.any(String),
    disabled_at: null,
    held: 3,
    waiting_since: firstQueued?.toISOString(),
    next_attempt_at: expect.any(String),
    last_failure: { status: 500, error: null, answer: "no room", delivery_id: expect.any(String) },
    recent: { sent: 3, delivered: 0 },
  });
  // An attempt at the bad one may end between two calls.
  const still = (page: typeof whole) =>
    page.data.map(({ recent, next_attempt_at: _next, last_failure: _failure, ...rest }) => ({
      ...rest,
      ...recent,
      duration_p95_ms: null,
    }));
  expect([...still(first), ...still(second)]).toEqual(still(whole));
  expect(second.next_cursor).toBeNull();
});

test("a test event is signed, sent once, and its answer shown; nothing is stored", async () => {
  const receiver = await receive((_count, response) => response.writeHead(202).end("thanks"));
  const refusing = await receive((_count, response) => response.writeHead(410).end("no"));
  const ctx = await outbox.environment({ primary: receiver.url, secondary: refusing.url });
  const send = async (url?: string) =>
    (await webhookDeliveryHandlers.testWebhookReceiver(ctx, { ...nothing, body: { url } })).data;

  const first = await send();
  const refused = await send(refusing.url);

  expect(first).toMatchObject({
    url: receiver.url,
    delivered: true,
    status: 202,
    answer: "thanks",
  });
  expect(refused).toMatchObject({ delivered: false, status: 410, error: null });
  const [got] = receiver.received;
  const event = new Webhook(await outbox.keyOf(ctx)).verify(
    got?.body ?? "",
    Object.fromEntries(
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
        name,
        String(got?.headers[name]),
      ]),
    ),
  );
  expect(event).toMatchObject({ from: "svc", type: "test" });
  expect(receiver.received).toHaveLength(1);
  expect(await outbox.stored(ctx)).toEqual([]);
  await expect(send("https://stranger.example/hooks")).rejects.toMatchObject({ code: "not_found" });
});

test("without an address there is nothing to test; one that is closed says so", async () => {
  const none = await outbox.environment();
  const closed = await outbox.environment({ primary: "http://127.0.0.1:9/" });
  const test = webhookDeliveryHandlers.testWebhookReceiver;

  await expect(test(none, { ...nothing, body: {} })).rejects.toMatchObject({ code: "not_found" });
  expect((await test(closed, { ...nothing, body: {} })).data).toMatchObject({
    delivered: false,
    status: null,
    error: expect.stringContaining("127.0.0.1"),
  });
});
