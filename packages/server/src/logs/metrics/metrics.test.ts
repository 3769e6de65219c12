import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addMs, DAY, type EnvironmentContext, HOUR, MINUTE, SECOND } from "#foundation";
import { ensureDays } from "#foundation/db/day-partitions";
import { type TestApp, testApp } from "#testing";
import { flushLogs, flushOwnMetrics } from "../flush-logs.ts";
import { logs } from "../index.ts";
import { beginOperation } from "../recording/begin-operation.ts";
import { expireOperations } from "../recording/expire-operations.ts";
import { finishOperation } from "../recording/finish-operation.ts";
import { recordCallFromTemplate, toCallTemplate } from "../recording/record-call.ts";
import { type CompleteOperation, recordOperation } from "../recording/record-operation.ts";
import { dropOldCounts, metricTables } from "./count-tables.ts";
import { addMinutesAndHours, type TallyRow } from "./store.ts";

let app: TestApp;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await testApp({
    slices: [logs],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

const integration = { id: 1, name: "crm", provider: "hubspot" };

function record(tookMs: number, change: Partial<CompleteOperation> = {}): void {
  recordOperation(ctx, {
    ...{ type: "sync", action: "run", message: "Run", state: "success", integration },
    startedAt: addMs(ctx.clock.now(), -tookMs),
    ...change,
  } as CompleteOperation);
}

async function get(path: string) {
  const answer = await app.server.inject({ method: "GET", url: path });
  return { status: answer.statusCode, body: answer.json() };
}

test("operations are counted however they end, each once", async () => {
  const { clock } = app;
  record(100);
  record(100, { state: "failed" });
  const kind = { type: "action", action: "run", message: "Run", integration } as const;
  const started = beginOperation(ctx, { ...kind, function: { id: 3, name: "create" } });
  beginOperation(ctx, kind);
  const begun = beginOperation(ctx, kind);
  await flushLogs(ctx);
  clock.advance(2 * SECOND);
  finishOperation(ctx, begun, { state: "cancelled" });
  finishOperation(ctx, started, { state: "success" });
  finishOperation(ctx, started, { state: "failed" });
  const template = toCallTemplate(ctx, { integration });
  if (template === undefined) throw new Error("the names are plain");
  const call = {
    message: "GET /x",
    method: "GET",
    url: "http://crm.test/x",
    startedAt: clock.now(),
  };
  recordCallFromTemplate(ctx, template, { ...call, status: 503 });
  await flushLogs(ctx);
  clock.advance(26 * HOUR);
  await expireOperations(ctx);

  const { body } = await get(
    `/metrics/totals?by=type&from=${addMs(clock.now(), -2 * DAY).toISOString()}`,
  );

  expect(body.data).toMatchObject([
    { name: "action", operations: 3, success: 1, failed: 0, timeout: 1, cancelled: 1 },
    { name: "sync", operations: 2, success: 1, failed: 1, timeout: 0, cancelled: 0 },
    { name: "proxy", operations: 1, success: 0, failed: 1, timeout: 0, cancelled: 0 },
  ]);
});

test("a series has a value for each step, by minute and by hour", async () => {
  const { clock } = app;
  clock.advance(HOUR - (clock.now().getTime() % HOUR));
  const from = clock.now();
  for (const tookMs of [10, 20, 40, 4000]) record(tookMs);
  clock.advance(2 * MINUTE);
  record(10, { state: "timeout" });
  record(10, { integration: { ...integration, name: "shop" } });
  const to = addMs(clock.now(), MINUTE);
  const period = `from=${from.toISOString()}&to=${to.toISOString()}`;

  const byMinute = await get(`/metrics/series?of=operations&step=1m&${period}`);
  const failures = await get(`/metrics/series?of=failures&step=1m&by=integration&${period}`);
  const slow = await get(`/metrics/series?of=duration_p95&step=1m&${period}`);
  const byHour = await get(`/metrics/series?of=operations&step=1h&${period}`);

  const valuesOf = ({ points }: { points: { value: number | null }[] }) =>
    points.map(({ value }) => value);
  expect(byMinute.body.data.map(valuesOf)).toEqual([[4, 0, 2]]);
  expect(failures.body.data.map(valuesOf)).toEqual([
    [0, 0, 1],
    [0, 0, 0],
  ]);
  expect(failures.body.data.map(({ name }: { name: string }) => name)).toEqual(["crm", "shop"]);
  const [first, between] = valuesOf(slow.body.data[0]);
  expect(first).toBeGreaterThan(2500);
  expect(between).toBeNull();
  expect(byHour.body.data.map(valuesOf)).toEqual([[6]]);
  expect(byHour.body.from).toBe(from.toISOString());
});

test("a histogram tells how operations ended, filtered as the list is", async () => {
  const { clock } = app;
  clock.advance(MINUTE - (clock.now().getTime() % MINUTE));
  record(10);
  record(10, { state: "cancelled" });
  record(10, { type: "proxy", action: "call", state: "failed" });
  clock.advance(2 * MINUTE);
  record(10, { state: "failed", integration: { ...integration, name: "shop" } });

  const all = await get("/logs/operations/histogram?step=1m");
  const syncs = await get("/logs/operations/histogram?step=1m&types=sync:run&integrations=crm");

  const [first, last] = all.body.data;
  expect(all.body.data).toHaveLength(2);
  expect(first).toMatchObject({ success: 1, failed: 1, timeout: 0, cancelled: 1 });
  expect(Date.parse(last.at) - Date.parse(first.at)).toBe(2 * MINUTE);
  expect(syncs.body.data).toMatchObject([{ success: 1, failed: 0, cancelled: 1 }]);
});

test("operations are found by who caused them, by the status of the answer and by how long they took", async () => {
  const user = {
    ...ctx,
    actor: { kind: "key", keyId: "k1", keyName: "backend", accountId: "a", scopes: [] },
  } as const;
  const call = { type: "proxy", action: "call", message: "GET /x" } as const;
  const startedAt = (tookMs: number) => addMs(ctx.clock.now(), -tookMs);
  recordOperation(user, {
    ...call,
    state: "success",
    startedAt: startedAt(10),
    response: { code: 200 },
  });
  recordOperation(ctx, {
    ...call,
    state: "failed",
    startedAt: startedAt(5000),
    response: { code: 503 },
  });
  record(20);

  const found = async (filter: string) =>
    (await get(`/logs/operations?${filter}`)).body.data.map(
      ({ duration_ms }: { duration_ms: number }) => duration_ms,
    );

  expect(await found("actors=k1")).toEqual([10]);
  expect(await found("actors=key,system")).toEqual([10, 20, 5000]);
  expect(await found("status_codes=5xx,404")).toEqual([5000]);
  expect(await found("status_codes=200")).toEqual([10]);
  expect(await found("min_duration_ms=20")).toEqual([20, 5000]);
  expect(await found("min_duration_ms=20&max_duration_ms=4999")).toEqual([20]);
  expect(await found("min_duration_ms=5000&max_duration_ms=5000")).toEqual([5000]);
  expect(await found("min_duration_ms=5000&max_duration_ms=20")).toEqual([]);
  expect((await get("/logs/operations?actors=k1")).body.data[0].actor).toEqual({
    type: "key",
    id: "k1",
    name: "backend",
  });
  for (const bad of [
    "status_codes=700",
    "status_codes=5x",
    "min_duration_ms=-1",
    "max_duration_ms=1s",
    "actors=",
  ]) {
    expect((await get(`/logs/operations?${bad}`)).status).toBe(400);
  }
});

test("the most frequent names are listed one by one, the rest together", async () => {
  for (const name of ["a", "a", "a", "b", "b", "c", "d"]) {
    record(10, { function: { id: 1, name } });
  }
  record(10);

  const { body } = await get("/metrics/totals?by=function&limit=2");

  expect(
    body.data.map(({ name, is_rest, operations }: Record<string, unknown>) => [
      name,
      is_rest,
      operations,
    ]),
  ).toEqual([
    ["a", false, 3],
    ["b", false, 2],
    [null, true, 3],
  ]);
});

test("counts go by environment, and with it", async () => {
  record(10);
  const own = ctx;
  const other = await app.addEnvironment();
  await flushOwnMetrics(own);

  ctx = other;
  const seen = await get("/metrics/totals");
  await sql`delete from environments where id = ${own.environment.id}`.execute(own.db);
  const { rows } = await sql`
    select from operation_minutes where environment_id = ${own.environment.id}
    union all select from operation_hours where environment_id = ${own.environment.id}`.execute(
    other.db,
  );

  expect(seen.body.data).toEqual([]);
  expect(rows).toEqual([]);
});

test("counts of an environment that is gone are left out, and hold up nobody's", async () => {
  const gone = ctx;
  record(10);
  await sql`delete from environments where id = ${gone.environment.id}`.execute(gone.db);
  ctx = await app.addEnvironment();
  record(10);
  await flushLogs(ctx);

  expect((await get("/metrics/totals")).body.data).toMatchObject([{ operations: 1 }]);
});

test("counts whose answer was lost are added once when they are sent again", async () => {
  const now = app.clock.now().toISOString();
  const row: TallyRow = {
    ...{ environment_id: ctx.environment.id, at: now, type: "sync", action: "run" },
    ...{ integration: "crm", function: "", success: 2, failed: 1, timeout: 0, cancelled: 0 },
    ...{ duration_ms: 30, durations: [3, ...Array.from({ length: 15 }, () => 0)] },
  };
  const send = async (batchId: string) =>
    await addMinutesAndHours(ctx.db, { batchId, minutes: [row], hours: [row] });
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];

  for (const batchId of [first, first, second, first]) await send(batchId);

  const { rows } = await sql`
    select success, failed, durations[1] as fast from operation_minutes where environment_id = ${ctx.environment.id}
    union all
    select success, failed, durations[1] from operation_hours where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  const twice = { success: 4, failed: 2, fast: 6 };
  expect(rows).toEqual([twice, twice]);
});

test("minutes stay for 15 days, hours for 400", async () => {
  const { clock } = app;
  await ensureDays(ctx, metricTables);
  record(10);
  await flushOwnMetrics(ctx);
  const countRows = async () => {
    const { rows } = await sql<{ minutes: number; hours: number }>`
      select (select count(*)::int from operation_minutes where environment_id = ${ctx.environment.id}) as minutes,
             (select count(*)::int from operation_hours where environment_id = ${ctx.environment.id}) as hours
    `.execute(ctx.db);
    return rows[0];
  };

  clock.advance(17 * DAY);
  await dropOldCounts(ctx);
  const later = await countRows();
  clock.advance(400 * DAY);
  await dropOldCounts(ctx);

  expect(later).toEqual({ minutes: 0, hours: 1 });
  expect(await countRows()).toEqual({ minutes: 0, hours: 0 });
});

test("a period that has no answer is refused with what to ask instead", async () => {
  const now = app.clock.now();
  const at = (ms: number) => addMs(now, ms).toISOString();

  const refused = await Promise.all(
    [
      "series",
      "series?of=everything",
      `series?of=operations&from=${at(0)}&to=${at(-HOUR)}`,
      `series?of=operations&step=1m&from=${at(-DAY)}`,
      `series?of=operations&step=1m&from=${at(-20 * DAY)}&to=${at(-20 * DAY + HOUR)}`,
      `series?of=operations&from=yesterday`,
      `totals?from=0001-01-01T00:00:00Z`,
      "totals?limit=0",
      "totals?by=connection",
    ].map(async (question) => (await get(`/metrics/${question}`)).status),
  );

  expect(refused).toEqual(refused.map(() => 400));
});
