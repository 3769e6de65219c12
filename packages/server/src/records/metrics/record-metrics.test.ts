import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  newTimeId,
  type RunId,
} from "#foundation";
import { ensureDays } from "#foundation/db/day-partitions";
import { createTestContext, type TestContext } from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { deleteRecords } from "../writing/delete-records.ts";
import { saveRecords } from "../writing/save-records.ts";
import { flushRecordTallies } from "./record-tallies.ts";
import { recordMetricHandlers } from "./routes.ts";
import { dropOldRecordCounts, recordCountTables } from "./tally-tables.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let place: { connection: ConnectionUuid; model: string };

beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  const { uuid } = await insertTestConnection(ctx, integration, "customer-1");
  place = { connection: uuid, model: "Contact" };
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };
const nothing = { params: undefined, headers: undefined, body: undefined };

async function save(texts: Readonly<Record<string, string>>): Promise<void> {
  const ids = Object.keys(texts);
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text: texts[id] })));
  await saveRecords(ctx, { ...place, writer, ids, lines });
}

async function get(query: { from?: string; to?: string; step?: "1m" | "1h" | "1d" } = {}) {
  return await recordMetricHandlers.getRecordMetrics(ctx, { ...nothing, query });
}

test("changes to records are counted by step and in total; what stays the same is not", async () => {
  const { clock } = app;
  clock.advance(HOUR - (clock.now().getTime() % HOUR));
  const from = clock.now().toISOString();
  await save({ 1: "a", 2: "b", 3: "c" });
  await save({ 1: "a", 2: "changed" });
  clock.advance(2 * MINUTE);
  await deleteRecords(ctx, { ...place, writer, ids: ["3"] });
  const to = addMs(clock.now(), MINUTE).toISOString();

  const byMinute = await get({ from, to, step: "1m" });
  const byHour = await get({ from, to, step: "1h" });
  clock.advance(MINUTE);
  const later = await get({ from: to });

  const total = { added: 3, updated: 1, deleted: 1 };
  expect(byMinute).toEqual({
    data: [
      { at: from, added: 3, updated: 1, deleted: 0 },
      { at: addMs(new Date(from), 2 * MINUTE).toISOString(), added: 0, updated: 0, deleted: 1 },
    ],
    total,
    ...{ from, to, step: "1m" },
  });
  expect(byHour).toMatchObject({ data: [{ at: from, ...total }], total, step: "1h" });
  expect(later).toMatchObject({ data: [], total: { added: 0, updated: 0, deleted: 0 } });
});

test("another environment has no changes of this one; a period that is empty is refused", async () => {
  await save({ 1: "a" });
  const other = await app.addEnvironment();
  const seen = await recordMetricHandlers.getRecordMetrics(other, { ...nothing, query: {} });
  const at = ctx.clock.now().toISOString();

  expect((await get()).total.added).toBe(1);
  expect(seen.data).toEqual([]);
  await expect(get({ from: at, to: at })).rejects.toMatchObject({ code: "invalid_query_params" });
});

test("minutes stay for 15 days and hours for 400; what waits of an environment that is gone is left out", async () => {
  const kept = async () => {
    const { rows } = await sql<{ minutes: number; hours: number }>`
      select (select count(*)::int from record_minutes where environment_id = ${ctx.environment.id}) as minutes,
             (select count(*)::int from record_hours where environment_id = ${ctx.environment.id}) as hours`.execute(
      ctx.db,
    );
    return rows[0];
  };
  await ensureDays(app.ctx, recordCountTables);
  await save({ 1: "a" });
  await flushRecordTallies(ctx);
  const before = await kept();
  app.clock.advance(17 * DAY);
  await dropOldRecordCounts(app.ctx);
  const after = await kept();
  app.clock.advance(400 * DAY);
  await dropOldRecordCounts(app.ctx);
  const atLast = await kept();
  await save({ 2: "b" });
  await sql`delete from environments where id = ${ctx.environment.id}`.execute(ctx.db);
  await flushRecordTallies(ctx);

  expect([before, after, atLast]).toEqual([
    { minutes: 1, hours: 1 },
    { minutes: 0, hours: 1 },
    { minutes: 0, hours: 0 },
  ]);
  expect(await kept()).toEqual({ minutes: 0, hours: 0 });
});
