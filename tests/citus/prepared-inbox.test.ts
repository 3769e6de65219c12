import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "../../packages/server/src/platform/index.ts";
import { forgetEventsAtLast } from "../../packages/server/src/webhooks-in/index.ts";
import {
  type InboxServer,
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
  await forgetEventsAtLast(ctx);
  expect(await read(ctx, count)).toEqual([{ count: 0 }]);
  expect(await read(other, count)).toEqual([{ count: 1 }]);
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
