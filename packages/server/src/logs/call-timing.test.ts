import { expect, test } from "vitest";
import { splitTiming, toTimingMeta } from "./call-timing.ts";

test("parts that took no time are not stored", () => {
  const stored = toTimingMeta({ credentials: 0, wait: 0.004, upstream: 12.3456 });

  expect(stored).toEqual({ timing: { upstream: 12.35 } });
  expect(toTimingMeta({ credentials: 0 })).toBeUndefined();
  expect(toTimingMeta(undefined)).toBeUndefined();
});

test.each([
  [
    { timing: { upstream: 12.35, wait: 5 } },
    20,
    { credentials_ms: 0, wait_ms: 5, upstream_ms: 12, other_ms: 3 },
  ],
  // Both were rounded, or another clock measured the whole.
  [
    { timing: { upstream: 12.6 } },
    12,
    { credentials_ms: 0, wait_ms: 0, upstream_ms: 13, other_ms: 0 },
  ],
  [{}, 20, null],
  [null, 20, null],
])("of %j in %i ms the parts are %j", (meta, durationMs, timing) => {
  expect(splitTiming(meta, durationMs)).toEqual({ timing, meta: null });
});

test("other facts stay", () => {
  const { timing, meta } = splitTiming({ timing: { upstream: 1 }, cause: "x" }, 1);

  expect([timing?.upstream_ms, meta]).toEqual([1, { cause: "x" }]);
});
