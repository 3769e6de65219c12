import { createHash, createHmac, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, type EnvironmentId, HOUR, MINUTE, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import { isPreparedRun, type TestContext } from "#foundation/testing";
import { newOperationId } from "#logs";
import { seal } from "#vault";
import { sendWebhook } from "./index.ts";
import { type DeliveryOutcome, storeOutcomes } from "./sending/store.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { ok, type Received, receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
let app: TestContext;
let environment: OutboxUnderTest["environment"];
let startSending: OutboxUnderTest["startSending"];
let stored: OutboxUnderTest["stored"];
let keyOf: OutboxUnderTest["keyOf"];
beforeAll(async () => {
  outbox = await startOutbox();
  ({ app, environment, startSending, stored, keyOf } = outbox);
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

function verify(key: string, { body, headers }: Received): unknown {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Webhook(key).verify(body, Object.fromEntries(texts));
}

/** What the independent library would have sent, at any time of the clock. */
function expectedSignature(key: string, { body, headers }: Received): string {
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  return new Webhook(key).sign(String(headers["webhook-id"]), sentAt, body);
}

const webhook = {
  type: "sync",
  body: { type: "sync", from: "svc", added: { z: 1, a: [2] } },
} as const;

test("both addresses get the body, signed for an independent verifier", async () => {
  const receiver = await receive(ok);
  const primary = `${receiver.url}/one?token=t`;
  const ctx = await environment({ primary, secondary: `${receiver.url}/two` });
  startSending();

  await sendWebhook(ctx, webhook);

  await expect
    .poll(async () => (await stored(ctx)).map((row) => row.state))
    .toEqual(["delivered", "delivered"]);
  const key = await keyOf(ctx);
  const [first, second] = receiver.received.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error("not received");
  expect([first.path, second.path]).toEqual(["/one?token=t", "/two"]);
  expect(first.body).toBe('{"added":{"a":[2],"z":1},"from":"svc","type":"sync"}');
  expect(verify(key, first)).toEqual(webhook.body);
  expect(verify(key, second)).toEqual(webhook.body);
  expect(first.headers["webhook-id"]).not.toBe(second.headers["webhook-id"]);
  const rows = await stored(ctx);
  expect(rows.map(({ id }) => `msg_${id}`)).toContain(first.headers["webhook-id"]);
  expect(first.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^svc\//),
    "x-svc-hmac-sha256": createHmac("sha256", key).update(first.body).digest("hex"),
    "x-svc-signature": createHash("sha256")
      .update(key + first.body)
      .digest("hex"),
  });
  expect(rows[0]?.body.includes("svc")).toBe(false);
});

test("headers that are sent along are kept sealed: some vendors send the secret itself", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: receiver.url });
  const headers = { "X-Gitlab-Token": "a secret token", "webhook-id": "theirs" };

  await sendWebhook(ctx, { type: "forward", body: { from: "gitlab" }, headers });
  const { rows } = await sql<{ row: string }>`
    select d::text as row from webhook_deliveries d where environment_id = ${ctx.environment.id}
  `.execute(app.database.db);
  startSending();

  expect(rows).toHaveLength(1);
  expect(rows[0]?.row).not.toContain("secret token");
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(receiver.received[0]?.headers).toMatchObject({
    "x-gitlab-token": "a secret token",
    "webhook-id": expect.stringMatching(/^msg_/),
  });
});

test("nothing is sent of a transaction that is undone, or where no address is set", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: receiver.url });
  const silent = await environment();

  await sendWebhook(silent, webhook);
  const undone = withTransaction(ctx, async (inside) => {
    await sendWebhook(inside, webhook);
    throw new Error("undone");
  });

  await expect(undone).rejects.toThrow("undone");
  expect([await stored(ctx), await stored(silent)]).toEqual([[], []]);
});

test("a connection's own address replaces those of the environment", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: `${receiver.url}/environment` });
  startSending();

  await sendWebhook(ctx, { ...webhook, overrideUrl: `${receiver.url}/own` });

  await expect.poll(() => receiver.received.map(({ path }) => path)).toEqual(["/own"]);
});

test("a failed attempt is repeated after 5 s, under the same id and signed again", async () => {
  const receiver = await receive((count, response) => {
    response.writeHead(count === 1 ? 500 : 204).end();
  });
  const ctx = await environment({ primary: receiver.url });
  const loop = startSending();
  const sentAt = app.clock.now();

  await sendWebhook(ctx, webhook);
  await expect.poll(async () => (await stored(ctx))[0]?.attempts).toBe(1);
  const [waiting] = await stored(ctx);
  app.clock.advance(5 * SECOND);
  loop.wake();
  await expect.poll(async () => (await stored(ctx))[0]?.state).toBe("delivered");

  expect(waiting).toMatchObject({
    state: "waiting",
    lastStatus: 500,
    nextAttemptAt: addMs(sentAt, 5 * SECOND),
  });
  const [first, second] = receiver.received.map(({ headers }) => headers);
  expect(second?.["webhook-id"]).toBe(first?.["webhook-id"]);
  expect(Number(second?.["webhook-timestamp"])).toBe(Number(first?.["webhook-timestamp"]) + 5);
  const key = await keyOf(ctx);
  expect(receiver.received.map(({ headers }) => headers["webhook-signature"])).toEqual(
    receiver.received.map((sent) => expectedSignature(key, sent)),
  );
});

test("eight attempts are made on their schedule; redirects are not followed", async () => {
  const receiver = await receive((count, response) => {
    const status = [302, 500, 404, 503][count % 4] ?? 500;
    response.writeHead(status, { location: "/elsewhere" }).end();
  });
  const ctx = await environment({ primary: receiver.url });
  const loop = startSending();
  const waits: number[] = [];

  await sendWebhook(ctx, webhook);
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await expect.poll(async () => (await stored(ctx))[0]?.attempts).toBe(attempt);
    const next = (await stored(ctx))[0]?.nextAttemptAt;
    if (!next) break;
    const wait = next.getTime() - app.clock.now().getTime();
    waits.push(wait);
    app.clock.advance(wait);
    loop.wake();
  }

  expect(waits).toEqual([
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    10 * HOUR,
  ]);
  expect(await stored(ctx)).toMatchObject([{ state: "failed", attempts: 8, nextAttemptAt: null }]);
  expect(receiver.received.map(({ path }) => path)).toEqual(Array(8).fill("/"));
});

test("410 ends the delivery", async () => {
  const receiver = await receive((_count, response) => response.writeHead(410).end());
  const ctx = await environment({ primary: receiver.url });
  startSending();

  await sendWebhook(ctx, webhook);

  await expect.poll(async () => (await stored(ctx))[0]?.state).toBe("failed");
  expect(await stored(ctx)).toMatchObject([{ attempts: 1, lastStatus: 410 }]);
});

test.each([
  ["refuses connections", "http://127.0.0.1:1/", "cannot be reached"],
  ["is a private address", "http://10.0.0.1/", "SVC_EGRESS_ALLOW"],
])("an address that %s is a failed attempt", async (_name, primary, reason) => {
  const ctx = await environment({ primary });
  startSending();

  await sendWebhook(ctx, webhook);

  await expect.poll(async () => (await stored(ctx))[0]?.attempts).toBe(1);
  expect(await stored(ctx)).toMatchObject([
    { state: "waiting", lastStatus: null, lastError: expect.stringContaining(reason) },
  ]);
});

test("a receiver that hangs holds up no other", async () => {
  const hanging = await receive(() => {});
  const receiver = await receive(ok);
  const slow = await environment({ primary: hanging.url });
  const fast = await environment({ primary: receiver.url });
  for (let count = 0; count < 30; count += 1) await sendWebhook(slow, webhook);
  startSending({ stopGraceMs: 1 });
  await expect.poll(() => hanging.received.length).toBeGreaterThanOrEqual(8);

  await sendWebhook(fast, webhook);

  await expect.poll(async () => (await stored(fast))[0]?.state).toBe("delivered");
  expect(hanging.received.length).toBeLessThan(16);
});

test("a stop gives back what is being sent, without counting the attempt", async () => {
  const hanging = await receive(() => {});
  const ctx = await environment({ primary: hanging.url });
  const loop = startSending({ stopGraceMs: 1 });
  await sendWebhook(ctx, webhook);
  await expect.poll(() => hanging.received.length).toBe(1);

  await loop[Symbol.asyncDispose]();

  expect(await stored(ctx)).toMatchObject([{ state: "waiting", attempts: 0, leasedUntil: null }]);
});

test("what a dead sender held is sent by another when its lease ends", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: receiver.url });
  const { db } = app.database;
  await sendWebhook(ctx, webhook);
  await sql`
    update webhook_deliveries set fence = 1, leased_until = now() + interval '1 hour'
     where environment_id = ${ctx.environment.id}`.execute(db);
  const other = await environment({ primary: `${receiver.url}/other` });
  await sendWebhook(other, webhook);
  const loop = startSending();
  await expect.poll(async () => (await stored(other))[0]?.state).toBe("delivered");
  const held = await stored(ctx);

  app.clock.advance(HOUR);
  await sql`
    update webhook_deliveries set leased_until = now()
     where environment_id = ${ctx.environment.id}`.execute(db);
  loop.wake();

  await expect.poll(async () => (await stored(ctx))[0]?.state).toBe("delivered");
  expect(held).toMatchObject([{ state: "waiting", attempts: 0 }]);
});

const whenTakenOver =
  "a sender that was taken over cannot store its outcome (skipped on a prepared schema, which gets other statements)";
test.skipIf(isPreparedRun())(whenTakenOver, async () => {
  const ctx = await environment({ primary: "http://127.0.0.1:1/" });
  await sendWebhook(ctx, webhook);
  const [row] = await stored(ctx);
  const now = app.clock.now();
  const outcome = (fence: number, environmentId = ctx.environment.id): DeliveryOutcome => ({
    id: row?.id ?? "",
    createdAt: now,
    environmentId,
    receiverId: randomUUID(),
    fence,
    attempts: 1,
    state: "delivered",
    nextAttemptAt: null,
    status: 200,
    error: null,
    endedAt: now,
    attemptId: randomUUID(),
    answer: null,
    startedAt: now,
    durationMs: 1,
    signedAt: null,
    signature: null,
  });
  const { db } = app.database;
  const other: EnvironmentId = (await environment()).environment.id;
  await sql`update webhook_deliveries set fence = 2 where id = ${row?.id}`.execute(db);

  const byOldFence = await storeOutcomes(db, [outcome(1)]);
  const byOther = await storeOutcomes(db, [outcome(2, other)]);

  expect([byOldFence.size, byOther.size]).toEqual([0, 0]);
  expect(await storeOutcomes(db, [outcome(2)])).toEqual(new Set([row?.id]));
});

test("while an old key is valid, both keys sign and the single-valued headers use the old one", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: receiver.url });
  const environmentId = ctx.environment.id;
  const old = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const id = randomUUID();
  const aad = { environmentId, table: "webhook_signing_keys", column: "key", row: id };
  const now = app.clock.now();
  await sql`
    insert into webhook_signing_keys (id, environment_id, key, created_at, expires_at)
    values (${id}, ${environmentId}, ${await seal(ctx, aad, Buffer.from(old))},
            ${addMs(now, -HOUR)}, ${addMs(now, HOUR)})`.execute(app.database.db);
  startSending();

  await sendWebhook(ctx, webhook);

  await expect.poll(() => receiver.received.length).toBe(1);
  const [sent] = receiver.received;
  if (sent === undefined) throw new Error("not received");
  expect(sent.headers["webhook-signature"]).toBe(
    `${expectedSignature(await keyOf(ctx), sent)} ${expectedSignature(old, sent)}`,
  );
  expect(sent.headers["x-svc-hmac-sha256"]).toBe(
    createHmac("sha256", old).update(sent.body).digest("hex"),
  );
});

test("attempts are reported in the operation's messages, without the address's query", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: `${receiver.url}/hook?token=t` });
  const operationId = newOperationId(ctx);
  startSending();

  await sendWebhook(ctx, { ...webhook, operationId });

  const messages = async () => {
    const result = await sql<Record<string, unknown>>`
      select request, response, level from operation_messages where operation_id = ${operationId}
    `.execute(app.database.db);
    return result.rows;
  };
  const request = { method: "POST", url: `${receiver.url}/hook` };
  await expect.poll(messages).toEqual([{ request, response: { code: 200 }, level: "info" }]);
});
