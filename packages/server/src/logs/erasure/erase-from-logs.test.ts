import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "../ensure-log-partitions.ts";
import { eraseFromLogs } from "./erase-from-logs.ts";

const MAIL = "ada.quay@people.example";
const wanted = { names: [], words: [MAIL] };

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

/** Writes an operation with a message, as late as a process does whose database was away. */
async function write(texts: { operation: string; message: string }, ageMs = 0): Promise<string> {
  const at = addMs(ctx.clock.now(), -ageMs);
  const { rows } = await sql<{ id: string }>`
    with operation as (
      insert into operations (id, environment_id, type, action, state, message, created_at)
      values (gen_random_uuid(), ${ctx.environment.id}, 'proxy', 'call', 'success', ${texts.operation}, ${at})
      returning *)
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    select gen_random_uuid(), id, environment_id, 'user', 'info', 'log', ${texts.message}, created_at from operation
    returning operation_id as id`.execute(ctx.db);
  return rows[0]?.id ?? "";
}

async function count(): Promise<{ operations: number; messages: number }> {
  const { rows } = await sql<{ operations: number; messages: number }>`
    select (select count(*) from operations where environment_id = ${ctx.environment.id})::int as operations,
           (select count(*) from operation_messages where environment_id = ${ctx.environment.id})::int as messages`.execute(
    ctx.db,
  );
  return rows[0] ?? { operations: Number.NaN, messages: Number.NaN };
}

test("a second search finds all that was written or changed since the first, of any time", async () => {
  const kept = await write({ operation: "GET /people", message: "fetched" });
  await write({ operation: `GET /people/${MAIL}`, message: "fetched" });
  const changed = await write({ operation: "GET /others", message: "fetched" }, 2 * DAY);
  const first = await eraseFromLogs(ctx, wanted);
  const left = await count();

  await write({ operation: `GET /people/${encodeURIComponent(MAIL)}`, message: "new" });
  await write({ operation: "of nobody", message: `sent to ${MAIL.toUpperCase()}` }, 3 * DAY);
  await write({ operation: Buffer.from(MAIL).toString("base64"), message: "old" }, 9 * DAY);
  await sql`update operations set error = ${JSON.stringify({ message: MAIL })} where id = ${changed}`.execute(
    ctx.db,
  );
  await sql`
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    values (gen_random_uuid(), ${kept}, ${ctx.environment.id}, 'user', 'info', 'log', ${MAIL}, ${addMs(ctx.clock.now(), -20 * DAY)})`.execute(
    ctx.db,
  );
  const second = await eraseFromLogs(ctx, { ...wanted, since: first.searched });

  expect([first.operations, first.messages]).toEqual([1, 1]);
  expect(left).toEqual({ operations: 2, messages: 2 });
  expect([second.operations, second.messages]).toEqual([3, 5]);
  // The one that nobody has changed, with its message, and the one whose message is gone.
  expect(await count()).toEqual({ operations: 2, messages: 1 });
});

test("what a transaction wrote that had begun before the first search is found by the second", async () => {
  let commit = () => {};
  const ended = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const opened = Promise.withResolvers<void>();
  const writing = app.database.db.transaction().execute(async (db) => {
    await sql`
      insert into operations (id, environment_id, type, action, state, message, created_at)
      values (gen_random_uuid(), ${ctx.environment.id}, 'proxy', 'call', 'success', ${MAIL}, ${ctx.clock.now()})`.execute(
      db,
    );
    opened.resolve();
    await ended;
  });
  await opened.promise;
  await write({ operation: "of nobody", message: "later" });
  const first = await eraseFromLogs(ctx, wanted);
  commit();
  await writing;

  const second = await eraseFromLogs(ctx, { ...wanted, since: first.searched });

  expect([first.operations, second.operations]).toEqual([0, 1]);
  expect(await count()).toEqual({ operations: 1, messages: 1 });
});

test("a search after one of another database searches all", async () => {
  await write({ operation: MAIL, message: "old" });
  const elsewhere = { database: "1/1", transaction: "9000000000" };

  const { operations } = await eraseFromLogs(ctx, { ...wanted, since: elsewhere });

  expect(operations).toBe(1);
});
