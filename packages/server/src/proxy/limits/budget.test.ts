import { expect, test } from "vitest";
import { Budget } from "./budget.ts";

const start = 1_000_000;

/** Sends as many as there is room for, at most `most`, and has them answered. */
function spend(budget: Budget, nowMs: number, most = 1_000): number {
  let sent = 0;
  while (sent < most && budget.room(nowMs) >= 1) {
    budget.sent(nowMs);
    budget.ended(true);
    sent += 1;
  }
  return sent;
}

test("the first call goes alone, until it is answered or two seconds have passed", () => {
  const budget = new Budget(start);
  expect(budget.room(start)).toBe(1);

  budget.sent(start);
  expect([budget.room(start), budget.nextAt(start)]).toEqual([0, start + 2_000]);
  expect(budget.room(start + 2_000)).toBe(Number.POSITIVE_INFINITY);
  budget.ended(true);

  expect(budget.room(start + 1)).toBe(Number.POSITIVE_INFINITY);
});

test("of what an answer says is left, calls in flight may have used a part", () => {
  const budget = new Budget(start);
  for (let sent = 0; sent < 3; sent += 1) budget.sent(start);

  budget.note({ remaining: 10, resetMs: 5_000, limit: 20 }, start);
  expect(budget.room(start)).toBe(7);
  // An answer that was overtaken says more than there is.
  budget.note({ remaining: 12, resetMs: 5_000, limit: 20 }, start);
  for (let ended = 0; ended < 3; ended += 1) budget.ended(true);

  expect(budget.room(start)).toBe(10);
  expect(budget.limit).toBe(20);
});

test("the next window begins with one call, whose answer says how many may follow", () => {
  const budget = new Budget(start);
  budget.note({ remaining: 0, resetMs: 1_000, limit: 50 }, start);
  expect([budget.room(start), budget.nextAt(start)]).toEqual([0, start + 1_000]);

  const next = start + 1_000;
  expect(budget.room(next)).toBe(1);
  budget.sent(next);
  expect(budget.room(next)).toBe(0);
  budget.note({ remaining: 49, resetMs: 1_000, limit: 50 }, next);
  budget.ended(true);

  expect(budget.room(next)).toBe(49);
});

test("nothing is sent while the provider takes no calls", () => {
  const budget = new Budget(start);
  spend(budget, start, 1);

  budget.useUp(start + 500, start);

  expect([budget.room(start + 499), budget.nextAt(start + 1)]).toEqual([0, start + 500]);
  expect(budget.room(start + 500)).toBeGreaterThan(0);
});

test("what a window took before a refusal is the limit of the next ones, and a guess grows", () => {
  const budget = new Budget(start);
  expect(spend(budget, start, 8)).toBe(8);
  budget.useUp(start + 1_000, start + 200);

  const second = spend(budget, start + 1_000);
  const third = spend(budget, start + 2_000);

  expect([second, third]).toEqual([8, 10]);
});

test("a limit that a whole window has shown is kept to, and tried again after ten windows", () => {
  const budget = new Budget(start);
  spend(budget, start, 40);
  budget.useUp(start + 1_000, start + 200);
  expect(spend(budget, start + 1_000, 30)).toBe(30);
  budget.useUp(start + 2_000, start + 1_500);

  const windows = Array.from({ length: 12 }, (_, n) => spend(budget, start + 2_000 + n * 1_000));

  expect(windows.slice(0, 10)).toEqual(Array(10).fill(30));
  expect(windows.slice(10)).toEqual([32, 32]);
});

test("answers that come after the first refusal still count for the limit", () => {
  const budget = new Budget(start);
  spend(budget, start, 1);
  for (let sent = 0; sent < 9; sent += 1) budget.sent(start);
  budget.useUp(start + 1_000, start);
  for (let ended = 0; ended < 9; ended += 1) budget.ended(true);

  expect(budget.limit).toBe(10);
});

test("ten minutes after a refusal nothing is known any more", () => {
  const budget = new Budget(start);
  spend(budget, start, 5);
  budget.useUp(start + 1_000, start);

  const later = start + 11 * 60_000;

  expect(spend(budget, later, 500)).toBe(500);
});
