import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import { newRunOfCode, outputOf, startSandbox } from "./testing/sandbox-fixture.ts";
import type { Sandbox, SandboxRun } from "./types.ts";

/** An action that calls itself, `input.times` at once, until `input.depth` is 0; answers how many ran in all. */
const CALLS_ITSELF = `
  const schema = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
  module.exports = { default: { type: "action", input: schema, output: schema, exec: async (svc, { depth, times }) => {
    if (depth === 0) return 1;
    const below = await Promise.all(Array.from({ length: times }, () =>
      svc.triggerAction("crm", "c", "act", { depth: depth - 1, times })));
    return below.reduce((sum, count) => sum + count, 1); } } };`;

/** As the host answers: the nested run is one level deeper. */
function nestedRun(
  sandbox: Sandbox,
  input: object,
  change: { depth?: number; distinct?: boolean } = {},
): SandboxRun {
  const { depth = 0, distinct = false } = change;
  const run = newRunOfCode(CALLS_ITSELF, {
    depth,
    environmentId: distinct ? `env-${depth}` : "env-1",
    input: Buffer.from(JSON.stringify(input)),
    onCall: async (call) => {
      if (depth === 4) throw new CallError({ type: "function_nesting_too_deep", message: "deep" });
      const inner = nestedRun(sandbox, JSON.parse(Buffer.from(call.body).toString()), {
        ...change,
        depth: depth + 1,
      });
      return { value: null, body: Buffer.from(JSON.stringify(await outputOf(sandbox, inner))) };
    },
  });
  return run;
}

test("actions that call actions end even where one process is all there is", async () => {
  const sandbox = await startSandbox({ memoryMb: 1 });

  const output = await outputOf(sandbox, nestedRun(sandbox, { depth: 3, times: 2 }));

  expect(output).toBe(15);
});

test("each level has room of its own, so that callers never wait for each other", async () => {
  const sandbox = await startSandbox({ memoryMb: 1 });
  const distinct = { distinct: true };
  const callers = Array.from({ length: 4 }, () =>
    outputOf(sandbox, nestedRun(sandbox, { depth: 4, times: 1 }, distinct)),
  );

  expect(await Promise.all(callers)).toEqual([5, 5, 5, 5]);
});

test("a run that waits for as many actions as it may gets an error, and continues", async () => {
  const sandbox = await startSandbox();

  const run = nestedRun(sandbox, { depth: 1, times: 33 });
  const outcome = await sandbox.run(run);

  expect(outcome).toMatchObject({ kind: "failed" });
  expect(JSON.stringify(outcome)).toContain("too_many_nested_actions");
  expect(await outputOf(sandbox, nestedRun(sandbox, { depth: 1, times: 32 }))).toBe(33);
});
