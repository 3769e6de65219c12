import { expect, test } from "vitest";
import { justBefore } from "./just-before.ts";

test.each([
  ["2026-11-28T10:00:00.123457+00:00", "2026-11-28T10:00:00.123456Z"],
  ["2026-11-28T10:00:00.000000+00:00", "2026-11-28T09:59:59.999999Z"],
  ["2026-01-01T00:00:00+00:00", "2025-12-31T23:59:59.999999Z"],
  ["2026-11-28T10:00:00.5+00:00", "2026-11-28T10:00:00.499999Z"],
])("a microsecond before %s is %s", (at, before) => {
  expect(justBefore(at)).toBe(before);
});
