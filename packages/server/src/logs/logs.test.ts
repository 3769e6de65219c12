import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, newTimeId, type OperationId, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, isClusterRun, type TestContext } from "#foundation/testing";
import {
  beginOperation,
  ensureLogPartitions,
  finishOperation,
  flushLogs,
  logMessage,
  recordOperation,
} from "./index.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const subject = {
  integration: { id: 1, name: "crm", provider: "hubspot" },
  connection: { id: 2, name: "c1" },
};

interface StoredOperation {
  [column: string]: unknown;
  partition: string;
}

async function readOperation(id: OperationId): Promise<StoredOperation | undefined> {
  const result = await sql<StoredOperation>`
    select *, tableoid::regclass::text as partition from operations
     where id = ${id} and environment_id = ${app.ctx.environment.id}
  `.execute(app.database.db.withoutPlugins());
  return result.rows[0];
}

async function readMessages(operationId: OperationId): Promise<Record<string, unknown>[]> {
  const result = await sql<Record<string, unknown>>`
    select * from operation_messages where operation_id = ${operationId} order by created_at, id
  `.execute(app.database.db.withoutPlugins());
  return result.rows;
}

test("an operation runs, then ends with its error, level and times", async () => {
  const { ctx, clock } = app;
  const startedAt = clock.now();

  const begun = beginOperation(ctx, {
    type: "sync",
    action: "run",
    message: "Sync of contacts",
    ...subject,
    meta: { variant: "base" },
  });
  const { id } = begun;
  await flushLogs(ctx);
  const running = await readOperation(id);
  clock.advance(3 * SECOND);
  const error = { type: "script_error", message: "no such field" };
  finishOperation(ctx, begun, { state: "failed", error, meta: { added: 0 } });
  await flushLogs(ctx);

  expect(running).toMatchObject({
    type: "sync",
    action: "run",
    state: "running",
    environment_id: ctx.environment.id,
    created_at: startedAt,
    started_at: startedAt,
    ended_at: null,
    connection: subject.connection,
    actor: { type: "key" },
  });
  expect(await readOperation(id)).toMatchObject({
    state: "failed",
    level: "error",
    error,
    meta: { variant: "base", added: 0 },
    ended_at: clock.now(),
  });
});

test("what looks like a credential does not get into the fields of an operation", async () => {
  const { ctx } = app;
  const meta = { api_key: "canary-value", note: "sent with Bearer canary-value" };

  const begun = beginOperation(ctx, { type: "sync", action: "run", message: "Sync", meta });
  const { id } = begun;
  await flushLogs(ctx);
  const started = await readOperation(id);
  finishOperation(ctx, begun, { state: "success", meta: { ...meta, added: 1 } });
  await flushLogs(ctx);

  expect(started?.["meta"]).toMatchObject({ api_key: "[redacted]" });
  expect(JSON.stringify([started, await readOperation(id)])).not.toContain("canary-value");
});

test("an operation ends once, and only in its own environment", async () => {
  const { ctx } = app;
  const other = await app.addEnvironment();
  const input = { type: "proxy", action: "call", message: "GET /contacts" } as const;
  const begun = beginOperation(ctx, input);
  const { id } = begun;
  await flushLogs(ctx);
  const endAgain = async (by: typeof ctx) => {
    finishOperation(by, beginOperation(by, input, { id, isAgain: true }), { state: "failed" });
    await flushLogs(ctx);
  };

  await endAgain(other);
  const untouched = await readOperation(id);
  finishOperation(ctx, begun, { state: "success" });
  await flushLogs(ctx);
  await endAgain(ctx);

  expect(untouched).toMatchObject({ state: "running" });
  expect(await readOperation(id)).toMatchObject({ state: "success", level: "info" });
});

test("what was logged in a transaction that is undone is there, since it says why", async () => {
  const { ctx } = app;
  const begun = beginOperation(ctx, { type: "deploy", action: "custom", message: "Deploy" });
  const { id } = begun;

  const undone = withTransaction(ctx, async (inside) => {
    logMessage(inside, { operationId: id, level: "info", source: "internal", message: "kept" });
    finishOperation(inside, begun, { state: "failed" });
    throw new Error("undone");
  });

  await expect(undone).rejects.toThrow("undone");
  await flushLogs(ctx);
  expect(await readOperation(id)).toMatchObject({ state: "failed" });
  expect(await readMessages(id)).toHaveLength(1);
});

test("work continues while the table of operations is locked, and its rows are there afterwards", async () => {
  const { ctx } = app;
  const input = { type: "sync", action: "run", message: "while locked" } as const;
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = ctx.db.transaction().execute(async (db) => {
    await sql`lock table operations in access exclusive mode`.execute(db);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;

  const ids = await withTransaction(ctx, async (inside) =>
    Array.from({ length: 20 }, () => {
      const begun = beginOperation(inside, input);
      finishOperation(inside, begun, { state: "success" });
      return begun.id;
    }),
  );
  released.resolve();
  await locking;
  await flushLogs(ctx);

  const states = await Promise.all(ids.map(async (id) => (await readOperation(id))?.["state"]));
  expect(states).toEqual(ids.map(() => "success"));
});

test("messages are written in the order in which they were logged", async () => {
  const { ctx } = app;
  const operationId = newTimeId<OperationId>(ctx.clock.now());

  for (let count = 0; count < 1200; count += 1) {
    const message = `line ${count}`;
    logMessage(ctx, { operationId, level: "debug", source: "user", message });
  }
  await flushLogs(ctx);

  const lines = (await readMessages(operationId)).map((row) => row["message"]);
  expect(lines).toEqual(Array.from({ length: 1200 }, (_, count) => `line ${count}`));
});

test("what cannot be stored as it is harms nothing else", async () => {
  const { ctx } = app;
  const operationId = newTimeId<OperationId>(ctx.clock.now());
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const log = (message: string, meta?: Record<string, unknown>) =>
    logMessage(ctx, { operationId, level: "info", source: "user", message, meta });

  log("NUL \u0000 and half a pair \ud83d", { "key\u0000": ["\u0000", "\ud83d", "\\u0000"] });
  log("x".repeat(10_001));
  log("large", { text: "y".repeat(99_001) });
  log("cyclic", cyclic);
  logMessage(ctx, {
    operationId,
    level: "info",
    source: "user",
    message: "refused by Postgres",
    durationMs: Number.MAX_VALUE,
  });
  log("last");
  await flushLogs(ctx);

  const rows = await readMessages(operationId);
  expect(rows.map((row) => [row["message"], row["meta"]])).toEqual([
    ["NUL \uFFFD and half a pair \uFFFD", { "key\uFFFD": ["\uFFFD", "\uFFFD", "\\u0000"] }],
    [expect.stringMatching(/^x{9900,}… \[\d+ characters cut\]$/), null],
    ["large", { text: expect.stringMatching(/^y{20000,}… \[\d+ characters cut\]$/) }],
    ["cyclic", { self: "[circular]" }],
    ["last", null],
  ]);
});

test("a recorded operation is complete after the flush", async () => {
  const { ctx, clock } = app;
  const id = newTimeId<OperationId>(clock.now());
  const request = { method: "GET", url: "https://api.example/contacts" };

  recordOperation(ctx, {
    id,
    type: "proxy",
    action: "call",
    message: "GET /contacts",
    ...subject,
    state: "success",
    startedAt: clock.now(),
    request,
    response: { code: 200 },
  });
  await flushLogs(ctx);

  expect(await readOperation(id)).toMatchObject({
    state: "success",
    request,
    response: { code: 200 },
    ended_at: clock.now(),
  });
});

test("messages are flushed by themselves", async () => {
  const { ctx } = app;
  const operationId = newTimeId<OperationId>(ctx.clock.now());

  logMessage(ctx, { operationId, level: "info", source: "internal", message: "soon" });

  await expect.poll(async () => (await readMessages(operationId)).length).toBe(1);
});

const whenMade =
  "a day without a partition is stored, and moves when its partition is made (skipped on a cluster, where rows are in shards of other names)";
test.skipIf(isClusterRun())(whenMade, async () => {
  const { ctx, clock } = app;
  clock.advance(100 * DAY);
  const input = { type: "admin", action: "change", message: "Far ahead" } as const;
  const { id } = beginOperation(ctx, input);
  await flushLogs(ctx);
  const before = await readOperation(id);

  await Promise.all([ensureLogPartitions(ctx), ensureLogPartitions(ctx)]);
  await ensureLogPartitions(ctx);

  const day = clock.now().toISOString().slice(0, 10).replaceAll("-", "");
  expect(before?.partition).toBe("operations_default");
  expect((await readOperation(id))?.partition).toBe(`operations_${day}`);
  clock.advance(3 * DAY);
  const later = beginOperation(ctx, input);
  await flushLogs(ctx);
  expect((await readOperation(later.id))?.partition).not.toBe("operations_default");
});
