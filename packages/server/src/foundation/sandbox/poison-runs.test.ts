import { expect, test } from "vitest";
import { failureOf, newRun, outputOf, startSandbox } from "./testing/sandbox-fixture.ts";

/** What a run may do to itself, and how it ends; those who have time end at their time limit. */
const poison: readonly [name: string, body: string, endings: readonly string[]][] = [
  ["a busy loop", "for (;;) {}", ["function_runtime_timed_out"]],
  [
    "an endless chain of microtasks",
    "const again = () => Promise.resolve().then(again); await again();",
    ["function_runtime_timed_out", "function_runtime_out_of_memory"],
  ],
  [
    "an endless chain of ticks",
    "const again = () => process.nextTick(again); again(); await new Promise(() => {});",
    ["function_runtime_timed_out"],
  ],
  [
    "a pattern that never ends",
    'return /^(a+)+$/.test("a".repeat(50) + "!");',
    ["function_runtime_timed_out"],
  ],
  [
    "a wait on shared memory",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1;",
    ["function_runtime_timed_out", "script_internal_error"],
  ],
  ["a promise that never settles", "await new Promise(() => {});", ["function_runtime_timed_out"]],
  [
    "a heap that grows",
    "const all = []; for (;;) all.push(new Array(1000).fill(all.length));",
    ["function_runtime_out_of_memory"],
  ],
  [
    "text that doubles",
    'let text = "x"; const all = []; for (;;) { text = (text + text).slice(0, 2 ** 28); all.push(Buffer.from(text)); }',
    ["function_runtime_out_of_memory", "script_internal_error"],
  ],
  [
    "buffers without end",
    "const all = []; for (;;) all.push(new Uint8Array(20e6).fill(1));",
    ["function_runtime_out_of_memory", "script_internal_error"],
  ],
  [
    "a packed bomb",
    'const zlib = require("zlib"); const all = []; const packed = zlib.gzipSync(Buffer.alloc(30e6)); for (;;) all.push(zlib.gunzipSync(packed));',
    ["function_runtime_out_of_memory", "script_internal_error"],
  ],
  [
    "timers without end",
    "for (;;) setTimeout(() => {}, 1e6);",
    ["function_runtime_out_of_memory", "function_runtime_timed_out"],
  ],
  [
    "a recursion without end",
    "const deep = () => deep() + 1; return deep();",
    ["script_internal_error"],
  ],
  ["a fork", 'require("child_process").fork("x");', ["script_internal_error"]],
  ["an early exit", "process.exit(0);", ["script_internal_error"]],
  ["a thrown text", 'throw "plain";', ["script_internal_error"]],
  ["a thrown nothing", "throw undefined;", ["script_internal_error"]],
  [
    "an output that refers to itself",
    "const a = {}; a.a = a; return a;",
    ["script_internal_error"],
  ],
  ["an output with a bigint", "return { n: 1n };", ["script_internal_error"]],
  ["a function as output", "return () => 1;", ["script_internal_error"]],
  [
    "an output whose writing never ends",
    "return { toJSON() { for (;;) {} } };",
    ["function_runtime_timed_out"],
  ],
  [
    "log lines without end",
    'for (;;) await svc.log("x".repeat(1000));',
    ["function_runtime_timed_out"],
  ],
  [
    "calls without end that nobody awaits",
    'for (;;) { svc.log("x".repeat(1000)).catch(() => {}); if (Math.random() < 0.001) await 0; }',
    ["function_runtime_timed_out", "function_runtime_out_of_memory"],
  ],
];

test("poison ends its own run with its own code, and a run of another environment continues", async () => {
  const sandbox = await startSandbox({ heapMb: 64, memoryMb: 500 });
  const isDone = Promise.withResolvers<void>();
  const bystander = outputOf(
    sandbox,
    newRun("await svc.getEnvironmentVariables(); return 'fine';", {
      environmentId: "bystander",
      onCall: async () => {
        await isDone.promise;
        return { value: [] };
      },
    }),
  );

  const endings = await Promise.all(
    poison.map(async ([name, body, allowed], index) => {
      const timeoutMs = allowed.includes("function_runtime_timed_out") ? 1200 : 20_000;
      const run = newRun(body, { environmentId: `poison-${index}`, timeoutMs });
      return { name, ending: await failureOf(sandbox, run), allowed };
    }),
  );
  isDone.resolve();

  expect(endings.filter(({ ending, allowed }) => !allowed.includes(ending))).toEqual([]);
  expect(await bystander).toBe("fine");
});

test("a rejection after the answer harms nothing", async () => {
  const sandbox = await startSandbox();
  const body = `setTimeout(() => { Promise.reject(new Error("late")); }, 5); return input;`;

  expect(await outputOf(sandbox, newRun(body, { input: Buffer.from("1") }))).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await outputOf(sandbox, newRun(body, { input: Buffer.from("2") }))).toBe(2);
});

test("cancelling ends a run within 5 s regardless of what it hangs on, and nothing is written after", async () => {
  const sandbox = await startSandbox({ memoryMb: 1200 });
  const cancel = new AbortController();
  const bodies = [
    "await svc.getEnvironmentVariables(); for (;;) {}",
    'await svc.getEnvironmentVariables(); await svc.get({ endpoint: "/slow" });',
    "await svc.getEnvironmentVariables(); await new Promise((resolve) => setTimeout(resolve, 60000)); await svc.setMetadata({ late: true });",
    "await svc.getEnvironmentVariables(); for (;;) await new Promise(setImmediate);",
  ];
  const allAreIn = Promise.withResolvers<void>();
  const rounds = 5;
  let started = 0;
  let lateCalls = 0;
  const failures = Array.from({ length: rounds * bodies.length }, (_, n) =>
    failureOf(
      sandbox,
      newRun(bodies[n % bodies.length] ?? "", {
        signal: cancel.signal,
        environmentId: `env-${n % bodies.length}`,
        onCall: async ({ method }) => {
          if (method === "getEnvironmentVariables") {
            started += 1;
            if (started === rounds * bodies.length) allAreIn.resolve();
            await allAreIn.promise;
            return { value: [] };
          }
          if (cancel.signal.aborted) lateCalls += 1;
          return await new Promise(() => {});
        },
      }),
    ),
  );
  await allAreIn.promise;

  const startedAt = performance.now();
  cancel.abort();

  expect(new Set(await Promise.all(failures))).toEqual(new Set(["script_aborted"]));
  // The promise itself, not a measure of speed.
  expect(performance.now() - startedAt).toBeLessThan(5000);
  expect(lateCalls).toBe(0);
});

test("nothing that one function does to its process reaches another's", async () => {
  const sandbox = await startSandbox();
  const pollute = `globalThis.leak = 1; Object.prototype.leak = 1; Array.prototype.map = () => "mine";
    process.env.LEAK = "1"; Promise.prototype.leak = 1; require("util").leak = 1; return 1;`;
  const look = `return [globalThis.leak, {}.leak, process.env.LEAK, [1].map((n) => n)[0], require("util").leak];`;
  await outputOf(sandbox, newRun(pollute));

  const elsewhere = [newRun(look), newRun(look, { environmentId: "env-2" })];

  for (const run of elsewhere) {
    expect(await outputOf(sandbox, run)).toEqual([null, null, null, 1, null]);
  }
});
