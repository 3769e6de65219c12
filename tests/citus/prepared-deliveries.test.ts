import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  SECOND,
  ServerStates,
} from "../../packages/server/src/foundation/index.ts";
import { noteDue } from "../../packages/server/src/webhooks-out/distributed/note-deliveries.ts";
import {
  deleteOldDeliveries,
  eraseDeliveries,
  forgetDeliveriesAtLast,
  sendEach,
  sendWebhook,
} from "../../packages/server/src/webhooks-out/index.ts";
import { enableReceiver } from "../../packages/server/src/webhooks-out/receivers/enable-receiver.ts";
import { removeUnusedReceivers } from "../../packages/server/src/webhooks-out/receivers/remove-unused-receivers.ts";
import { webhookDeliveryHandlers as handlers } from "../../packages/server/src/webhooks-out/routes.ts";
import { createDeliveryWork } from "../../packages/server/src/webhooks-out/sending/delivery-work.ts";
import {
  type OutboxUnderTest,
  startOutbox,
} from "../../packages/server/src/webhooks-out/testing/outbox.ts";
import { ok, receive } from "../../packages/server/src/webhooks-out/testing/receiver.ts";
import { readDeployed } from "./prepared-database.ts";

// Promise U10: on a schema that was prepared for distribution webhooks are sent as on any other. What triggers do elsewhere
// the server does, and finds environments that have something due by their notes.

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
  await outbox.app.database.pool.query(await readDeployed("prepare.sql"));
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const webhook = { type: "sync", body: { type: "sync", from: "svc" } } as const;
const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };

interface Counts {
  readonly turns: number;
  readonly failed: number;
  readonly attempts: number;
  readonly notes: number;
}

async function count(ctx: EnvironmentContext): Promise<Counts> {
  const of = (table: string) =>
    sql`(select count(*)::int from ${sql.table(table)} where environment_id = ${ctx.environment.id})`;
  const { rows } = await sql<Counts>`
    select ${of("delivery_turns")} as turns, ${of("failed_deliveries")} as failed,
           ${of("webhook_attempts")} as attempts, ${of("due_notes")} as notes`.execute(ctx.db);
  if (rows[0] === undefined) throw new Error("nothing was counted");
  return rows[0];
}

async function states(ctx: EnvironmentContext): Promise<string[]> {
  return (await outbox.stored(ctx)).map(({ state }) => state);
}

async function expectStates(ctx: EnvironmentContext, wanted: string[]): Promise<void> {
  await expect.poll(async () => await states(ctx), { timeout: 20_000 }).toEqual(wanted);
}

test("webhooks of several environments are sent, and what belongs to them is kept without triggers", async () => {
  const receiver = await receive(ok);
  const gone = await receive((_count, response) => response.writeHead(410).end());
  const [one, two] = [
    await outbox.environment({ primary: receiver.url }),
    await outbox.environment({ primary: receiver.url, secondary: gone.url }),
  ];

  await sendEach(one, [webhook, webhook, webhook]);
  await sendWebhook(two, webhook);
  const queued = [await count(one), await count(two)];
  outbox.startSending();
  await expectStates(one, ["delivered", "delivered", "delivered"]);
  await expect
    .poll(async () => (await states(two)).toSorted(), { timeout: 20_000 })
    .toEqual(["delivered", "failed"]);

  expect(queued).toMatchObject([{ turns: 3 }, { turns: 2 }]);
  expect(await count(one)).toMatchObject({ turns: 0, failed: 0, attempts: 3 });
  expect(await count(two)).toMatchObject({ turns: 0, failed: 1, attempts: 2 });
  const { data } = await handlers.listWebhookDeliveries(two, {
    ...nothing,
    query: { state: "failed", limit: 10 },
  });
  expect(data).toMatchObject([{ state: "failed", last_status: 410 }]);
  const id = String(data[0]?.id);
  const whole = await handlers.getWebhookDelivery(two, { ...nothing, params: { id } });
  expect(whole.data).toMatchObject({ attempts: [{ status: 410 }] });
});

test("a failed attempt is repeated when it is due, and notes end with the work", async () => {
  const receiver = await receive((count, response) =>
    response.writeHead(count === 1 ? 500 : 200).end(),
  );
  const ctx = await outbox.environment({ primary: receiver.url });
  const loop = outbox.startSending();

  await sendWebhook(ctx, webhook);
  await expect.poll(async () => (await count(ctx)).attempts, { timeout: 20_000 }).toBe(1);
  const [waiting] = await outbox.stored(ctx);
  const between = await count(ctx);
  outbox.app.clock.advance(HOUR);
  loop.wake();
  await expectStates(ctx, ["delivered"]);

  expect(waiting).toMatchObject({ state: "waiting", attempts: 1, lastStatus: 500 });
  expect(between).toMatchObject({ turns: 1, failed: 0 });
  outbox.app.clock.advance(HOUR);
  loop.wake();
  await expect
    .poll(async () => await count(ctx), { timeout: 20_000 })
    .toEqual({ turns: 0, failed: 0, attempts: 2, notes: 0 });
});

test("what failed is sent again, one by one and as a range", async () => {
  const receiver = await receive((count, response) =>
    response.writeHead(count <= 3 ? 410 : 200).end(),
  );
  const ctx = await outbox.environment({ primary: receiver.url });
  await sendEach(ctx, [webhook, webhook, webhook]);
  outbox.startSending();
  await expectStates(ctx, ["failed", "failed", "failed"]);
  const before = await count(ctx);
  const [first] = await outbox.stored(ctx);

  await handlers.replayWebhookDelivery(ctx, { ...nothing, params: { id: String(first?.id) } });
  await expect.poll(async () => (await count(ctx)).failed, { timeout: 20_000 }).toBe(2);
  outbox.app.clock.advance(SECOND);
  const body = { since: new Date(0).toISOString(), state: "failed" as const };
  const { data } = await handlers.replayWebhookDeliveries(ctx, { ...nothing, body });
  await expectStates(ctx, ["delivered", "delivered", "delivered"]);

  expect(before).toMatchObject({ turns: 0, failed: 3 });
  expect(data).toMatchObject({ replayed: 2 });
  expect(await count(ctx)).toMatchObject({ turns: 0, failed: 0, attempts: 6 });
});

test("what is held for a disabled receiver is sent once it is enabled", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  await sendWebhook(ctx, webhook);
  const own = ctx.environment.id;
  await sql`update webhook_receivers set disabled_at = now(), failing_since = now() where environment_id = ${own}`.execute(
    ctx.db,
  );
  outbox.startSending();
  await expect.poll(async () => (await count(ctx)).notes, { timeout: 20_000 }).toBe(0);
  const held = await handlers.listWebhookReceivers(ctx, { ...nothing, query: { limit: 10 } });

  await enableReceiver(ctx, { url: receiver.url });
  await expectStates(ctx, ["delivered"]);

  expect(held.data).toMatchObject([{ state: "disabled", held: 1 }]);
});

test("what is deleted takes attempts, turns and failures along", async () => {
  const receiver = await receive((count, response) =>
    response.writeHead(count === 1 ? 410 : 500).end(),
  );
  const [old, person, leaving] = [
    await outbox.environment({ primary: receiver.url }),
    await outbox.environment({ primary: receiver.url }),
    await outbox.environment({ primary: receiver.url }),
  ];
  const named = { ...webhook, body: { ...webhook.body, connectionId: "ada" } };
  await sendWebhook(old, named);
  outbox.startSending();
  await expectStates(old, ["failed"]);
  for (const ctx of [person, leaving]) await sendWebhook(ctx, named);
  for (const ctx of [person, leaving]) {
    await expect.poll(async () => (await count(ctx)).attempts, { timeout: 20_000 }).toBe(1);
  }

  const words = { uuids: [], names: ["ada"], words: ["ada"], integrationKeys: [] };
  let erased = 0;
  await eraseDeliveries(person, words, async (ctx, erase) => {
    const count = await erase(ctx);
    erased += count;
    return count;
  });
  await forgetDeliveriesAtLast(leaving);
  const later = { now: () => addMs(outbox.app.clock.now(), 40 * DAY) };
  const inside = { ...outbox.app.ctx, clock: { ...outbox.app.clock, ...later } };
  await deleteOldDeliveries(inside);
  await removeUnusedReceivers(inside);

  expect(erased).toBe(1);
  for (const ctx of [old, person, leaving]) {
    expect(await states(ctx)).toEqual([]);
    expect(await count(ctx)).toMatchObject({ turns: 0, failed: 0, attempts: 0 });
    const { data } = await handlers.listWebhookReceivers(ctx, { ...nothing, query: { limit: 10 } });
    expect(data).toEqual([]);
  }
});

test("all deliveries of an environment that goes are deleted in parts, and others keep theirs", async () => {
  const { pool } = outbox.app.database;
  const tables = ["webhook_deliveries", "webhook_attempts", "delivery_turns", "failed_deliveries"];
  tables.push("webhook_payloads", "webhook_receivers");
  const fill = async () => {
    const { environment } = await outbox.environment({ primary: "http://127.0.0.1:1/" });
    await pool.query(`
      with ids as (select gen_random_uuid() as id, gen_random_uuid() as receiver, now() - n * interval '1 minute' as at
                     from generate_series(1, 2500) n),
           receivers as (insert into webhook_receivers (id, environment_id, url)
             select receiver, '${environment.id}', 'https://' || receiver || '/' from ids),
           payloads as (insert into webhook_payloads (id, environment_id, body, created_at)
             select id, '${environment.id}', '', at from ids),
           turns as (insert into delivery_turns (receiver_id, created_at, delivery_id, environment_id, next_attempt_at)
             select receiver, at, gen_random_uuid(), '${environment.id}', 'infinity' from ids),
           failed as (insert into failed_deliveries (environment_id, created_at, delivery_id)
             select '${environment.id}', at, id from ids),
           attempts as (insert into webhook_attempts (environment_id, id, delivery_id, duration_ms, created_at)
             select '${environment.id}', gen_random_uuid(), id, 1, at from ids)
      insert into webhook_deliveries
             (id, environment_id, receiver_id, url, type, body, headers, state, created_at)
      select id, '${environment.id}', receiver, 'https://' || receiver || '/', 'sync', '', '', 'failed', at from ids`);
    return environment.id;
  };
  const [gone, kept] = [await fill(), await fill()];
  await pool.query(`
    create table deletions (of text, count int);
    create function note_deletion() returns trigger language plpgsql as $$
    begin insert into deletions select tg_table_name, count(*) from old_rows; return null; end $$;
    ${tables
      .map(
        (table) => `create trigger note after delete on ${table} referencing old table as old_rows
                      for each statement execute function note_deletion();`,
      )
      .join("\n")}`);
  const left = async (id: string) =>
    await Promise.all(
      tables.map(async (table) => {
        const text = `select count(*)::int as count from ${table} where environment_id = $1`;
        return (await pool.query(text, [id])).rows[0]?.count;
      }),
    );
  const { ctx } = outbox.app;

  await forgetDeliveriesAtLast({ ...ctx, environment: { ...ctx.environment, id: gone } });

  const { rows } = await pool.query("select max(count) as most from deletions");
  for (const table of tables) await pool.query(`drop trigger note on ${table}`);
  expect(rows).toEqual([{ most: 1000 }]);
  expect(await left(gone)).toEqual(tables.map(() => 0));
  expect(await left(kept)).toEqual(tables.map(() => 2500));
});

test("notes of an environment that always has something to send become one", async () => {
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  for (let n = 0; n < 12; n += 1) await sendWebhook(ctx, webhook);
  const before = await count(ctx);
  const work = createDeliveryWork();

  await work.claim(outbox.app.ctx, () => undefined);
  const after = await count(ctx);
  await work.drain?.();

  expect([before.notes, after.notes]).toEqual([12, 1]);
});

test("what a process has queued whose clock is days ahead is still noted after a claim", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:1/" });
  const ahead = { now: () => addMs(outbox.app.clock.now(), 4 * DAY) };
  await sendWebhook({ ...ctx, clock: { ...ctx.clock, ...ahead } }, webhook);
  await noteDue(ctx, ctx.environment.id, outbox.app.clock.now());
  const before = await count(ctx);
  const work = createDeliveryWork();

  await work.claim(outbox.app.ctx, () => undefined);
  await work.drain?.();

  expect([before.notes, (await count(ctx)).notes]).toEqual([2, 1]);
});

test("what waited before the schema was prepared is sent after it", async () => {
  await using early = await startOutbox();
  const receiver = await receive(ok);
  const ctx = await early.environment({ primary: receiver.url });
  await sendWebhook(ctx, webhook);
  // An attempt that has outlived its delivery.
  await early.app.database.pool.query(
    `insert into webhook_attempts (id, delivery_id, duration_ms, created_at)
     values (gen_random_uuid(), gen_random_uuid(), 1, now())`,
  );
  await early.app.database.pool.query(await readDeployed("prepare.sql"));
  const restarted = { ...early.app.ctx, state: new ServerStates() };
  const work = createDeliveryWork();

  const { claimed } = await work.claim(restarted, () => undefined);
  await work.drain?.();

  expect(claimed).toBe(1);
  expect((await early.stored(ctx)).map(({ state }) => state)).toEqual(["delivered"]);
});
