import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createEnvironment, listSigningKeys } from "#environments";
import { startOperation } from "#logs";
import {
  addMs,
  createLogger,
  type EnvironmentContext,
  type EnvironmentId,
  HOUR,
  MINUTE,
  SECOND,
  withEnvironment,
} from "#platform";
import { withTransaction } from "#platform/db";
import { createTestContext, type TestContext } from "#platform/testing";
import { DueChannel, type DueLoop, startDueLoop } from "#tasks";
import { seal } from "#vault";
import { createDeliveryWork, sendWebhook } from "./index.ts";
import { storeOutcome } from "./store.ts";

let app: TestContext;
let channel: DueChannel;
beforeAll(async () => {
  app = await createTestContext();
  const { connectionString } = app.database;
  channel = new DueChannel({ connectionString, log: createLogger("silent") });
});
afterAll(async () => {
  await channel[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A customer's server; `answer` decides by the number of the request. */
async function receive(answer: (count: number, response: ServerResponse) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? "", headers: request.headers, body });
      answer(received.length, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, received };
}

function ok(_count: number, response: ServerResponse): void {
  response.end();
}

/** An environment of its own, with the signing key that each one gets. */
async function environment(urls: { primary?: string; secondary?: string } = {}) {
  const { accountId } = app.ctx.environment;
  const name = randomUUID();
  const id = await createEnvironment(app.ctx, { accountId, name, isProduction: false });
  const ctx = withEnvironment(app.ctx, { id, name, accountId });
  await sql`
    update webhook_settings
       set primary_url = ${urls.primary ?? ""}, secondary_url = ${urls.secondary ?? ""}
     where environment_id = ${id}`.execute(app.database.db);
  return ctx;
}

function startSending(options?: Parameters<typeof createDeliveryWork>[0]): DueLoop {
  const loop = startDueLoop({
    work: createDeliveryWork(options),
    channel,
    makeContext: (signal) => ({ ...app.ctx, signal }),
  });
  onTestFinished(async () => await loop[Symbol.asyncDispose]());
  return loop;
}

interface StoredDelivery {
  id: string;
  state: string;
  attempts: number;
  nextAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  leasedUntil: Date | null;
  body: Buffer;
}

async function stored(ctx: EnvironmentContext): Promise<StoredDelivery[]> {
  const result = await sql<StoredDelivery>`
    select * from webhook_deliveries where environment_id = ${ctx.environment.id} order by url
  `.execute(app.database.db);
  return result.rows;
}

async function keyOf(ctx: EnvironmentContext): Promise<string> {
  const [newest] = await listSigningKeys(ctx);
  return newest?.key.reveal() ?? "";
}

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

test("a failed attempt is repeated after 5 s, under the same id and signed anew", async () => {
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

  await sql`
    update webhook_deliveries set leased_until = now()
     where environment_id = ${ctx.environment.id}`.execute(db);
  loop.wake();

  await expect.poll(async () => (await stored(ctx))[0]?.state).toBe("delivered");
  expect(held).toMatchObject([{ state: "waiting", attempts: 0 }]);
});

test("a sender that was taken over cannot store its outcome", async () => {
  const ctx = await environment({ primary: "http://127.0.0.1:1/" });
  await sendWebhook(ctx, webhook);
  const [row] = await stored(ctx);
  const outcome = {
    id: row?.id ?? "",
    attempts: 1,
    state: "delivered",
    nextAttemptAt: null,
    lastStatus: 200,
    lastError: null,
    deliveredAt: app.clock.now(),
  } as const;
  const { db } = app.database;
  const other: EnvironmentId = (await environment()).environment.id;
  await sql`update webhook_deliveries set fence = 2 where id = ${outcome.id}`.execute(db);

  const byOldFence = await storeOutcome(db, ctx.environment.id, { ...outcome, fence: 1 });
  const byOther = await storeOutcome(db, other, { ...outcome, fence: 2 });

  expect([byOldFence, byOther]).toEqual([false, false]);
  expect(await storeOutcome(db, ctx.environment.id, { ...outcome, fence: 2 })).toBe(true);
});

test("while an old key is valid, both keys sign and the single-valued headers use the old one", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: receiver.url });
  const environmentId = ctx.environment.id;
  const old = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const id = randomUUID();
  const place = { environmentId, table: "webhook_signing_keys", column: "key", row: id };
  const now = app.clock.now();
  await sql`
    insert into webhook_signing_keys (id, environment_id, key, created_at, expires_at)
    values (${id}, ${environmentId}, ${await seal(ctx, place, Buffer.from(old))},
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

test("attempts are told of in the operation's messages, without the address's query", async () => {
  const receiver = await receive(ok);
  const ctx = await environment({ primary: `${receiver.url}/hook?token=t` });
  const operationId = await startOperation(ctx, { type: "sync", action: "run", message: "Sync" });
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
