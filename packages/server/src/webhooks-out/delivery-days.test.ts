import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { environmentHandlers } from "#environments";
import { addMs, DAY, type EnvironmentContext, HOUR } from "#foundation";
import { ensureDays } from "#foundation/db/day-partitions";
import { isPreparedRun, listScanned } from "#foundation/testing";
import { readDeliveryBacklog } from "./backlog/store.ts";
import { listAttemptRows } from "./deliveries/store.ts";
import { deleteOldDeliveries, sendWebhook, webhookDayTables } from "./index.ts";
import { webhookDeliveryHandlers as handlers } from "./routes.ts";
import { claimDeliveries, giveBack, storeOutcomes } from "./sending/store.ts";
import { findOpenRange } from "./store.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { ok, receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());
// Each test begins on a day of its own, and none finds what an earlier one has left to be sent.
beforeEach(async () => {
  outbox.app.clock.advance(DAY);
  for (const table of ["webhook_deliveries", "delivery_turns", "failed_deliveries", "due_notes"]) {
    await outbox.app.database.pool.query(`delete from ${table}`);
  }
  await passDays(0);
});

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };

/** As an installation that runs: the days ahead are made on each. */
async function passDays(days: number): Promise<void> {
  const { app } = outbox;
  await ensureDays(app.ctx, webhookDayTables);
  for (let day = 0; day < days; day += 1) {
    app.clock.advance(DAY);
    await ensureDays(app.ctx, webhookDayTables);
  }
}

async function send(ctx: EnvironmentContext): Promise<string> {
  const known = new Set((await outbox.stored(ctx)).map(({ id }) => id));
  await sendWebhook(ctx, { type: "auth", body: { from: "svc", type: "auth", connectionId: "a" } });
  return (await outbox.stored(ctx)).find(({ id }) => !known.has(id))?.id ?? "";
}

async function statesOf(ctx: EnvironmentContext): Promise<Record<string, string>> {
  return Object.fromEntries((await outbox.stored(ctx)).map(({ id, state }) => [id, state]));
}

async function end(ctx: EnvironmentContext, id: string, state = "delivered"): Promise<void> {
  await outbox.app.database.pool.query(
    "update webhook_deliveries set state = $2, ended_at = created_at, next_attempt_at = null where id = $1",
    [id, state],
  );
  await outbox.app.database.pool.query(
    `insert into webhook_attempts (environment_id, id, delivery_id, status, duration_ms, created_at)
     select environment_id, gen_random_uuid(), id, 200, 1, created_at from webhook_deliveries where id = $1`,
    [id],
  );
  await outbox.keepInStep(ctx);
}

async function countAttempts(ids: readonly string[]): Promise<number[]> {
  const { rows } = await outbox.app.database.pool.query<{ deliveryId: string; count: number }>(
    `select delivery_id as "deliveryId", count(*)::int from webhook_attempts group by 1`,
  );
  return ids.map((id) => rows.find(({ deliveryId }) => deliveryId === id)?.count ?? 0);
}

async function listPlaces(table: string): Promise<string[]> {
  const { rows } = await outbox.app.database.pool.query<{ place: string }>(
    `select distinct tableoid::regclass::text as place from ${table} order by 1`,
  );
  return rows.map(({ place }) => place.slice(table.length + 1));
}

function named(time: Date): string {
  return time.toISOString().slice(0, 10).replaceAll("-", "");
}

test("a day goes as a whole; what is still to be sent of it stays, and is sent", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  const held = await outbox.environment({ primary: "http://127.0.0.1:1/held" });
  const [ended, failed, open, kept] = [
    await send(ctx),
    await send(ctx),
    await send(ctx),
    await send(held),
  ];
  await end(ctx, ended);
  await end(ctx, failed, "failed");
  await sql`
    update webhook_receivers set disabled_at = now() where environment_id = ${held.environment.id}`.execute(
    ctx.db,
  );
  await outbox.app.database.pool.query(
    `insert into webhook_attempts (environment_id, id, delivery_id, status, duration_ms, created_at)
     select environment_id, gen_random_uuid(), id, 500, 1, created_at from webhook_deliveries where id = $1`,
    [open],
  );

  await passDays(32);
  await deleteOldDeliveries(outbox.app.ctx);

  expect(await statesOf(ctx)).toEqual({ [open]: "waiting" });
  // Held for a receiver that is given up, it goes with its day.
  expect(await statesOf(held)).toEqual({});
  expect(kept).not.toBe("");
  expect(await countAttempts([ended, failed, open])).toEqual([0, 0, 1]);
  expect(await listPlaces("webhook_deliveries")).toEqual(["default"]);
  outbox.startSending();
  await expect.poll(async () => await statesOf(ctx)).toEqual({ [open]: "delivered" });
  const whole = await handlers.getWebhookDelivery(ctx, { ...nothing, params: { id: open } });
  expect(whole.data.attempts.map(({ status }) => status)).toEqual([500, 200]);
});

test("each environment's days are kept, however many others keep", async () => {
  const environments = await Promise.all(
    [7, 30, 365].map(async (days) => {
      const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
      const body = { retention: { webhooks_days: days } };
      await environmentHandlers.updateEnvironmentSettings(ctx, { ...nothing, body });
      return ctx;
    }),
  );
  const ids: string[] = [];
  for (const ctx of environments) {
    const id = await send(ctx);
    await end(ctx, id);
    ids.push(id);
  }
  const left = async () => {
    await deleteOldDeliveries(outbox.app.ctx);
    const states = await Promise.all(environments.map(statesOf));
    return [...states.map((each) => Object.keys(each).length), ...(await countAttempts(ids))];
  };

  await passDays(7);
  const afterSeven = await left();
  await passDays(1);
  const afterEight = await left();
  await passDays(23);
  const afterThirtyOne = await left();
  const before = await listPlaces("webhook_deliveries");
  await passDays(75);
  const afterHundredAndSix = await left();
  const after = await listPlaces("webhook_deliveries");
  outbox.app.clock.advance(260 * DAY);

  expect(afterSeven).toEqual([1, 1, 1, 1, 1, 1]);
  expect(afterEight).toEqual([0, 1, 1, 0, 1, 1]);
  expect(afterThirtyOne).toEqual([0, 0, 1, 0, 0, 1]);
  // There are never more days than a hundred and some.
  expect(before).not.toEqual(["default"]);
  expect(afterHundredAndSix).toEqual([0, 0, 1, 0, 0, 1]);
  expect(after).toEqual(["default"]);
  expect(await left()).toEqual([0, 0, 0, 0, 0, 0]);
}, 60_000);

test("a delivery is looked up in its day alone, by its id", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
  const id = await send(ctx);
  await end(ctx, id);
  const day = named(outbox.app.clock.now());
  await passDays(5);

  const scanned = async (tables: string, work: (ctx: EnvironmentContext) => Promise<unknown>) =>
    (await listScanned(ctx, `${tables}_2%`, work)).map((name) => name.slice(tables.length + 1));
  const get = async (ctx: EnvironmentContext) =>
    await handlers.getWebhookDelivery(ctx, { ...nothing, params: { id } });
  const replay = async (ctx: EnvironmentContext) =>
    await handlers.replayWebhookDelivery(ctx, { ...nothing, params: { id } });

  expect(await scanned("webhook_deliveries", get)).toEqual([day]);
  // An hour on both sides, since processes have clocks of their own.
  expect((await scanned("webhook_attempts", get)).length).toBeLessThanOrEqual(2);
  expect(await scanned("webhook_deliveries", replay)).toEqual([day]);
});

test("deliveries of the release before, whose ids tell no time, are found too", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
  const id = await send(ctx);
  await end(ctx, id);
  const old = randomUUID();
  await outbox.app.database.pool.query("update webhook_deliveries set id = $2 where id = $1", [
    id,
    old,
  ]);
  await outbox.app.database.pool.query(
    "update webhook_attempts set delivery_id = $2 where delivery_id = $1",
    [id, old],
  );
  await passDays(2);

  const found = await listAttemptRows(ctx.db, ctx.environment.id, {
    id: old,
    createdAt: addMs(outbox.app.clock.now(), -2 * DAY),
    endedAt: null,
  });
  await handlers.replayWebhookDelivery(ctx, { ...nothing, params: { id: old } });

  expect(found).toHaveLength(1);
  expect(await statesOf(ctx)).toEqual({ [old]: "waiting" });
});

const daysOfSender =
  "a sender looks at the days that have something to send, not at those that hold something back (skipped on a prepared schema, which gets other statements)";
test.skipIf(isPreparedRun())(daysOfSender, async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
  const held = await outbox.environment({ primary: "http://127.0.0.1:1/held" });
  await send(held);
  await sql`
    update webhook_receivers set disabled_at = now() where environment_id = ${held.environment.id}`.execute(
    ctx.db,
  );
  await passDays(20);
  const id = await send(ctx);
  const { db } = outbox.app.ctx;
  const now = outbox.app.clock.now();
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const rooms = { standard: 8, byReceiver: {} };
  const shares = { held: {}, ceiling: { count: 100, bytes: 1_000_000 } };

  const open = await findOpenRange(db, now);
  const query = { now, open, limit: 10, maxBytes: 1e6, leaseMs: 60_000, rooms, shares };
  const claimed: Awaited<ReturnType<typeof claimDeliveries>> = [];
  const forClaim = await listScanned({ db }, "webhook_deliveries_%", async ({ db }) =>
    claimed.push(...(await claimDeliveries(db, query))),
  );
  const [delivery] = claimed;
  if (delivery === undefined) throw new Error("nothing was claimed");
  const forOutcome = await listScanned({ db }, "webhook_deliveries_%", async ({ db }) => {
    await storeOutcomes(db, [
      {
        ...delivery,
        state: "waiting",
        attempts: 1,
        nextAttemptAt: now,
        status: 500,
        error: null,
        endedAt: null,
        attemptId: randomUUID(),
        answer: null,
        startedAt: now,
        durationMs: 1,
        signedAt: null,
        signature: null,
      },
    ]);
    await giveBack(db, ctx.environment.id, delivery);
  });
  const backlog = await readDeliveryBacklog(db, addMs(now, HOUR));

  expect(open.since).toEqual(now.getTime() - today.getTime() < HOUR ? addMs(today, -DAY) : today);
  expect(claimed.map((delivery) => delivery.id)).toEqual([id]);
  const days = [named(addMs(now, -DAY)), named(now), named(addMs(now, DAY))].map(
    (day) => `webhook_deliveries_${day}`,
  );
  expect(days).toEqual(expect.arrayContaining([...forClaim]));
  expect(forOutcome).toEqual([`webhook_deliveries_${named(now)}`]);
  expect(backlog).toMatchObject([{ depth: 1 }]);
});

test("an old delivery that is replayed while others are sent is sent soon", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  const id = await send(ctx);
  await end(ctx, id);
  await passDays(10);
  outbox.startSending();
  const now = await send(ctx);
  await expect.poll(async () => (await statesOf(ctx))[now]).toBe("delivered");

  await handlers.replayWebhookDelivery(ctx, { ...nothing, params: { id } });

  await expect.poll(() => receiver.received.length, { timeout: 3000 }).toBe(2);
});
