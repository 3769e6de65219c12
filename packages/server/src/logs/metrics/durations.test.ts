import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addMs, type EnvironmentContext, HOUR, MINUTE, SECOND } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { flushOwnMetrics } from "../flush-logs.ts";
import { logs } from "../index.ts";
import { recordOperation } from "../recording/record-operation.ts";
import { countDuration, DURATION_COUNTS, durationAt, withoutEmptyEnd } from "./durations.ts";
import { addMinutesAndHours, type TallyRow } from "./store.ts";

let app: TestApp;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await testApp({ slices: [logs], caller: async ({ signal }) => ({ ...ctx, signal }) });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

const EARLIER_COUNTS = 16;
const kind = { type: "sync", action: "run", message: "Run", state: "success" } as const;

function record(tookMs: number): void {
  recordOperation(ctx, { ...kind, startedAt: addMs(ctx.clock.now(), -tookMs) });
}

/** Of 600 operations: many around the middle, a few that are much slower. */
function tookMs(middleMs: number, spread: number): number[] {
  return Array.from({ length: 600 }, (_, n) => {
    const share = (n + 0.5) / 600;
    return Math.max(1, Math.round(middleMs * (share / (1 - share)) ** spread));
  });
}

function exactly(share: number, times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

async function readTotal() {
  const { body } = await app.server
    .inject({ method: "GET", url: "/metrics/totals" })
    .then((answer) => ({ body: answer.json() }));
  return body.data[0];
}

/** What a process of the release before these classes writes. */
async function addAsEarlier(durations: readonly number[]): Promise<void> {
  const count = durations.reduce((sum, one) => sum + one, 0);
  const at = new Date(Math.floor(ctx.clock.now().getTime() / HOUR) * HOUR).toISOString();
  const row: TallyRow = {
    ...{ environment_id: ctx.environment.id, at, type: "sync", action: "run" },
    ...{ integration: "", function: "", success: count, failed: 0, timeout: 0, cancelled: 0 },
    ...{ duration_ms: 0, durations: [...durations] },
  };
  await addMinutesAndHours(ctx.db, {
    ...{ batchId: crypto.randomUUID(), minutes: [row], hours: [row] },
  });
}

function earlierCounts(place: number, count: number): number[] {
  return Array.from({ length: EARLIER_COUNTS }, (_, n) => (n === place ? count : 0));
}

test.each([
  [3, 0.5],
  [140, 0.3],
  [1100, 0.4],
  [5200, 0.1],
  [400 * SECOND, 0.35],
  [2 * HOUR, 0.3],
])("p50 and p95 around %i ms are close to the exact ones", async (middleMs, spread) => {
  const times = tookMs(middleMs, spread);
  for (const ms of times) record(ms);

  const total = await readTotal();

  for (const [share, shown] of [
    [0.5, total.duration_p50_ms],
    [0.95, total.duration_p95_ms],
  ] as const) {
    const exact = exactly(share, times);
    expect(Math.abs(shown - exact) / exact, `${share}: ${shown} for ${exact}`).toBeLessThanOrEqual(
      0.1,
    );
  }
});

test("no duration of up to a day is off by more than 10 %, and longer ones are a day", () => {
  const of = (ms: number) => {
    const counts: number[] = [];
    countDuration(counts, ms);
    return durationAt(0.95, counts) ?? 0;
  };
  const off = (ms: number) => Math.abs(of(ms) - ms) / ms;
  const times = Array.from({ length: 20_000 }, (_, n) => n + 1);
  for (let ms = 20_000; ms <= 24 * HOUR; ms *= 1.003) times.push(Math.round(ms));

  expect(Math.max(...times.map(off))).toBeLessThanOrEqual(0.1);
  expect(times.slice(0, 10).map(of)).toEqual(times.slice(0, 10));
  expect(of(0)).toBe(1);
  expect(of(40 * HOUR)).toBe(24 * HOUR);
});

test("counts of the earlier release stay shown, and its processes read and add to those of this one", async () => {
  const { clock } = app;
  clock.advance(HOUR - (clock.now().getTime() % HOUR) + SECOND);
  await addAsEarlier(earlierCounts(7, 100));
  const old = await readTotal();
  for (const ms of tookMs(700, 0.01)) record(ms);
  await flushOwnMetrics(ctx);
  await addAsEarlier(earlierCounts(8, 20));
  const mixed = await readTotal();
  const { rows } = await sql<{ seen: number[]; length: number }>`
    select durations[1:16] as seen, cardinality(durations) as length
      from operation_hours where environment_id = ${ctx.environment.id}`.execute(ctx.db);

  expect([old.duration_p50_ms, old.duration_p95_ms]).toEqual([750, 975]);
  expect(mixed.operations).toBe(720);
  expect(mixed.duration_p50_ms).toBeGreaterThan(630);
  expect(mixed.duration_p50_ms).toBeLessThan(770);
  expect(rows.map(({ seen }) => seen)).toEqual([
    earlierCounts(7, 700).map((count, place) => (place === 8 ? 20 : count)),
  ]);
});

test("a row has a bounded number of counts, and none for what is slower than its slowest", async () => {
  for (const ms of [3, 80]) record(ms);
  await flushOwnMetrics(ctx);
  const lengthOf = async () => {
    const { rows } = await sql<{ length: number }>`
      select cardinality(durations) as length from operation_hours
       where environment_id = ${ctx.environment.id}`.execute(ctx.db);
    return rows.map(({ length }) => length);
  };
  const fast = await lengthOf();
  record(10 * MINUTE);
  await flushOwnMetrics(ctx);

  expect(DURATION_COUNTS).toBeLessThanOrEqual(120);
  expect(fast).toHaveLength(1);
  expect(fast[0]).toBeLessThan(45);
  expect(Math.max(...(await lengthOf()))).toBeLessThanOrEqual(DURATION_COUNTS);
  expect(withoutEmptyEnd(earlierCounts(0, 1))).toHaveLength(EARLIER_COUNTS);
});
