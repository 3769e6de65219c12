import type { RunError } from "@jackfield/contract/runtime";
import { expect, test } from "vitest";
import { addMs, MINUTE, SECOND } from "#foundation";
import { joinWishes, type NextRun } from "../sync.ts";
import { isPassing, nextSlotAfter, planNext } from "./next-run.ts";

const now = new Date("2026-11-21T10:00:00Z");
const sync = {
  followUp: null,
  paused: false,
  deletedAt: null,
  intervalMs: 15 * MINUTE,
  anchoredAt: addMs(now, -MINUTE),
};
const run = { trigger: { by: "schedule" }, cancelRequestedAt: null } as const;
const brokenProvider = {
  type: "script_http_error",
  message: "503",
  upstream: { status: 503, headers: {} },
} as RunError;

function after(error: RunError, retry?: number, change: Partial<typeof sync> = {}) {
  const trigger = { by: "retry", ...(retry === undefined ? {} : { retry }) } as const;
  const outcome = { kind: "failed", error } as const;
  return planNext({ ...run, trigger }, { ...sync, ...change }, { outcome, now });
}

test("a passing failure is tried again after 10 s, 1 min and 5 min, then the slot is lost", () => {
  const plans = [0, 1, 2, 3].map((retry) => after(brokenProvider, retry));

  expect(plans.map((plan) => plan && (plan.at.getTime() - now.getTime()) / SECOND)).toEqual([
    10,
    60,
    300,
    undefined,
  ]);
  expect(plans[1]?.followUp).toEqual({
    by: "retry",
    reset: false,
    emptyCache: false,
    retry: 2,
  });
});

test("a run without credentials is tried again when they are, or at once when they have come", () => {
  const inMinutes = (minutes: number) => addMs(now, minutes * MINUTE);
  const away = { type: "connection_refresh_backoff", message: "no token" };
  const gone = { kind: "failed", error: { type: "invalid_credentials", message: "gone" } } as const;
  const again = (isRenewed: boolean, change: Partial<typeof sync> = {}) =>
    planNext(run, { ...sync, ...change }, { outcome: gone, now, isRenewed });

  expect(after({ ...away, retryAt: inMinutes(4).toISOString() }, 0)?.at).toEqual(inMinutes(4));
  expect(after({ ...away, retryAt: inMinutes(4).toISOString() }, 2)?.at).toEqual(inMinutes(5));
  expect(after({ ...away, retryAt: inMinutes(20).toISOString() }, 0)).toBeUndefined();
  expect(again(false)).toBeUndefined();
  expect(again(true)).toMatchObject({ at: now, followUp: { by: "retry", retry: 1 } });
  expect(again(true, { paused: true })).toBeUndefined();
});

test("a run that failed before it had removed the records leaves that to its retry", () => {
  const trigger = { by: "trigger", emptyCache: true } as const;
  const outcome = { kind: "failed", error: brokenProvider } as const;

  const plan = planNext({ ...run, trigger }, sync, { outcome, now });

  expect(plan?.followUp).toMatchObject({ by: "retry", emptyCache: true });
});

test("no retry passes the next slot, and a paused sync has none", () => {
  const soon = { anchoredAt: addMs(now, -sync.intervalMs + 30 * SECOND) };

  expect(after(brokenProvider, 0, soon)?.at).toEqual(addMs(now, 10 * SECOND));
  expect(after(brokenProvider, 1, soon)).toBeUndefined();
  expect(after(brokenProvider, 0, { paused: true })).toBeUndefined();
});

test.for([
  [{ type: "script_http_error", message: "", upstream: { status: 500, headers: {} } }, true],
  [{ type: "script_http_error", message: "", upstream: { status: 429, headers: {} } }, true],
  [{ type: "script_http_error", message: "", upstream: { status: 404, headers: {} } }, false],
  [{ type: "script_network_error", message: "" }, true],
  [{ type: "server_error", message: "" }, true],
  [{ type: "action_script_runtime_error", message: "" }, false],
  [{ type: "script_internal_error", message: "" }, false],
  [{ type: "execution_timeout", message: "" }, false],
  [{ type: "delete_guard", message: "" }, false],
] as [RunError, boolean][])("%j passes by itself: %s", ([error, expected]) => {
  expect(isPassing(error)).toBe(expected);
});

test("a trigger that came meanwhile comes first", () => {
  const followUp: NextRun = { by: "trigger", reset: false, emptyCache: true };
  const outcome = { kind: "interrupted" } as const;

  const plan = planNext(run, { ...sync, followUp }, { outcome, now });
  const afresh = planNext(
    run,
    { ...sync, followUp: { ...followUp, reset: true } },
    { outcome, now },
  );

  expect(plan).toEqual({
    at: now,
    followUp: { by: "trigger", reset: false, emptyCache: false },
  });
  expect(afresh?.followUp).toEqual({ by: "trigger", reset: true, emptyCache: true });
});

test("the next slot is the first point of the grid after now, also on it", () => {
  const grid = { intervalMs: MINUTE, anchoredAt: addMs(now, 20 * SECOND) };

  expect(nextSlotAfter(now, grid)).toEqual(addMs(now, 20 * SECOND));
  expect(nextSlotAfter(addMs(now, 20 * SECOND), grid)).toEqual(addMs(now, 80 * SECOND));
  expect(nextSlotAfter(addMs(now, 3600 * SECOND), grid)).toEqual(addMs(now, 3620 * SECOND));
});

test("records are removed only where one trigger asks for it together with a reset", () => {
  const wish = (reset: boolean, emptyCache: boolean) => ({ reset, emptyCache });
  const ignored = joinWishes(joinWishes(null, wish(false, true)), wish(true, false));
  const wanted = joinWishes(joinWishes(null, wish(true, true)), wish(false, false));

  expect([ignored, wanted]).toMatchObject([
    { reset: true, emptyCache: false },
    { reset: true, emptyCache: true },
  ]);
});
