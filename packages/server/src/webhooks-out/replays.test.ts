import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, SECOND, type SystemContext } from "#foundation";
import { MOST_SCANNED } from "#foundation/db";
import { deleteOldDeliveries, webhookTaskHandlers } from "./index.ts";
import { webhookDeliveryHandlers as handlers } from "./routes.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };
const since = "2020-01-01T00:00:00.000Z";
// So many go into the request itself.
const AT_ONCE = 5000;

type Asked = Parameters<typeof handlers.replayWebhookDeliveries>[1]["body"];

async function replay(ctx: EnvironmentContext, asked: Partial<Asked> = {}) {
  const body = { since, ...asked };
  return (await handlers.replayWebhookDeliveries(ctx, { ...nothing, body })).data;
}

async function look(ctx: EnvironmentContext, id: string) {
  return (await handlers.getWebhookReplay(ctx, { ...nothing, params: { id } })).data;
}

/** Continues with a replay as a worker does. */
async function work(
  ctx: EnvironmentContext,
  id: string,
  inside: Partial<SystemContext> = {},
): Promise<void> {
  const payload = { environmentId: ctx.environment.id, id };
  const attempt = { number: 1, isLast: false };
  await webhookTaskHandlers.replay({ ...outbox.app.ctx, ...inside }, payload, attempt);
}

/** Deliveries that have failed, for a receiver to which nothing is sent. */
async function insertFailed(ctx: EnvironmentContext, count: number): Promise<void> {
  const { pool } = outbox.app.database;
  const environment = ctx.environment.id;
  const now = outbox.app.clock.now();
  const { rows } = await pool.query(
    `insert into webhook_receivers (id, environment_id, url, failing_since, disabled_at)
     values (gen_random_uuid(), $1, 'http://127.0.0.1:1/', $2, $2) returning id`,
    [environment, now],
  );
  await pool.query(
    `insert into webhook_deliveries
       (id, environment_id, receiver_id, type, url, body, state, attempts, created_at, ended_at)
     select gen_random_uuid(), $1, $2, 'sync', 'http://127.0.0.1:1/', '\\x00', 'failed', 8,
            $3::timestamptz - make_interval(secs => 1 + (g / 7)), $3
       from generate_series(1, $4::int) g`,
    [environment, rows[0].id, now, count],
  );
  await outbox.keepInStep(ctx);
}

async function countByState(ctx: EnvironmentContext): Promise<Record<string, number>> {
  const { rows } = await outbox.app.database.pool.query<{ state: string; count: number }>(
    "select state, count(*)::int from webhook_deliveries where environment_id = $1 group by state",
    [ctx.environment.id],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function countJobs(id: string): Promise<number> {
  const { rows } = await outbox.app.database.pool.query(
    "select count(*)::int from graphile_worker.jobs where key = $1",
    [id],
  );
  return rows[0].count;
}

test("a range that a request has time for is done when it is answered", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, 3);

  const done = await replay(ctx);

  expect(done).toMatchObject({ state: "done", replayed: 3, ended_at: expect.any(String) });
  expect(await look(ctx, done.id)).toEqual(done);
  expect(await countJobs(done.id)).toBe(0);
  const other = await outbox.environment();
  await expect(look(other, done.id)).rejects.toMatchObject({ code: "not_found" });
});

test("a longer one continues after the answer, and is not begun twice", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, 2 * AT_ONCE + 1);

  const begun = await replay(ctx);
  const repeated = await Promise.all([replay(ctx), replay(ctx)]);
  const another = await replay(ctx, { type: "auth" });

  expect(begun).toMatchObject({ state: "running", replayed: AT_ONCE, ended_at: null });
  expect(repeated).toEqual([begun, begun]);
  expect(await countJobs(begun.id)).toBe(1);
  expect(another).toMatchObject({ state: "done", replayed: 0 });
  expect(await countByState(ctx)).toEqual({ waiting: AT_ONCE, failed: AT_ONCE + 1 });

  await work(ctx, begun.id);

  expect(await look(ctx, begun.id)).toMatchObject({ state: "done", replayed: 2 * AT_ONCE + 1 });
  expect(await countByState(ctx)).toEqual({ waiting: 2 * AT_ONCE + 1 });
  const again = await replay(ctx);
  expect(again).toMatchObject({ state: "done", replayed: 0 });
  expect(again.id).not.toBe(begun.id);
});

test("a replay follows every filter of the list", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, 6);
  const { pool } = outbox.app.database;
  const { rows } = await pool.query<{ id: string }>(
    "select id from webhook_deliveries where environment_id = $1 order by created_at, id",
    [ctx.environment.id],
  );
  const set = async (n: number, column: string, value: unknown) =>
    await pool.query(`update webhook_deliveries set ${column} = $1 where id = $2`, [
      ...[value, rows[n]?.id],
    ]);
  await set(0, "integration_key", "crm");
  await set(1, "last_status", 503);
  await set(2, "last_error", "The Needle broke");
  await set(3, "connection_id", "acme");

  const replayed = [];
  for (const asked of [
    { provider_config_key: "crm" },
    { status: "5xx" },
    { search: "needle" },
    { connection_id: "acme" },
    { search: `msg_${rows[4]?.id}` },
    { search: "nothing has this" },
  ] as const) {
    replayed.push((await replay(ctx, asked)).replayed);
  }

  expect(replayed).toEqual([1, 1, 1, 1, 1, 0]);
  expect(await countByState(ctx)).toEqual({ waiting: 5, failed: 1 });
});

test("one that finds little looks at a bounded number at a time, and at all in the end", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, MOST_SCANNED + 10);
  const { pool } = outbox.app.database;
  await pool.query(
    `update webhook_deliveries set last_error = 'needle' where id in (
       select id from webhook_deliveries where environment_id = $1 order by created_at desc, id desc limit 3)`,
    [ctx.environment.id],
  );

  const begun = await replay(ctx, { search: "needle" });
  await work(ctx, begun.id);

  expect(begun).toMatchObject({ state: "running", replayed: 0 });
  expect(await look(ctx, begun.id)).toMatchObject({ state: "done", replayed: 3 });
  expect(await countByState(ctx)).toEqual({ waiting: 3, failed: MOST_SCANNED + 7 });
}, 60_000);

test("of two that ask at the same time one begins it", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, AT_ONCE + 1);

  const answers = await Promise.all(Array.from({ length: 5 }, async () => await replay(ctx)));

  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(await countByState(ctx)).toEqual({ waiting: AT_ONCE, failed: 1 });
});

test("what its death interrupts is neither lost nor counted, and a worker continues from there", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, 2 * AT_ONCE + 1);
  const { id } = await replay(ctx);
  const failpoints = { hit: () => Promise.reject(new Error("dead")) };
  const stopping = AbortSignal.abort();

  await expect(work(ctx, id, { failpoints })).rejects.toThrow("dead");
  const afterDeath = await look(ctx, id);
  await expect(work(ctx, id, { signal: stopping })).rejects.toThrow();
  const afterStop = await look(ctx, id);
  await Promise.all([work(ctx, id), work(ctx, id)]);

  expect(afterDeath).toMatchObject({ state: "running", replayed: AT_ONCE });
  expect(afterStop).toMatchObject({ state: "running", replayed: 2 * AT_ONCE });
  expect(await look(ctx, id)).toMatchObject({ state: "done", replayed: 2 * AT_ONCE + 1 });
  expect(await countByState(ctx)).toEqual({ waiting: 2 * AT_ONCE + 1 });
});

test("what ends again while it runs is left alone", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, AT_ONCE + 1);
  const { id } = await replay(ctx, { state: "any" });
  outbox.app.clock.advance(SECOND);
  await outbox.app.database.pool.query(
    `update webhook_deliveries set state = 'delivered', ended_at = $2
      where environment_id = $1 and state = 'waiting'`,
    [ctx.environment.id, outbox.app.clock.now()],
  );
  await outbox.keepInStep(ctx);

  await work(ctx, id);

  expect(await look(ctx, id)).toMatchObject({ state: "done", replayed: AT_ONCE + 1 });
  expect(await countByState(ctx)).toEqual({ delivered: AT_ONCE, waiting: 1 });
});

test("replays go with the deliveries of their time, and end with their environment", async () => {
  const ctx = await outbox.environment();
  await insertFailed(ctx, AT_ONCE + 1);
  const { id } = await replay(ctx);
  await outbox.app.database.pool.query("update environments set deleted_at = now() where id = $1", [
    ctx.environment.id,
  ]);

  await work(ctx, id);

  expect(await look(ctx, id)).toMatchObject({ state: "running", replayed: AT_ONCE });
  await outbox.app.database.pool.query("update environments set deleted_at = null where id = $1", [
    ctx.environment.id,
  ]);
  outbox.app.clock.advance(31 * 86_400 * SECOND);
  await deleteOldDeliveries(outbox.app.ctx);
  await expect(look(ctx, id)).rejects.toMatchObject({ code: "not_found" });
});
