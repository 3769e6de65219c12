import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import {
  failureOf,
  newRun,
  newRunOfCode,
  outputOf,
  startSandbox,
} from "./testing/sandbox-fixture.ts";
import { newFacts } from "./testing/test-facts.ts";
import type { Call } from "./types.ts";

const COUNTER = `let runs = 0;
  const schema = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
  module.exports = { default: { type: "action", input: schema, output: schema, exec: async (svc) => {
    runs += 1; const mine = runs; await svc.getEnvironmentVariables(); return mine; } } };`;
const noVariables = async () => ({ value: [] });

test("a function gets its input and its output comes back", async () => {
  const sandbox = await startSandbox();

  const run = newRun("return { doubled: input.n * 2 };", { input: Buffer.from('{"n":21}') });

  expect(await outputOf(sandbox, run)).toEqual({ doubled: 42 });
});

test("no process exists before the first run", async () => {
  const sandbox = await startSandbox();

  expect(sandbox.describe()).toMatchObject({ children: 0, idle: 0 });
});

test("a process is used again for the same bundle and environment, never for another environment", async () => {
  const sandbox = await startSandbox();
  const run = newRunOfCode(COUNTER, { onCall: noVariables });
  const elsewhere = { ...run, environmentId: "env-2" };

  const outputs = [];
  for (const next of [run, run, elsewhere, run, elsewhere]) {
    outputs.push(await outputOf(sandbox, next));
  }

  expect(outputs).toEqual([1, 2, 1, 3, 2]);
});

test("another version of a bundle gets another process", async () => {
  const sandbox = await startSandbox();
  const run = newRunOfCode(COUNTER, { onCall: noVariables });
  await outputOf(sandbox, run);

  const changed = { ...run, bundle: { ...run.bundle, id: "another" } };

  expect(await outputOf(sandbox, changed)).toBe(1);
});

test("shared runs are in one process at once, exclusive ones are not", async () => {
  const sandbox = await startSandbox();
  const bothAreIn = Promise.withResolvers<void>();
  let calls = 0;
  const onCall = async () => {
    calls += 1;
    if (calls % 2 === 0) bothAreIn.resolve();
    await bothAreIn.promise;
    return { value: [] };
  };
  const run = newRunOfCode(COUNTER, { onCall });

  const shared = await Promise.all([outputOf(sandbox, run), outputOf(sandbox, run)]);
  const alone = { ...run, environmentId: "env-2", exclusive: true };
  const exclusive = await Promise.all([outputOf(sandbox, alone), outputOf(sandbox, alone)]);

  expect(shared.toSorted()).toEqual([1, 2]);
  expect(exclusive).toEqual([1, 1]);
});

test("calls reach the host with checked parameters, and a CallError reaches the function", async () => {
  const sandbox = await startSandbox();
  const calls: Call[] = [];
  const run = newRun(
    `await svc.log("hello");
     try { await svc.getEnvironmentVariables(); } catch (error) { return error.message; }`,
    {
      onCall: async (call) => {
        calls.push(call);
        if (call.method === "log") return { value: null };
        throw new CallError({ type: "script_internal_error", message: "no variables today" });
      },
    },
  );

  expect(await outputOf(sandbox, run)).toContain("no variables today");
  expect(calls[0]).toMatchObject({ method: "log", params: { level: "info", message: "hello" } });
});

test("what fails inside the platform is hidden from the function and logged", async () => {
  const events: string[] = [];
  const sandbox = await startSandbox({ log: (event) => events.push(event) });
  const run = newRun(
    "try { await svc.getEnvironmentVariables(); } catch (error) { return error.message; }",
    { onCall: () => Promise.reject(new Error("password is 1234")) },
  );

  expect(await outputOf(sandbox, run)).not.toContain("1234");
  expect(events).toContain("sandbox.call_failed");
});

test("a syntax error fails the run, and the next bundle runs", async () => {
  const sandbox = await startSandbox();

  expect(await failureOf(sandbox, newRunOfCode("syntax error here"))).toBe("script_internal_error");
  expect(await outputOf(sandbox, newRun("return 1;"))).toBe(1);
});

test("an output over the limit is refused", async () => {
  const sandbox = await startSandbox();
  const facts = { ...newFacts(), outputLimitBytes: 1000 };

  const run = newRun("return 'x'.repeat(2000);", { facts });

  expect(await failureOf(sandbox, run)).toBe("script_output_too_large");
});

test("a run waits while the memory budget is in use, and idle processes make room for it", async () => {
  const sandbox = await startSandbox({ memoryMb: 200 });
  const isHeld = Promise.withResolvers<void>();
  const isIn = Promise.withResolvers<void>();
  const held = newRun("await svc.getEnvironmentVariables(); return 1;", {
    onCall: async () => {
      isIn.resolve();
      await isHeld.promise;
      return { value: [] };
    },
  });
  const first = outputOf(sandbox, held);
  await isIn.promise;
  const second = outputOf(sandbox, newRun("return 2;", { environmentId: "env-2" }));

  expect(sandbox.describe()).toMatchObject({ children: 1, idle: 0 });
  isHeld.resolve();
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(sandbox.describe().children).toBe(1);
});

test("a run that may not wait long fails when no process becomes free, and did nothing", async () => {
  const sandbox = await startSandbox({ memoryMb: 192, heapMb: 256 });
  const { promise: busy, resolve: release } = Promise.withResolvers<void>();
  const onCall = async () => {
    await busy;
    return { value: null };
  };
  const first = sandbox.run(newRun("await svc.log('x'); return 1;", { exclusive: true, onCall }));
  const impatient = { exclusive: true, startTimeoutMs: 50 };

  const late = await sandbox.run(newRun("return 2;", impatient));
  release();

  expect(late).toMatchObject({ kind: "failed", error: { type: "overloaded" } });
  expect((await first).kind).toBe("done");
  const patient = { ...impatient, startTimeoutMs: 10_000 };
  expect(await outputOf(sandbox, newRun("return 3;", patient))).toBe(3);
});

test("the kind of isolation is reported", async () => {
  const sandbox = await startSandbox();

  const { level, reason } = sandbox.describe();

  if (level !== "sealed") expect(reason).toMatch(/\w/);
  else expect(reason).toBeUndefined();
});
