import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "#foundation";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "../ensure-log-partitions.ts";
import { listOperations, type OperationQuery } from "./list-operations.ts";
import type { Searched } from "./search-operations.ts";

const OPERATIONS = 20_000;

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
  await fill(app);
});
afterAll(async () => await app[Symbol.asyncDispose]());

/**
 * Operations of one second each, the newest last: of each connection one in ten, each with a message "fetched"; three
 * are about zebras, far apart, one of them in its messages alone, of which it has five hundred.
 */
async function fill({ ctx, clock }: TestContext): Promise<void> {
  const midnight = new Date(Math.floor(clock.now().getTime() / DAY) * DAY);
  const { id } = ctx.environment;
  await sql`
    insert into operations (id, environment_id, type, action, state, message, connection, created_at)
    select gen_random_uuid(), ${id}, case when n % 2 = 0 then 'sync' else 'action' end, 'run', 'success',
           case when n in (10, 19000) then 'Saw a zebra ' else 'Run of contacts ' end || n,
           jsonb_build_object('name', 'customer-' || n % 10), ${midnight}::timestamptz + n * interval '1 second'
      from generate_series(1, ${OPERATIONS}) n`.execute(ctx.db);
  await sql`
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    select gen_random_uuid(), id, environment_id, 'user', 'info', 'log', 'fetched', created_at
      from operations`.execute(ctx.db);
  await sql`
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    select gen_random_uuid(), id, environment_id, 'user', 'info', 'log',
           case when n = 450 then 'a striped zebra' else 'page ' || n end, created_at + n * interval '1 ms'
      from operations, generate_series(1, 500) n where message = 'Run of contacts 15000'`.execute(
    ctx.db,
  );
  app.clock.advance(0);
}

async function search(change: Partial<OperationQuery>): Promise<{
  messages: string[];
  reads: number;
  cursor: string | null;
  searched: Searched | null;
}> {
  const query = { from: undefined, to: undefined, cursor: undefined, filter: {}, limit: 100 };
  let messages: string[] = [];
  let cursor: string | null = null;
  let searched: Searched | null = null;
  const reads = await countReads(app.ctx, "operation%", async (ctx) => {
    const found = await listOperations(ctx, { search: undefined, ...query, ...change });
    messages = found.operations.map(({ message }) => message);
    cursor = found.nextCursor;
    searched = found.searched;
  });
  return { messages, reads, cursor, searched };
}

const newest = (count: number, step = 1) =>
  Array.from({ length: count }, (_, n) => OPERATIONS - n * step);

test("a page of a frequent word, in operations or in their messages, reads no more than a few of each", async () => {
  for (const text of ["run", "fetched"]) {
    const { messages, reads, cursor, searched } = await search({ search: text });

    expect(messages).toEqual(newest(100).map((n) => `Run of contacts ${n}`));
    expect(cursor).not.toBeNull();
    expect(searched).toBeNull();
    expect(reads, text).toBeLessThan(2500);
  }
});

test("a page of a frequent word follows on the one before", async () => {
  const first = await search({ search: "contacts" });
  const second = await search({ search: "contacts", cursor: first.cursor ?? "" });

  expect(second.messages[0]).toBe(`Run of contacts ${OPERATIONS - 100}`);
});

test("a frequent word of one connection, or of one type, is found as soon", async () => {
  const ofConnection = await search({ search: "run", filter: { connections: ["customer-0"] } });
  const ofType = await search({ search: "run", filter: { types: ["sync"] } });

  expect(ofConnection.messages).toEqual(newest(100, 10).map((n) => `Run of contacts ${n}`));
  expect(ofType.messages).toEqual(newest(100, 2).map((n) => `Run of contacts ${n}`));
  expect(ofConnection.reads).toBeLessThan(2500);
  expect(ofType.reads).toBeLessThan(2500);
});

test("a frequent word with a filter that nothing fits is looked for a bounded part at a time", async () => {
  let cursor: string | null | undefined;
  let pages = 0;
  while (cursor !== null) {
    const filter = { status_codes: ["418"] };
    const page = await search({ search: "run", filter, cursor: cursor ?? undefined });
    expect(page.messages).toEqual([]);
    // Those of the walk, and messages of the first look alone.
    expect(page.reads).toBeLessThan(12_000);
    // How far it has come, and how far it will: the first operation is a second after midnight.
    expect(page.searched === null).toBe(page.cursor === null);
    if (page.searched !== null) {
      expect(page.searched.from.getTime()).toBeGreaterThan(page.searched.oldest.getTime());
      expect(page.searched.oldest.getTime() % DAY).toBe(1000);
    }
    cursor = page.cursor;
    pages += 1;
  }

  expect(pages).toBeGreaterThan(1);
});

test("a frequent word among errors, of which there are none, reads nothing", async () => {
  const page = await search({ search: "run", filter: { levels: ["error"] } });

  expect(page).toMatchObject({ messages: [], cursor: null });
  expect(page.reads).toBeLessThan(10);
});

test("a rare word is found among all, in many messages too; so are two words one after the other", async () => {
  const zebras = ["Saw a zebra 19000", "Run of contacts 15000", "Saw a zebra 10"];

  expect(await search({ search: "zebra" })).toMatchObject({ messages: zebras, cursor: null });
  expect((await search({ search: "striped zebra" })).messages).toEqual([zebras[1]]);
  expect((await search({ search: "zebra contacts" })).messages).toEqual([]);
  const page = await search({ search: "zebra", limit: 2 });
  const rest = await search({ search: "zebra", limit: 2, cursor: page.cursor ?? "" });
  expect([...page.messages, ...rest.messages]).toEqual(zebras);
});
