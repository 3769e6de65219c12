import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, DAY, newTimeId, type OperationId } from "#foundation";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "../ensure-log-partitions.ts";
import { EXPIRES_AFTER_MS, expireOperations } from "../recording/expire-operations.ts";
import { expireOpenOperations } from "../store.ts";
import { listOperations } from "./list-operations.ts";
import { listMessageRows, searchOperationRows, toPhrase } from "./store.ts";

// Each day begins a partition that Postgres knows nothing of.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

const OPERATIONS = 3000;

async function fill({ ctx, clock }: TestContext) {
  const now = clock.now();
  const { id } = ctx.environment;
  await sql`
    insert into operations (id, environment_id, type, action, state, message, created_at)
    select gen_random_uuid(), ${id}, 'sync', 'run', 'success', 'Run number ' || n, ${now}
      from generate_series(1, ${OPERATIONS}) n`.execute(ctx.db);
  await sql`
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    select gen_random_uuid(), id, environment_id, 'user', 'info', 'log', 'fetched', created_at
      from operations`.execute(ctx.db);
  return now;
}

test("a search of a day, and a page of messages, read no more than they find and show", async () => {
  const { ctx } = app;
  const now = await fill(app);
  const { id } = ctx.environment;
  const from = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const to = addMs(from, DAY);
  const page = { from, after: undefined, limit: 100 };
  const phrase = await toPhrase(ctx.db, "fetched");
  if (phrase === undefined) throw new Error("the search has no word");

  const searched = await countReads(ctx, "operation%", async ({ db }) => {
    const search = { ...page, filter: {}, to, phrase, messagesTo: to };
    expect(await searchOperationRows(db, id, search)).toHaveLength(100);
  });
  // A message, the operation that it is of, and that the words of each were looked at again.
  expect(searched).toBeLessThan(5 * OPERATIONS);

  const { rows } = await sql<{ operationId: OperationId }>`
    update operation_messages set operation_id = (select operation_id from operation_messages limit 1)
    returning operation_id`.execute(ctx.db);
  const operationId = rows[0]?.operationId ?? newTimeId<OperationId>(now);
  const listed = await countReads(ctx, "operation_messages%", async ({ db }) => {
    const all = { operationId, levels: undefined, phrase: undefined, order: "asc" } as const;
    expect(await listMessageRows(db, id, { ...page, ...all })).toHaveLength(100);
  });
  expect(listed).toBeLessThan(1000);
});

test("a list of one integration, and a search in it, read its operations alone", async () => {
  const { ctx, clock } = app;
  const { id } = ctx.environment;
  const now = clock.now();
  await sql`
    insert into operations (id, environment_id, type, action, state, message, integration, created_at)
    select gen_random_uuid(), ${id}, 'proxy', 'call', 'success', 'GET /contacts',
           jsonb_build_object('id', n % 100, 'name', 'crm-' || n % 100), ${now}
      from generate_series(1, ${OPERATIONS}) n`.execute(ctx.db);
  const page = { from: undefined, to: undefined, limit: 100, cursor: undefined };
  for (const search of [undefined, "contacts"]) {
    const reads = await countReads(ctx, "operations%", async (ctx) => {
      const filter = { integrations: ["crm-7"] };
      const { operations } = await listOperations(ctx, { ...page, filter, search });
      expect(operations).toHaveLength(OPERATIONS / 100);
    });
    // Those of the integration, one page of it, and each of them once more by its id.
    expect(reads).toBeGreaterThanOrEqual(OPERATIONS / 100);
    expect(reads).toBeLessThan(5 * (OPERATIONS / 100));
  }
});

test("lists by type, by function, of what took long and of what failed read what they answer, also where that is nothing", async () => {
  const { ctx, clock } = app;
  const { id } = ctx.environment;
  const now = clock.now();
  await sql`
    insert into operations (id, environment_id, type, action, state, level, message, integration, connection, function, created_at, ended_at)
    select gen_random_uuid(), ${id}, case when n % 300 = 7 then 'webhook' else 'sync' end, 'run',
           case when n % 300 = 8 then 'timeout' else 'success' end, case when n % 300 = 8 then 'error' else 'info' end,
           'Run number ' || n, '{"id": 7, "name": "shop"}', jsonb_build_object('id', 1, 'name', 'big-' || n % 2),
           jsonb_build_object('name', case when n % 300 = 9 then 'rare' else 'orders' end), ${now},
           ${now}::timestamptz + case n % 300 when 10 then interval '3 s' when 11 then interval '5 s' else interval '900 ms' end
      from generate_series(1, ${OPERATIONS}) n`.execute(ctx.db);
  const page = { from: undefined, to: undefined, limit: 100, cursor: undefined, search: undefined };
  const few = OPERATIONS / 300;

  for (const [filter, found] of [
    [{ types: ["webhook"] }, few],
    [{ types: ["webhook:run", "auth"] }, few],
    [{ types: ["auth"] }, 0],
    [{ functions: ["rare"] }, few],
    [{ functions: ["none"] }, 0],
    [{ levels: ["error"] }, few],
    [{ levels: ["warn"] }, 0],
    [{ states: ["timeout"], connections: ["big-0"] }, few],
    [{ levels: ["error", "warn"], integrations: ["shop"] }, few],
    [{ min_duration_ms: 1000 }, 2 * few],
    [{ min_duration_ms: 4000 }, few],
    [{ min_duration_ms: 4500 }, few],
    [{ min_duration_ms: 6000 }, 0],
    [{ min_duration_ms: 3000, levels: ["info"] }, 2 * few],
    [{ min_duration_ms: 1000, max_duration_ms: 3000 }, few],
    [{ min_duration_ms: 1000, max_duration_ms: 2999 }, 0],
    [{ min_duration_ms: 4000, max_duration_ms: 60_000 }, few],
    [{ min_duration_ms: 2000, max_duration_ms: 5000 }, 2 * few],
  ] as const) {
    let listed = Number.NaN;
    const reads = await countReads(ctx, "operations%", async (ctx) => {
      listed = (await listOperations(ctx, { ...page, filter })).operations.length;
    });
    expect(listed, JSON.stringify(filter)).toBe(found);
    expect(reads, JSON.stringify(filter)).toBeLessThan(5 * few);
  }
});

test("a search for a word that nothing says reads no more when there is more", async () => {
  const { ctx } = app;
  const page = { from: undefined, to: undefined, limit: 100, cursor: undefined, filter: {} };
  const count = async () => {
    // A day without statistics may be passed over once.
    await sql`analyze operations, operation_messages`.execute(ctx.db);
    return await countReads(ctx, "operation%", async (ctx) => {
      const { operations } = await listOperations(ctx, { ...page, search: "zebra" });
      expect(operations).toEqual([]);
    });
  };
  const before = await count();
  await fill(app);

  const after = await count();

  // A page that is looked at, and messages of each.
  expect([before, after].filter((reads) => reads > 500)).toEqual([]);
});

test("what was left open is found among all that failed, and ended in pages", async () => {
  const { ctx, clock } = app;
  const { id } = ctx.environment;
  const createdAt = addMs(clock.now(), -EXPIRES_AFTER_MS - 1);
  const add = async (state: string, count: number) =>
    await sql`
      insert into operations (id, environment_id, type, action, state, message, created_at)
      select gen_random_uuid(), ${id}, 'sync', 'run', ${state}, 'Run', ${createdAt}::timestamptz + n * interval '1 us'
        from generate_series(1, ${count}::int) n`.execute(ctx.db);
  await add("failed", OPERATIONS);
  await add("running", 30);

  for (const state of ["unknown to Postgres", "analyzed"]) {
    if (state === "analyzed") await sql`analyze operations`.execute(ctx.db);
    const before = addMs(clock.now(), -EXPIRES_AFTER_MS);
    const reads = await countReads(ctx, "operations%", async ({ db }) => {
      const page = { before, now: clock.now(), limit: 10 };
      expect(await expireOpenOperations(db, page)).toHaveLength(10);
    });
    expect(reads, state).toBeLessThan(100);
  }
  await expireOperations(ctx);

  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*)::int as count from operations
     where created_at < ${addMs(createdAt, 1000)} and state <> 'success' group by 1 order by 1`.execute(
    ctx.db,
  );
  expect(rows).toEqual([
    { state: "failed", count: OPERATIONS },
    { state: "timeout", count: 30 },
  ]);
});
