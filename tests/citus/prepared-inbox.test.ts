import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "../../packages/server/src/platform/index.ts";
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
