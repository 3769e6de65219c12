import { expect, test } from "vitest";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { backoffMs } from "./waiting/index.ts";

const newBreaker = () =>
  new CircuitBreaker({ failuresToOpen: 2, pauseMs: (failures) => failures * 100, maxNames: 2 });

test("opens after its failures in a row, and lets one call try when each pause ends", () => {
  const breaker = newBreaker();

  breaker.noteFailure("a", 0);
  const before = breaker.admit("a", 0);
  breaker.noteFailure("a", 0);
  const [open, tries, other] = [199, 200, 201].map((nowMs) => breaker.admit("a", nowMs));
  breaker.noteFailure("a", 250);

  expect(before).toEqual({ tries: false });
  expect([open, tries, other]).toEqual([
    { refusedUntil: 200, tries: false },
    { tries: true },
    { refusedUntil: 400, tries: false },
  ]);
  expect(breaker.admit("a", 549)).toEqual({ refusedUntil: 550, tries: false });
  expect(breaker.admit("b", 0)).toEqual({ tries: false });
});

test("a success closes it, and a try that came to nothing leaves the next one free", () => {
  const breaker = newBreaker();
  for (const nowMs of [0, 0]) breaker.noteFailure("a", nowMs);

  breaker.admit("a", 200);
  breaker.giveBack("a", 210);
  const again = breaker.admit("a", 210);
  const whileOpen = breaker.isClosed("a");
  breaker.noteSuccess("a");

  expect(again).toEqual({ tries: true });
  expect([whileOpen, breaker.isClosed("a")]).toEqual([false, true]);
  expect(breaker.admit("a", 0)).toEqual({ tries: false });
});

test("it knows so many names at most", () => {
  const breaker = newBreaker();

  for (const name of ["a", "b", "c"]) breaker.noteFailure(name, 0);

  expect(["a", "b", "c"].map((name) => breaker.isClosed(name))).toEqual([true, false, false]);
});

test("waits double from the first to the longest", () => {
  const waits = { firstMs: 30, longestMs: 600 };

  expect([0, 1, 2, 3, 5, 6, 2000].map((failures) => backoffMs(waits, failures))).toEqual([
    30, 30, 60, 120, 480, 600, 600,
  ]);
});
