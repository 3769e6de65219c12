import { expect, test } from "vitest";
import { addMs, newTimeId, type OperationId } from "#foundation";
import { splitPhases, toRunTimingMeta } from "./run-timing.ts";

const createdAt = new Date("2026-01-31T12:00:00.000Z");
const id = newTimeId<OperationId>(createdAt);

test("a run that was timed has its phases, and other facts stay", () => {
  const meta = toRunTimingMeta(id, {
    ...{ startedAt: addMs(createdAt, 12), queueMs: 1500, waitMs: 0.4, startMs: 230.123 },
    ...{ isCold: true, functionMs: 900.6, saves: { count: 3, afterMs: 100.2, ms: 50.7 } },
  });

  expect(splitPhases({ ...meta, attempts: 1 })).toEqual({
    phases: {
      ...{ queue_ms: 1500, before_ms: 12, process_wait_ms: 0, process_start_ms: 230 },
      ...{ is_cold: true, function_ms: 901, saves: { count: 3, after_ms: 100, busy_ms: 51 } },
    },
    meta: { attempts: 1 },
  });
});

test("one whose function never began has waited only", () => {
  const meta = toRunTimingMeta(id, { startedAt: createdAt, queueMs: 0, waitMs: 2000 });

  expect(splitPhases(meta)).toEqual({
    phases: {
      ...{ queue_ms: 0, before_ms: 0, process_wait_ms: 2000, process_start_ms: null },
      ...{ is_cold: null, function_ms: null, saves: null },
    },
    meta: null,
  });
});

test.each([null, {}, { run_timing: 5 }])("of %j no phases are known", (meta) => {
  expect(splitPhases(meta)).toEqual({ phases: null, meta: null });
});

test("what was not timed stores nothing", () => {
  expect(toRunTimingMeta(id, undefined)).toEqual({});
});
