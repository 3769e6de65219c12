import { expect, test } from "vitest";
import { describeDelay, type LateSync, type Load } from "./describe-delay.ts";

const now = new Date("2026-01-31T12:00:00.000Z");
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const free: Load = { slots: 10, running: 2, own: 1, share: 8 };
const due = (seconds: number): LateSync => ({ dueAt: before(seconds), run: undefined });
const withRun = (state: "waiting" | "running", attempts: number, seconds: number): LateSync => ({
  dueAt: undefined,
  run: { state, attempts, createdAt: before(seconds), startedAt: null, quotaUntil: null },
});
const held = (attempts: number, secondsAgo: number): LateSync => ({
  dueAt: undefined,
  run: {
    ...{ state: "running", attempts, createdAt: before(90), startedAt: before(80) },
    quotaUntil: before(secondsAgo),
  },
});

test.each([
  ["a sync in time", due(-60), free, null],
  ["one that is due for less than a minute", due(59), free, null],
  ["one that is not to run", { dueAt: undefined, run: undefined }, free, null],
  ["a run that was begun once", withRun("running", 1, 900), free, null],
  ["a run that was queued just now", withRun("waiting", 0, 10), free, null],
  ["no worker", due(60), { ...free, slots: 0, share: 0 }, "no_worker"],
  ["a queued run without a worker", withRun("waiting", 0, 60), { ...free, slots: 0 }, "no_worker"],
  ["an environment with its share", due(60), { ...free, own: 8 }, "environment_busy"],
  ["workers without a slot", due(60), { ...free, running: 10 }, "installation_busy"],
  ["a free slot", due(60), free, "queued"],
  ["a run whose provider takes no calls", held(1, -30), free, "rate_limited"],
  ["a run that was begun again and waits", held(2, -30), free, "rate_limited"],
  ["a run whose provider takes calls again", held(1, 1), free, null],
  ["a run that was begun again", withRun("running", 3, 5), free, "taken_over"],
])("%s", (_case, sync, load, reason) => {
  expect(describeDelay(sync, load, now)?.reason ?? null).toBe(reason);
});

test("a delay says how many run, how many may, and how often a run was begun", () => {
  const busy = describeDelay(due(90), { ...free, own: 8 }, now);
  const again = describeDelay(withRun("running", 3, 5), free, now);

  const waits = describeDelay(held(1, -30), free, now);

  const none = { running: null, limit: null, attempts: null, until: null };
  const since = "2026-01-31T11:58:30.000Z";
  expect(busy).toEqual({ ...none, reason: "environment_busy", since, running: 8, limit: 8 });
  expect(waits).toEqual({
    ...none,
    reason: "rate_limited",
    since: "2026-01-31T11:58:40.000Z",
    until: "2026-01-31T12:00:30.000Z",
  });
  expect(again).toMatchObject({ ...none, reason: "taken_over", attempts: 3 });
});
