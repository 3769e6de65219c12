import { expect, test } from "vitest";
import { newTimeId, type OperationId, ServerStates } from "#foundation";
import { isCallKept } from "./is-call-kept.ts";

test("of a share of nothing the first five calls of each run are kept, and no other", () => {
  const ctx = { state: new ServerStates() };
  const [first, second] = [1, 2].map((ms) => newTimeId<OperationId>(new Date(ms)));

  const kept = (run: OperationId | undefined) =>
    Array.from({ length: 7 }, () => isCallKept(ctx, run, 0)).filter(Boolean).length;

  expect([kept(first), kept(second), kept(undefined), kept(first)]).toEqual([5, 5, 0, 0]);
  expect(Array.from({ length: 7 }, () => isCallKept(ctx, first, 1))).not.toContain(false);
});
