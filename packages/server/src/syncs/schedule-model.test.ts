import type { RunError } from "@jackfield/contract/runtime";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addMs, MINUTE, SECOND, type SyncId } from "#foundation";
import type { RunOutcome } from "./runs/end-states.ts";
import { nextSlotAfter, planNext, RETRY_AFTER_MS } from "./schedule/next-run.ts";
import { joinWishes, type NextRun, type RunCause } from "./sync.ts";

// Promise J16: after any events in any order, a schedule that is neither paused nor deleted has one next run,
// at most one run holds it, no slot is retried more than 3 times, and no wish of a caller is lost.

const passing: RunError = { type: "script_network_error", message: "" };
const own: RunError = { type: "script_internal_error", message: "" };

const outcomes: readonly RunOutcome[] = [
  { kind: "success" },
  { kind: "interrupted" },
  { kind: "cancelled" },
  { kind: "failed", error: passing },
  { kind: "failed", error: own },
];

type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "claim" | "pause" | "start" }
  | { readonly do: "trigger"; readonly reset: boolean }
  | { readonly do: "end"; readonly outcome: RunOutcome };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 20 * MINUTE }) }),
  fc.record({
    do: fc.constantFrom("claim" as const, "claim" as const, "pause" as const, "start" as const),
  }),
  fc.record({ do: fc.constant("trigger" as const), reset: fc.boolean() }),
  fc.record({ do: fc.constant("end" as const), outcome: fc.constantFrom(...outcomes) }),
);

/** The rules of claim, trigger and end as the verbs apply them, without the database. */
class Schedule {
  now = new Date("2026-11-21T10:00:00Z");
  readonly intervalMs: number;
  readonly anchoredAt: Date;
  readonly id = "sync" as SyncId;
  readonly deletedAt = null;
  paused = false;
  nextRunAt: Date;
  followUp: NextRun | null = null;
  running: { cause: RunCause; fence: number } | undefined;
  fence = 0;
  wishes = 0;
  served = 0;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
    this.anchoredAt = addMs(this.now, intervalMs / 3);
    this.nextRunAt = this.now;
  }

  take(step: Step): void {
    if (step.do === "wait") this.now = addMs(this.now, step.ms);
    if (step.do === "claim") this.claim();
    if (step.do === "trigger") this.trigger(step.reset);
    if (step.do === "start") this.paused = false;
    if (step.do === "pause") this.pause();
    if (step.do === "end") this.end(step.outcome);
  }

  claim(): void {
    const isOpen = !this.paused || this.followUp !== null;
    if (this.running !== undefined || !isOpen || this.nextRunAt > this.now) return;
    const cause: RunCause = this.followUp ?? { by: "schedule" };
    if (cause.by === "trigger") this.served = this.wishes;
    this.fence += 1;
    this.running = { cause, fence: this.fence };
    this.followUp = null;
    this.nextRunAt = nextSlotAfter(this.now, this);
  }

  trigger(reset: boolean): void {
    this.wishes += 1;
    this.followUp = joinWishes(this.followUp, { reset, emptyCache: false });
    if (this.running === undefined) this.nextRunAt = this.now;
  }

  pause(): void {
    this.paused = true;
    this.followUp = null;
    this.served = this.wishes;
  }

  end(outcome: RunOutcome): void {
    if (this.running === undefined) return;
    const { cause } = this.running;
    const run = { trigger: cause, cancelRequestedAt: null };
    const next = planNext(run, this, { outcome, now: this.now });
    this.running = undefined;
    this.followUp = next?.followUp ?? null;
    this.nextRunAt = next?.at ?? nextSlotAfter(this.now, this);
  }
}

test("2 000 histories leave every schedule with its next run (J16)", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 30, max: 3600 }),
      fc.array(step, { maxLength: 40 }),
      (seconds, steps) => {
        const schedule = new Schedule(seconds * SECOND);
        for (const each of steps) {
          schedule.take(each);
          const { running, followUp, now, nextRunAt, intervalMs, wishes, served } = schedule;
          expect(running?.cause.retry ?? 0).toBeLessThanOrEqual(RETRY_AFTER_MS.length);
          expect(followUp?.retry ?? 0).toBeLessThanOrEqual(RETRY_AFTER_MS.length);
          // Never further away than one interval: the schedule cannot stop.
          expect(nextRunAt.getTime() - now.getTime()).toBeLessThanOrEqual(intervalMs);
          const isAwaited = followUp?.by === "trigger";
          expect(served === wishes || isAwaited).toBe(true);
          expect(running === undefined || running.fence === schedule.fence).toBe(true);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
