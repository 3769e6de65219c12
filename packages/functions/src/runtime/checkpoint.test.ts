import { expect, test } from "vitest";
import * as z from "zod";
import { ExecutionInterrupted } from "./run-failure.ts";
import { testRun } from "./testing/test-run.ts";

test("a flat checkpoint is saved, dates as text", async () => {
  const { svc, calls } = testRun({ answer: () => ({ value: { page: 2 } }) });

  await svc.saveCheckpoint({ page: 2, done: false, since: new Date(0), none: undefined });
  expect(await svc.getCheckpoint()).toEqual({ page: 2 });
  await svc.clearCheckpoint();

  expect(calls.map(({ method }) => method)).toEqual([
    "saveCheckpoint",
    "getCheckpoint",
    "clearCheckpoint",
  ]);
  expect(calls[0]?.params["checkpoint"]).toEqual({
    page: 2,
    done: false,
    since: "1970-01-01T00:00:00.000Z",
  });
});

test.each([
  [{ deep: { a: 1 } }, '"deep" must be'],
  [{ list: [1] }, '"list" must be'],
  [{ nothing: null }, '"nothing" must be'],
  [{ at: new Date(Number.NaN) }, '"at" must be'],
  [{ text: "x".repeat(4001) }, "longer than 4000"],
  [{ ["x".repeat(256)]: 1 }, "1 to 255"],
  [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`f${index}`, 1])), "at most 16"],
  ["text", "pass an object"],
])("refuses the checkpoint %j", async (checkpoint, message) => {
  const { svc, calls } = testRun();

  // @ts-expect-error authors may come without types
  await expect(svc.saveCheckpoint(checkpoint)).rejects.toThrow(message);
  expect(calls).toEqual([]);
});

test("past the soft limit a save pauses the run, after the save", async () => {
  const { svc, calls, clock } = testRun({ facts: { softTimeoutMs: 5000 } });

  clock.nowMs += 4999;
  await svc.saveCheckpoint({ page: 1 });
  clock.nowMs += 1;

  await expect(svc.saveCheckpoint({ page: 2 })).rejects.toBeInstanceOf(ExecutionInterrupted);
  expect(calls).toHaveLength(2);
});

test("a cancelled run still saves its checkpoint, then stops; nothing else goes out", async () => {
  const { svc, run, calls } = testRun({ schemas: { models: { Contact: z.object({}) } } });
  run.state = "cancelled";

  await expect(svc.saveCheckpoint({ page: 2 })).rejects.toMatchObject({ type: "script_aborted" });
  await expect(svc.get({ endpoint: "/x" })).rejects.toMatchObject({ type: "script_aborted" });
  await expect(svc.getConnection()).rejects.toMatchObject({ type: "script_aborted" });
  await expect(svc.batchSave([], "Contact")).rejects.toMatchObject({ type: "script_aborted" });
  await expect(svc.log("x")).rejects.toMatchObject({ type: "script_aborted" });
  expect(calls.map(({ method }) => method)).toEqual(["saveCheckpoint"]);
});

test("at its time limit a run still saves its checkpoint, then every call fails", async () => {
  const { svc, calls, clock } = testRun({ facts: { callTimeoutMs: 5000 } });
  clock.nowMs += 5000;

  await expect(svc.saveCheckpoint({ page: 2 })).rejects.toMatchObject({
    type: "execution_timeout",
  });
  await expect(svc.getConnection()).rejects.toMatchObject({ type: "execution_timeout" });
  expect(calls.map(({ method }) => method)).toEqual(["saveCheckpoint"]);
});

test("a run that has ended lets nothing out", async () => {
  const { svc, run, calls } = testRun();
  run.state = "ended";

  await expect(svc.saveCheckpoint({ page: 2 })).rejects.toMatchObject({ type: "run_ended" });
  await expect(svc.getEnvironmentVariables()).rejects.toMatchObject({ type: "run_ended" });
  await svc.log("late");
  expect(calls).toEqual([]);
});
