import { afterAll, beforeAll, expect, test } from "vitest";
import { silence as memory } from "../../packages/server/src/foundation/db/index.ts";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
} from "../../packages/server/src/foundation/index.ts";
import { findSilence } from "../../packages/server/src/webhooks-in/arrivals/find-silence.ts";
import { unhandledOf } from "../../packages/server/src/webhooks-in/arrivals/testing/store.ts";
import { deleteOldWebhooks } from "../../packages/server/src/webhooks-in/inbox/delete-old-webhooks.ts";
import {
  type InboxQuery,
  listInbox,
} from "../../packages/server/src/webhooks-in/inbox/list-inbox.ts";
import { forgetInboxAtLast } from "../../packages/server/src/webhooks-in/index.ts";
import {
  replayWebhook,
  replayWebhooks,
} from "../../packages/server/src/webhooks-in/replay/replay-webhooks.ts";
import { deleteHandled } from "../../packages/server/src/webhooks-in/storage/free-room.ts";
import { readUsage } from "../../packages/server/src/webhooks-in/storage/store.ts";
import {
  type InboxServer,
  insertConnection,
  listForwards,
  startInboxServer,
} from "../../packages/server/src/webhooks-in/testing/index.ts";
import { holdAnswersOf, holdRowsOf } from "./hold-answers.ts";
import { cancelWaiting, lockInsertsOf } from "./lock-inserts.ts";
import { readDeployed } from "./prepared-database.ts";
import { openWorker, toForeign, type Worker } from "./worker.ts";

// Promise U10: on a schema that was prepared for distribution webhooks of providers are handled as on any other, and they
// wait while the server of their environment's events is away.

let server: InboxServer;
let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
  server = await startInboxServer();
  const prepare = await readDeployed("prepare.sql");
  for (const { pool } of [worker, server.app.database]) await pool.query(prepare);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await worker[Symbol.asyncDispose]();
});

async function sender(ctx: EnvironmentContext): Promise<(id: string) => Promise<number>> {
  const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
  const integration = await server.integration(ctx, "stripe", { credentials: client });
  return async (id) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ id, type: "charge.succeeded" });
    return (await server.send(server.pathOf(integration), { headers, body })).status;
  };
}

async function forwarded(ctx: EnvironmentContext): Promise<unknown[]> {
  return (await listForwards(ctx)).map(({ body }) => Object(body["payload"])["id"]);
}

async function read(ctx: EnvironmentContext, text: string): Promise<unknown[]> {
  const { rows } = await server.app.database.pool.query(text, [ctx.environment.id]);
  return rows;
}

async function inboxOf(ctx: EnvironmentContext, names: Partial<InboxQuery> = {}) {
  const all = { state: undefined, from: undefined, to: undefined, cursor: undefined, limit: 100 };
  return (await listInbox(ctx, { integrationKey: undefined, ...all, ...names })).webhooks;
}

test("an event that comes again is passed on once, and one environment's events go with it", async () => {
  const [ctx, other] = [await server.environment(), await server.environment()];
  const [send, sendOther] = [await sender(ctx), await sender(other)];

  expect([await send("evt_1"), await send("evt_1"), await send("evt_2")]).toEqual([200, 200, 200]);
  expect(await sendOther("evt_1")).toBe(200);
  await server.handle();

  expect(await forwarded(ctx)).toEqual(["evt_1", "evt_2"]);
  expect(await forwarded(other)).toEqual(["evt_1"]);
  const count = "select count(*)::int as count from inbound_events where environment_id = $1";
  expect(await read(ctx, count)).toEqual([{ count: 2 }]);
  await forgetInboxAtLast(ctx);
  expect(await read(ctx, count)).toEqual([{ count: 0 }]);
  expect(await read(other, count)).toEqual([{ count: 1 }]);
});

test("what waits is found by notes alone, and none is left once all is handled", async () => {
  const [ctx, other] = [await server.environment(), await server.environment()];
  const [send, sendOther] = [await sender(ctx), await sender(other)];
  const notes = "select queue::int from due_notes where work = 'inbox' and environment_id = $1";

  await Promise.all(["evt_1", "evt_2"].map(send));
  await sendOther("evt_1");
  const before = [await read(ctx, notes), await read(other, notes)];
  await server.handle();
  const after = [await read(ctx, notes), await read(other, notes)];
  const [handled] = await inboxOf(ctx);
  await replayWebhook(ctx, String(handled?.id));
  const again = await read(ctx, notes);
  await server.handle();

  expect(before.map((rows) => rows.length > 0)).toEqual([true, true]);
  expect(after).toEqual([[], []]);
  expect(again).toEqual([{ queue: handled?.integrationId }]);
  expect(await read(ctx, notes)).toEqual([]);
  expect(await forwarded(ctx)).toHaveLength(3);
  expect(await forwarded(other)).toEqual(["evt_1"]);
});

test("what the inbox keeps is counted without triggers, also when requests and webhooks are deleted", async () => {
  const ctx = await server.environment();
  const send = await sender(ctx);
  const kept = async () => await readUsage(ctx.db, ctx.environment.id);
  const stored = `select coalesce(sum(octet_length(request)), 0)::int as bytes from inbound_webhooks
                   where environment_id = $1`;
  for (const id of ["evt_1", "evt_2", "x".repeat(300_000)]) expect(await send(id)).toBe(200);
  await server.handle();
  const [sent, all] = [await read(ctx, stored), await kept()];

  const deleted = await deleteHandled(ctx, 1);
  const [some, left] = [await read(ctx, stored), await kept()];
  await forgetInboxAtLast(ctx);

  expect(sent).toEqual([{ bytes: all }]);
  expect(all).toBeGreaterThan(300_000);
  expect(deleted.count).toBe(1);
  expect(some).toEqual([{ bytes: left }]);
  expect(left).toBe(all - deleted.bytes);
  expect(await kept()).toBe(0);
  expect(await inboxOf(ctx)).toEqual([]);
});

test("webhooks are listed and replayed for the connection that they were passed on for", async () => {
  const ctx = await server.environment();
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
  const integration = await server.integration(ctx, "google-mail", { credentials });
  for (const name of ["ada", "bea"]) {
    await insertConnection(ctx, integration, name, { metadata: { email: `${name}@b.c` } });
  }
  for (const [n, name] of ["ada", "bea", "ada"].entries()) {
    const data = Buffer.from(JSON.stringify({ emailAddress: `${name}@b.c`, historyId: 1 }));
    const message = { data: data.toString("base64"), messageId: `m-${n}` };
    const headers = { "content-type": "application/json" };
    await server.send(server.pathOf(integration), { headers, body: JSON.stringify({ message }) });
  }
  await server.handle();
  const ofAda = { integrationKey: "google-mail", connectionId: "ada" };

  const listed = await inboxOf(ctx, ofAda);
  const range = { from: new Date(0), to: undefined, onlyFailed: false };
  const { replayed } = await replayWebhooks(ctx, { ...ofAda, ...range });

  expect([listed.length, (await inboxOf(ctx)).length, replayed]).toEqual([2, 3, 2]);
  expect(await server.handle()).toBeGreaterThan(0);
});

test("webhooks wait while their events' server is away: no attempt is lost, and each is passed on once", async () => {
  const ctx = await server.environment();
  const send = await sender(ctx);
  await server.app.database.pool.query(toForeign(worker, ["inbound_events"]));
  worker.line.refuse();

  expect([await send("evt_1"), await send("evt_2"), await send("evt_1")]).toEqual([200, 200, 200]);
  const { work } = server;
  for (let round = 0; round < 10; round += 1) {
    await work.claim(server.outside, () => undefined);
    await work.drain?.();
  }
  const states =
    "select state, attempts from inbound_webhooks where environment_id = $1 order by sequence";
  const meanwhile = await read(ctx, states);
  worker.line.resume();
  await server.handle();

  expect(meanwhile).toEqual(Array.from({ length: 3 }, () => ({ state: "waiting", attempts: 0 })));
  expect(await forwarded(ctx)).toEqual(["evt_1", "evt_2"]);
  expect(await read(ctx, states)).toEqual([
    { state: "handled", attempts: 1 },
    { state: "handled", attempts: 1 },
    { state: "duplicate", attempts: 1 },
  ]);
});

test("webhooks of an environment whose server does not answer are answered with 503, and others are stored", async () => {
  const [silent, other] = [await server.environment(), await server.environment()];
  const [send, sendOther] = [await sender(silent), await sender(other)];
  expect([await send("evt_1"), await sendOther("evt_1")]).toEqual([200, 200]);
  await using lock = await lockInsertsOf(server.app.database.pool, "inbound_webhooks", silent);

  const meanwhile = await Promise.all([send("evt_2"), sendOther("evt_2")]);
  const passedOver = await send("evt_3");
  await lock[Symbol.asyncDispose]();
  server.app.clock.advance(MINUTE);
  const after = await send("evt_4");

  expect([...meanwhile, passedOver, after]).toEqual([503, 200, 503, 200]);
});

test("webhooks of an environment that falls silent while they are handled hold up no other, and are handled later", async () => {
  const [silent, other] = [await server.environment(), await server.environment()];
  const [send, sendOther] = [await sender(silent), await sender(other)];
  const { pool } = server.app.database;
  expect([await send("evt_1"), await sendOther("evt_1")]).toEqual([200, 200]);
  await using lock = await lockInsertsOf(pool, "webhook_deliveries", silent);
  const { work } = server;

  await work.claim(server.outside, () => undefined);
  await expect.poll(async () => await forwarded(other), { timeout: 20_000 }).toEqual(["evt_1"]);
  const meanwhile = await forwarded(silent);
  await expect.poll(async () => await cancelWaiting(pool), { timeout: 20_000 }).toBe(1);
  await work.drain?.();
  const [webhook] = await read(
    silent,
    "select state, attempts from inbound_webhooks where environment_id = $1",
  );
  const passedOver = await server.handle();
  await lock[Symbol.asyncDispose]();
  server.app.clock.advance(MINUTE);
  await server.handle();

  expect([meanwhile, passedOver]).toEqual([[], 0]);
  expect(webhook).toEqual({ state: "waiting", attempts: 0 });
  expect(await forwarded(silent)).toEqual(["evt_1"]);
});

test("environments that did not answer leave others most of the slots, and few of them are asked when webhooks come in", async () => {
  const silent = await Promise.all(
    Array.from({ length: 9 }, async () => await server.environment()),
  );
  const other = await server.environment();
  const sends = await Promise.all(silent.map(sender));
  const sendOther = await sender(other);
  for (const send of [...sends, sendOther]) expect(await send("evt_1")).toBe(200);
  const { app, outside, work } = server;
  for (const { environment } of silent) memory.of(outside).note(environment.id, app.clock.now());
  await using lock = await lockInsertsOf(app.database.pool, "inbound_webhooks", ...silent);
  app.clock.advance(MINUTE);

  const before = performance.now();
  const statuses = await Promise.all(
    [...sends, sendOther].map(async (send) => await send("evt_2")),
  );
  const tookMs = performance.now() - before;
  await lock[Symbol.asyncDispose]();
  for (const { environment } of silent) memory.of(outside).note(environment.id, app.clock.now());
  app.clock.advance(MINUTE);
  const { claimed } = await work.claim(outside, () => undefined);
  await work.drain?.();
  await server.handle();

  expect(statuses).toEqual([...silent.map(() => 503), 200]);
  // One after the other they would take 9 s and more.
  expect(tookMs).toBeLessThan(8000);
  expect(claimed).toBe(3);
  expect(await forwarded(other)).toEqual(["evt_1", "evt_2"]);
  for (const ctx of silent) expect(await forwarded(ctx)).toEqual(["evt_1"]);
});

test("the daily chore of the inbox passes over an environment that does not answer", async () => {
  const [silent, other] = [await server.environment(), await server.environment()];
  for (const ctx of [silent, other]) expect(await (await sender(ctx))("evt_1")).toBe(200);
  await server.handle();
  const { app, outside } = server;
  const later = { now: () => addMs(app.clock.now(), 40 * DAY) };
  const inside = { ...outside, clock: { ...app.clock, ...later } };
  const count = "select count(*)::int as count from inbound_webhooks where environment_id = $1";
  await using held = await holdAnswersOf(app.database.pool, [silent]);

  await deleteOldWebhooks(inside);
  const meanwhile = [await read(silent, count), await read(other, count)];
  await held[Symbol.asyncDispose]();
  memory.of(inside).noteAnswer(silent.environment.id);
  await deleteOldWebhooks(inside);

  expect(meanwhile).toEqual([[{ count: 1 }], [{ count: 0 }]]);
  expect(await read(silent, count)).toEqual([{ count: 0 }]);
});

/** A connection for which a webhook came every 8 hours, the last one two days ago, and one that is handled. */
async function fallSilent(ctx: EnvironmentContext): Promise<void> {
  const client = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
  const integration = await server.integration(ctx, "stripe", { credentials: client });
  const connection = await insertConnection(ctx, integration, "ada");
  const now = server.app.clock.now();
  const rhythm = { sizes: [0, 0, 0, 0, 0, 0, 0, 0, 48], count: 48, longestMs: 8 * HOUR };
  await server.app.database.pool.query(
    `insert into webhook_arrivals (environment_id, connection_uuid, received, rhythm, first_at, last_at, due_at)
     values ($1, $2, 49, $3, $4, $5, $5)`,
    [
      ...[ctx.environment.id, connection, JSON.stringify(rhythm)],
      ...[addMs(now, -18 * DAY), addMs(now, -2 * DAY)],
    ],
  );
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ id: "evt_1", type: "charge.succeeded" });
  expect((await server.send(server.pathOf(integration), { headers, body })).status).toBe(200);
  await server.handle();
}

test("no connection is called silent while the server of its webhooks is passed over, and others are", async () => {
  const [away, other] = [await server.environment(), await server.environment()];
  for (const ctx of [away, other]) await fallSilent(ctx);
  const { app, outside } = server;
  const text =
    "select silent_since is not null as silent from webhook_arrivals where environment_id = $1";
  memory.of(outside).note(away.environment.id, app.clock.now());

  await findSilence(outside);
  const meanwhile = [await read(away, text), await read(other, text)];
  app.clock.advance(6 * MINUTE);
  await findSilence(outside);

  expect(meanwhile).toEqual([[{ silent: false }], [{ silent: true }]]);
  expect(await read(away, text)).toEqual([{ silent: true }]);
});

test("no connection is called silent whose webhooks' server falls silent as it is asked, and others are", async () => {
  const [away, other] = [await server.environment(), await server.environment()];
  for (const ctx of [away, other]) await fallSilent(ctx);
  const { app, outside } = server;
  const text =
    "select silent_since is not null as silent from webhook_arrivals where environment_id = $1";
  // What waits is asked for, and found only where the server answers.
  const release = await unhandledOf(away.db, away.environment.id);
  await using held = await holdRowsOf(app.database.pool, "inbound_webhooks", [away]);

  await findSilence(outside);
  const asked = memory.of(outside).list();
  const meanwhile = [await read(away, text), await read(other, text)];
  await held[Symbol.asyncDispose]();
  await release();
  memory.of(outside).noteAnswer(away.environment.id);
  app.clock.advance(6 * MINUTE);
  await findSilence(outside);

  expect(asked).toEqual([away.environment.id]);
  expect(meanwhile).toEqual([[{ silent: false }], [{ silent: true }]]);
  expect(await read(away, text)).toEqual([{ silent: true }]);
});
