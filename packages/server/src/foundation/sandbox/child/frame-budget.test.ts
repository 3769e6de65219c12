import { expect, test } from "vitest";
import { FrameBudget, type FrameShare } from "./frame-budget.ts";

function track(budget: FrameBudget) {
  const shares: Record<string, FrameShare> = {};
  const take = (name: string, bytes: number, environmentId = "a") =>
    budget.take(environmentId, bytes, (share) => {
      shares[name] = share;
    });
  return { shares, take, granted: () => Object.keys(shares) };
}

test("an environment's frames beyond its part wait, and another's pass", () => {
  const budget = new FrameBudget({ totalBytes: 300, environmentBytes: 100 });
  const { take, granted, shares } = track(budget);

  take("first", 80);
  take("second", 30);
  take("other", 100, "b");
  const before = granted();
  shares["first"]?.release();

  expect(before).toEqual(["first", "other"]);
  expect(granted()).toEqual(["first", "other", "second"]);
  expect(budget.usedBytes).toBe(130);
});

test("frames are admitted in the order of their arrival within an environment", () => {
  const budget = new FrameBudget({ totalBytes: 300, environmentBytes: 100 });
  const { take, granted, shares } = track(budget);

  take("first", 60);
  take("large", 90);
  take("small", 50);
  shares["first"]?.release();

  expect(granted()).toEqual(["first", "large"]);
});

test("a share is given back once, and who stops waiting gets none", () => {
  const budget = new FrameBudget({ totalBytes: 100, environmentBytes: 100 });
  const { take, granted, shares } = track(budget);

  take("first", 100);
  const stop = take("second", 100);
  stop();
  shares["first"]?.release();
  shares["first"]?.release();

  expect(granted()).toEqual(["first"]);
  expect([budget.usedBytes, budget.waitingCount]).toEqual([0, 0]);
});
