import { expect, test } from "vitest";
import type { StageCount } from "../../data/integrations.ts";
import { findLargestLoss, toFunnel } from "./funnel.ts";

const count = (stage: StageCount["stage"], succeeded: number, failed: number): StageCount => ({
  ...{ day: "2026-01-01", provider: "github", stage },
  ...{ succeeded, failed },
});

test("who was sent to the provider and did not come back is lost there", () => {
  const steps = toFunnel([
    count("authorization", 6, 0),
    count("authorization", 4, 1),
    count("callback", 5, 2),
    count("token", 5, 0),
    count("refresh", 90, 9),
  ]);

  expect(steps).toEqual([
    { stage: "authorization", reached: 11, succeeded: 10, failed: 1, lost: 0 },
    { stage: "callback", reached: 7, succeeded: 5, failed: 2, lost: 3 },
    { stage: "token", reached: 5, succeeded: 5, failed: 0, lost: 0 },
  ]);
  expect(findLargestLoss(steps)).toEqual({ stage: "callback", kind: "lost", count: 3 });
});

test("a provider without a redirect has its own stages, and loses nobody at others", () => {
  const steps = toFunnel([count("verification", 3, 4)]);

  expect(steps.map(({ stage, lost }) => [stage, lost])).toEqual([["verification", 0]]);
  expect(findLargestLoss(steps)).toEqual({ stage: "verification", kind: "failed", count: 4 });
  expect(findLargestLoss(toFunnel([count("token", 3, 0)]))).toBeUndefined();
});
