import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, DAY, newTimeId, type OperationId } from "#platform";
import { countReads, createTestContext, type TestContext } from "#platform/testing";
import { ensureLogPartitions } from "../ensure-log-partitions.ts";
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
