import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentHandlers } from "#environments";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  SECOND,
  type SystemContext,
} from "#foundation";
import { sendWebhook } from "./index.ts";
import { webhookDeliveryHandlers } from "./routes.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const webhook = { type: "sync", body: { type: "sync", from: "svc" } } as const;
const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };

async function failing(ctx: EnvironmentContext) {
  const { data } = await environmentHandlers.getWebhookSettings(ctx);
  return data.failing_receivers;
}

/** Moves the clock to the next attempt, and waits for it to be made. */
async function passAttempt(ctx: EnvironmentContext, loop: { wake(): void }): Promise<void> {
  const [row] = (await outbox.stored(ctx)).filter(({ state }) => state === "waiting");
  const next = row?.nextAttemptAt;
  if (!row || !next) throw new Error("nothing waits");
  const wait = next.getTime() - outbox.app.clock.now().getTime();
  if (wait > 0) outbox.app.clock.advance(wait);
  loop.wake();
  const isTried = async () =>
    (await outbox.stored(ctx)).find(({ id }) => id === row.id)?.attempts !== row.attempts;
  await expect.poll(isTried).toBe(true);
}

/**
 * What an attempt says of its receiver is stored after the attempt itself, and by the clock of that moment. One batch of
 * outcomes is stored after the other, so that it is there once a later attempt is.
 */
async function untilReceiversAreNoted(): Promise<void> {
  const receiver = await receive((_count, response) => response.writeHead(204).end());
  const ctx = await outbox.environment({ primary: receiver.url });
  await sendWebhook(ctx, webhook);
  await expect.poll(async () => (await outbox.stored(ctx))[0]?.state).toBe("delivered");
}

test("what fails on our side is tried again and says nothing of the receiver", async () => {
  const receiver = await receive((_count, response) => response.end());
  const ctx = await outbox.environment({ primary: receiver.url });
  await sendWebhook(ctx, webhook);
  await sql`
    update webhook_deliveries set body = ${Buffer.from("no sealed body")}
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  outbox.startSending();

  await expect.poll(async () => (await outbox.stored(ctx))[0]?.attempts).toBe(1);

  expect(await outbox.stored(ctx)).toMatchObject([
    { state: "waiting", lastError: "Something failed on our side." },
  ]);
  expect(receiver.received).toEqual([]);
  expect(await failing(ctx)).toEqual([]);
});

test.each([
  ["120", 2 * MINUTE],
  ["2", 5 * SECOND],
  ["999999", 10 * HOUR],
  ["soon", 5 * SECOND],
])("a receiver that asks to be left alone for %s is, within bounds", async (retryAfter, wait) => {
  const receiver = await receive((_count, response) => {
    response.writeHead(503, { "retry-after": retryAfter }).end();
  });
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  await sendWebhook(ctx, webhook);

  await expect.poll(async () => (await outbox.stored(ctx))[0]?.attempts).toBe(1);

  const expected = addMs(outbox.app.clock.now(), wait);
  expect((await outbox.stored(ctx))[0]?.nextAttemptAt).toEqual(expected);
});

test("a date asks, too", async () => {
  const until = addMs(outbox.app.clock.now(), HOUR);
  const receiver = await receive((_count, response) => {
    response.writeHead(429, { "retry-after": until.toUTCString() }).end();
  });
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  await sendWebhook(ctx, webhook);

  await expect.poll(async () => (await outbox.stored(ctx))[0]?.attempts).toBe(1);

  const next = (await outbox.stored(ctx))[0]?.nextAttemptAt?.getTime() ?? 0;
  expect(Math.abs(next - until.getTime())).toBeLessThan(SECOND);
});

test("a receiver that fails for five days is disabled, reported, and gets what was held once enabled", async () => {
  let isMended = false;
  const receiver = await receive((_count, response) => {
    response.writeHead(isMended ? 204 : 500).end();
  });
  const ctx = await outbox.environment({ primary: receiver.url });
  const loop = outbox.startSending();
  const since = outbox.app.clock.now();

  await sendWebhook(ctx, webhook);
  while ((await outbox.stored(ctx))[0]?.state === "waiting") await passAttempt(ctx, loop);
  await untilReceiversAreNoted();
  const early = await failing(ctx);
  outbox.app.clock.advance(4 * DAY);
  await sendWebhook(ctx, webhook);
  await expect
    .poll(async () => (await outbox.stored(ctx)).filter(({ attempts }) => attempts === 1).length)
    .toBe(1);
  // What became of an attempt is stored before what it says of its receiver.
  await expect
    .poll(async () => await failing(ctx))
    .toMatchObject([{ disabled_at: expect.any(String) }]);
  const disabled = await failing(ctx);
  await sendWebhook(ctx, webhook);
  outbox.app.clock.advance(DAY);
  loop.wake();
  const held = await webhookDeliveryHandlers.listWebhookDeliveries(ctx, {
    ...nothing,
    query: { state: "held" },
  });
  const sentBefore = receiver.received.length;
  isMended = true;
  const body = { url: receiver.url };
  await webhookDeliveryHandlers.enableWebhookReceiver(ctx, { ...nothing, body });

  const states = async () => (await outbox.stored(ctx)).map(({ state }) => state).toSorted();
  await expect.poll(states).toEqual(["delivered", "delivered", "failed"]);
  expect(early).toMatchObject([{ url: receiver.url, disabled_at: null }]);
  expect(disabled).toMatchObject([
    {
      url: receiver.url,
      failing_since: since.toISOString(),
      disabled_at: expect.any(String),
      message: expect.stringContaining("POST /webhooks/receivers/enable"),
    },
  ]);
  expect(held.data).toHaveLength(2);
  expect(sentBefore).toBe(9);
  expect(await failing(ctx)).toEqual([]);
});

test("the operator's log and the environment's tell of a disabled receiver", async () => {
  const receiver = await receive((_count, response) => response.writeHead(500).end());
  const ctx = await outbox.environment({ primary: `${receiver.url}/hook?token=canary` });
  await sendWebhook(ctx, webhook);
  const { db } = outbox.app.database;
  const longAgo = addMs(outbox.app.clock.now(), -5 * DAY);
  await sql`
    update webhook_receivers set failing_since = ${longAgo}
     where environment_id = ${ctx.environment.id}`.execute(db);
  const lines: object[] = [];
  const log: SystemContext["log"] = {
    ...outbox.app.ctx.log,
    warn: (event, fields) => void lines.push({ event, ...fields }),
  };
  outbox.startSending({ log });

  await expect.poll(() => lines).toHaveLength(1);

  expect(lines).toMatchObject([{ event: "webhooks.receiver_disabled", origin: receiver.url }]);
  expect(JSON.stringify(lines)).not.toContain("canary");
  const reported = async () => {
    const result = await sql<{ message: string }>`
      select message from operations where environment_id = ${ctx.environment.id}`.execute(db);
    return result.rows.map(({ message }) => message);
  };
  await expect
    .poll(reported)
    .toEqual([expect.stringContaining(`Webhooks to ${receiver.url} are held`)]);
});

test("410 for days disables nothing, and one success ends the failing", async () => {
  let status = 410;
  const receiver = await receive((_count, response) => response.writeHead(status).end());
  const ctx = await outbox.environment({ primary: receiver.url });
  const loop = outbox.startSending();
  await sendWebhook(ctx, webhook);
  await expect.poll(async () => (await outbox.stored(ctx))[0]?.state).toBe("failed");
  const afterGone = await failing(ctx);

  status = 500;
  await sendWebhook(ctx, webhook);
  await expect.poll(async () => await failing(ctx)).toHaveLength(1);
  status = 200;
  outbox.app.clock.advance(5 * SECOND);
  loop.wake();

  await expect.poll(async () => await failing(ctx)).toEqual([]);
  expect(afterGone).toEqual([]);
});

test("an address that nothing was sent to cannot be enabled", async () => {
  const ctx = await outbox.environment();
  const other = await outbox.environment({ primary: "https://hooks.example/a" });
  await sendWebhook(other, webhook);
  const body = { url: "https://hooks.example/a" };

  const enabling = webhookDeliveryHandlers.enableWebhookReceiver(ctx, { ...nothing, body });

  await expect(enabling).rejects.toMatchObject({ code: "not_found" });
});
