import { expect, test, vi } from "vitest";
import { newRun, newRunOfCode, outputOf, startSandbox } from "./testing/sandbox-fixture.ts";

const SCHEMA =
  "const schema = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
const KEEPS = `${SCHEMA} let kept = null;
  module.exports = { default: { type: "action", input: schema, output: schema, exec: async (svc, input) => {
    const before = kept; kept = input; globalThis.kept = input; await svc.getEnvironmentVariables(); return before; } } };`;
const onCall = async () => ({ value: [] });

function keeping(connection: string, key: string) {
  return newRunOfCode(KEEPS, { connection, input: Buffer.from(JSON.stringify(key)), onCall });
}

test("a process is cleaned for another connection, and keeps what it has for the same", async () => {
  const sandbox = await startSandbox({ maxIdle: 1, memoryMb: 192 });

  const seen = [];
  for (const connection of ["one", "one", "two", "two", "one"]) {
    seen.push(await outputOf(sandbox, keeping(connection, `key of ${connection}`)));
  }

  expect(seen).toEqual([null, "key of one", null, "key of two", null]);
});

test("runs of two connections are never in one process at once", async () => {
  const sandbox = await startSandbox();
  const bothAreIn = Promise.withResolvers<void>();
  let calls = 0;
  const meeting = async () => {
    calls += 1;
    if (calls === 2) bothAreIn.resolve();
    await bothAreIn.promise;
    return { value: [] };
  };

  const seen = await Promise.all(
    ["one", "two"].map((connection) =>
      outputOf(sandbox, { ...keeping(connection, connection), onCall: meeting }),
    ),
  );

  expect(seen).toEqual([null, null]);
});

test("a process that cannot be cleaned is replaced, and the run knows nothing of it", async () => {
  const endings: unknown[] = [];
  const log = (event: string, fields: Record<string, unknown>) => endings.push([event, fields]);
  const sandbox = await startSandbox({ log });
  const body = `const before = globalThis.kept ?? null;
    Object.defineProperty(globalThis, "kept", { value: "left" }); return before;`;
  const run = newRun(body, { exclusive: true });
  await outputOf(sandbox, { ...run, connection: "one" });

  const seen = await outputOf(sandbox, { ...run, connection: "two" });

  expect(seen).toBeNull();
  const reason = "not clean: object";
  expect(endings).toContainEqual(["sandbox.child_ended", { kind: "unfit", reason, runs: 1 }]);
});

test.each([
  [
    "burns CPU",
    "setInterval(() => { const end = Date.now() + 50; while (Date.now() < end); }, 1);",
  ],
  ["answers no more", "setTimeout(() => { for (;;); }, 20);"],
  [
    "sleeps for good",
    "setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 20);",
  ],
])("an idle process that %s is ended", async (_, leave) => {
  const sandbox = await startSandbox({ maxIdle: 1 });
  await outputOf(sandbox, newRun(`${leave} return 1;`));
  const before = sandbox.describe().children;

  await vi.waitFor(() => expect(sandbox.describe().children).toBeLessThan(before), 30_000);
});

test("a run continues elsewhere when what was left holds its process up", async () => {
  const sandbox = await startSandbox();
  const run = newRun(`if (input === "leave") { setImmediate(() => { for (;;); }); } return input;`);
  const given = (input: string) => ({ ...run, input: Buffer.from(JSON.stringify(input)) });
  await outputOf(sandbox, given("leave"));

  expect(await outputOf(sandbox, given("next"))).toBe("next");
});

test("an idle process that does nothing stays", async () => {
  const sandbox = await startSandbox();
  const code = `${SCHEMA} let runs = 0;
    module.exports = { default: { type: "action", input: schema, output: schema, exec: async () => ++runs } };`;
  await outputOf(sandbox, newRunOfCode(code));
  await new Promise((resolve) => setTimeout(resolve, 3500));

  expect(await outputOf(sandbox, newRunOfCode(code))).toBe(2);
});
