import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, newTimeId, type OperationId, ServerStates } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { endLogs, flushLogs, logMessage, recordOperation } from "../index.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

function withLimits(ctx: EnvironmentContext, limits: Partial<EnvironmentContext["settings"]>) {
  return { ...ctx, settings: { ...ctx.settings, ...limits } };
}

const newOperation = (ctx: EnvironmentContext) => newTimeId<OperationId>(ctx.clock.now());

function say(ctx: EnvironmentContext, operationId: OperationId, message: string): void {
  logMessage(ctx, { operationId, level: "info", source: "user", message });
}

function call(ctx: EnvironmentContext, message: string): void {
  const startedAt = ctx.clock.now();
  recordOperation(ctx, { type: "proxy", action: "call", message, state: "success", startedAt });
}

interface Row {
  readonly message: string;
  readonly meta: unknown;
}

async function messagesOf(ctx: EnvironmentContext, operationId: OperationId): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select message, meta from operation_messages
     where environment_id = ${ctx.environment.id} and operation_id = ${operationId}
     order by created_at, id`.execute(ctx.db);
  return rows;
}

async function operationsOf(ctx: EnvironmentContext): Promise<(Row & { action: string })[]> {
  const { rows } = await sql<Row & { action: string }>`
    select action, message, meta from operations where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  return rows;
}

const long = "x".repeat(9000);

test("an environment that floods the log loses rows of its own only, and its operation says how many", async () => {
  const { ctx } = app;
  const neighbour = await app.addEnvironment();
  const [loud, quiet] = [newOperation(ctx), newOperation(neighbour)];

  for (let line = 0; line < 1500; line += 1) {
    say(ctx, loud, `${line} ${long}`);
    if (line % 10 === 0) {
      say(neighbour, quiet, `line ${line}`);
      call(neighbour, `GET /${line}`);
      call(ctx, `GET /${line}`);
    }
  }
  await flushLogs(ctx);

  expect(await messagesOf(neighbour, quiet)).toHaveLength(150);
  expect(await operationsOf(neighbour)).toHaveLength(150);
  // Messages do not take the room of operations.
  expect(await operationsOf(ctx)).toHaveLength(150);
  const kept = await messagesOf(ctx, loud);
  const note = kept.find(({ message }) => message.includes("were left out of the log"));
  expect(kept.length).toBeLessThan(1200);
  expect(note).toMatchObject({
    message: `${1501 - kept.length} log lines were left out of the log: ${1501 - kept.length} because the environment logs faster than the log is written.`,
    meta: { left_out: 1501 - kept.length },
  });
});

test("lines past the limit of an operation are left out, and counted in one row that grows", async () => {
  const ctx = withLimits(await app.addEnvironment(), { logRunLines: 10 });
  const [operation, other] = [newOperation(ctx), newOperation(ctx)];

  for (let line = 0; line < 15; line += 1) say(ctx, operation, `line ${line}`);
  say(ctx, other, "another operation");
  await flushLogs(ctx);
  for (let line = 0; line < 5; line += 1) say(ctx, operation, `more ${line}`);
  await flushLogs(ctx);

  const rows = await messagesOf(ctx, operation);
  expect(rows).toHaveLength(11);
  expect(rows.at(-1)).toMatchObject({
    message:
      "10 log lines were left out of the log: 10 because the operation has more than SVC_LOG_RUN_LINES.",
    meta: { left_out: 10, reasons: { run_lines: 10 } },
  });
  expect(await messagesOf(ctx, other)).toHaveLength(1);
});

test("past a day's bytes messages are left out while operations are not", async () => {
  const ctx = withLimits(await app.addEnvironment(), { logDayBytes: 50_000 });
  const operation = newOperation(ctx);

  for (let line = 0; line < 100; line += 1) say(ctx, operation, "x".repeat(1000));
  for (let count = 0; count < 20; count += 1) call(ctx, `GET /${count}`);
  await flushLogs(ctx);

  const rows = await messagesOf(ctx, operation);
  expect(rows.length).toBeLessThan(50);
  expect(rows.at(-1)).toMatchObject({ meta: { left_out: 101 - rows.length } });
  expect(await operationsOf(ctx)).toHaveLength(20);
});

test("operations past a day's bytes are counted in an operation, and the next day begins at nothing", async () => {
  const ctx = withLimits(await app.addEnvironment(), { logDayBytes: 50_000 });

  for (let count = 0; count < 500; count += 1) call(ctx, `GET /${count}`);
  await flushLogs(ctx);
  const rows = await operationsOf(ctx);
  app.clock.advance(24 * 60 * 60 * 1000);
  call(ctx, "GET /tomorrow");
  await flushLogs(ctx);

  const left = 501 - rows.length;
  expect(left).toBeGreaterThan(100);
  expect(rows.find(({ action }) => action === "logs_left_out")).toMatchObject({
    meta: { left_out: left, reasons: { day_bytes: left } },
  });
  expect((await operationsOf(ctx)).map(({ message }) => message)).toContain("GET /tomorrow");
});

test("what another process has logged counts for the day", async () => {
  const { ctx: whole } = app;
  const ctx = withLimits(await app.addEnvironment(), { logDayBytes: 100_000 });
  const operation = newOperation(ctx);
  await sql`
    insert into log_usage (environment_id, day, message_bytes, operation_bytes)
    values (${ctx.environment.id}, ${whole.clock.now().toISOString().slice(0, 10)}::date, 99000, 0)`.execute(
    ctx.db,
  );

  say(ctx, operation, "the first one tells how much there is");
  await flushLogs(ctx);
  for (let line = 0; line < 10; line += 1) say(ctx, operation, "x".repeat(400));
  await flushLogs(ctx);

  const rows = await messagesOf(ctx, operation);
  expect(rows).toHaveLength(2);
  expect(rows.at(-1)).toMatchObject({ meta: { left_out: 10 } });
});

/** As Postgres answers while it starts. */
async function refuseMessages(ctx: EnvironmentContext): Promise<AsyncDisposable> {
  await sql`
    create function away() returns trigger language plpgsql as
    $$ begin raise exception 'starting up' using errcode = '57P03'; end $$`.execute(ctx.db);
  await sql`
    create trigger away before insert on operation_messages for each row execute function away()`.execute(
    ctx.db,
  );
  return {
    [Symbol.asyncDispose]: async () => {
      await sql`drop function away() cascade`.execute(ctx.db);
    },
  };
}

test("rows wait for a database that refuses them for a while, and none is written twice", async () => {
  const ctx = await app.addEnvironment();
  const operation = newOperation(ctx);
  const during = await (async () => {
    await using _away = await refuseMessages(ctx);
    for (let line = 0; line < 1200; line += 1) say(ctx, operation, `line ${line}`);
    await flushLogs(ctx);
    return await messagesOf(ctx, operation);
  })();

  await flushLogs(ctx);

  expect(during).toEqual([]);
  const lines = (await messagesOf(ctx, operation)).map(({ message }) => message);
  expect(lines).toEqual(Array.from({ length: 1200 }, (_, line) => `line ${line}`));
});

test("what has no room while the database is away is counted as that, and what ends with the process is logged", async () => {
  const lost: unknown[] = [];
  const log = { ...app.ctx.log, error: (...event: unknown[]) => void lost.push(event) };
  const ctx = { ...(await app.addEnvironment()), state: new ServerStates(), log };
  const operation = newOperation(ctx);
  await (async () => {
    await using _away = await refuseMessages(ctx);
    say(ctx, operation, "the first one finds that it is away");
    await flushLogs(ctx);
    for (let line = 0; line < 1500; line += 1) say(ctx, operation, `${line} ${long}`);
    await endLogs(ctx);
  })();

  await flushLogs(ctx);

  const kept = await messagesOf(ctx, operation);
  const left = 1502 - kept.length;
  expect(left).toBeGreaterThan(300);
  expect(kept.at(-1)).toMatchObject({
    message: `${left} log lines were left out of the log: ${left} because the database was away and more rows waited than the buffer holds.`,
    meta: { left_out: left, reasons: { database_away: left } },
  });
  expect(lost).toEqual([["logs.rows_lost", { operations: 0, messages: kept.length - 1 }]]);
});
