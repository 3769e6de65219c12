import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger, MINUTE } from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import {
  readJobBacklog,
  readKeyedBacklog,
  startWorkers,
} from "../../packages/server/src/tasks/index.ts";
import { readInboxBacklog } from "../../packages/server/src/webhooks-in/index.ts";
import { readDeliveryBacklog } from "../../packages/server/src/webhooks-out/index.ts";

/** More than are counted. */
const MANY = 12_000;
const COUNTED = 10_000;

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

function minutesAgo(minutes: number): Date {
  return new Date(app.clock.now().getTime() - minutes * MINUTE);
}

test("keyed tasks that are next wait for a slot, up to a number that is counted", async () => {
  const { db, environment } = app.ctx;
  const add = async (task: string, state: string, runAt: Date, count: number) =>
    await sql`
      insert into lane_tasks (id, environment_id, task, lane, payload, state, run_at)
      select gen_random_uuid(), ${environment.id}, ${task}, n::text, '{}', ${state}, ${runAt}
        from generate_series(1, ${count}::int) n`.execute(db);
  await add("many", "ready", minutesAgo(3), MANY);
  await add("few", "ready", minutesAgo(2), 2);
  await add("few", "ready", minutesAgo(-2), 3);
  await add("few", "blocked", minutesAgo(9), 4);

  const found = await readKeyedBacklog(db, ["many", "few", "none"], app.clock.now());

  expect(found).toEqual([
    { kind: "keyed many", depth: COUNTED, oldestSeconds: 180 },
    { kind: "keyed few", depth: 2, oldestSeconds: 120 },
    { kind: "keyed none", depth: 0, oldestSeconds: 0 },
  ]);
});

test("jobs wait until a worker has taken them", async () => {
  const { database } = app;
  const { connectionString, db } = database;
  const log = createLogger("silent");
  const options = { connectionString, pooled: false, log, tasks: [], due: [], daily: [] };
  await using _workers = await startWorkers({ ...options, makeContext: () => app.ctx });
  await sql`
    select graphile_worker.add_job('compute', '{}'::json, run_at := now() - interval '1 minute' * n)
      from generate_series(-1, 3) n`.execute(db);
  await sql`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'
     where run_at < now() - interval '150 s'`.execute(db);

  const [found] = await readJobBacklog(db);

  expect(found).toMatchObject({ kind: "job compute", depth: 3 });
  expect(found?.oldestSeconds).toBeGreaterThanOrEqual(120);
  expect(found?.oldestSeconds).toBeLessThan(150);
});

test("deliveries wait that are due, not those of receivers that are given up", async () => {
  const { db, environment } = app.ctx;
  const add = async (next: Date | null, state: string, disabledAt: Date | null) => {
    const receiver = randomUUID();
    await sql`
      insert into webhook_receivers (id, environment_id, url, disabled_at)
      values (${receiver}, ${environment.id}, 'http://127.0.0.1:9/', ${disabledAt})`.execute(db);
    await sql`
      insert into webhook_deliveries (id, environment_id, receiver_id, type, url, body, state, next_attempt_at, created_at)
      values (gen_random_uuid(), ${environment.id}, ${receiver}, 'sync', 'http://127.0.0.1:9/', '', ${state}, ${next},
              now())`.execute(db);
  };
  await add(minutesAgo(4), "waiting", null);
  await add(minutesAgo(1), "waiting", null);
  await add(minutesAgo(-1), "waiting", null);
  await add(minutesAgo(60), "delivered", null);
  await add(minutesAgo(60), "waiting", minutesAgo(30));

  const found = await readDeliveryBacklog(db, app.clock.now());

  expect(found).toEqual([{ kind: "delivery", depth: 2, oldestSeconds: 240 }]);
});

test("webhooks of providers wait from when they came, or until they are tried again", async () => {
  const { db, environment } = app.ctx;
  const add = async (received: Date, next: Date | null, state: string) =>
    await sql`
      insert into inbound_webhooks (id, environment_id, integration_id, request, body_bytes, is_verified, types,
                                    completes, state, next_attempt_at, received_at)
      values (gen_random_uuid(), ${environment.id}, 1, '', 0, true, '[]', false, ${state}, ${next},
              ${received})`.execute(db);
  await add(minutesAgo(5), null, "waiting");
  await add(minutesAgo(9), minutesAgo(2), "waiting");
  await add(minutesAgo(9), minutesAgo(-2), "waiting");
  await add(minutesAgo(9), null, "handled");

  const found = await readInboxBacklog(db, app.clock.now());

  expect(found).toEqual([{ kind: "inbox", depth: 2, oldestSeconds: 300 }]);
});
