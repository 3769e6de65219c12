import type { ScriptCall } from "@jackfield/contract/script";
import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import { startSandbox } from "./testing/sandbox-fixture.ts";
import type { Sandbox, SandboxRun } from "./types.ts";

const START = Date.UTC(2026, 0, 1);

let count = 0;

function newScript(code: string, options: Partial<SandboxRun> = {}): SandboxRun {
  count += 1;
  return {
    environmentId: "env-1",
    connection: "session-1",
    bundle: { id: `script ${count}`, filename: "script.ts", code },
    facts: { seed: "0123456789abcdef0123456789abcdef", startedAtMs: START, outputLimitBytes: 1e7 },
    input: Buffer.from("{}"),
    timeoutMs: 20_000,
    exclusive: false,
    onCall: async ({ params }) => echo(params),
    ...options,
  };
}

function echo(params: unknown) {
  return { value: { atMs: START }, body: Buffer.from(JSON.stringify(params)) };
}

/** What a script has returned, or why it failed. */
async function run(sandbox: Sandbox, code: string, options: Partial<SandboxRun> = {}) {
  const outcome = await sandbox.scripts.run(newScript(code, options));
  if (outcome.kind === "failed") return { failed: outcome.error };
  return JSON.parse(outcome.output.toString());
}

test("a script is the body of a function in TypeScript, and calls tools by their names", async () => {
  const sandbox = await startSandbox();
  const calls: unknown[] = [];

  const ended = await run(
    sandbox,
    `interface Named { name: string }
     const { name }: Named = input;
     console.log("for", name, { a: 1 });
     const answer = await tools.crm.addNote({ text: name }, { account: "work" });
     return { answer, sum: [1, 2].map((n: number): number => n * 2) };`,
    {
      input: Buffer.from('{"name":"Ada"}'),
      onCall: async ({ params, body }) => {
        calls.push(params, JSON.parse(body.toString()));
        return { value: { atMs: START }, body: Buffer.from('{"id":7}') };
      },
    },
  );

  expect(ended).toEqual({
    value: { answer: { id: 7 }, sum: [2, 4] },
    log: 'for Ada {"a":1}',
  });
  expect(calls).toEqual([
    { index: 0, integration: "crm", tool: "addNote", account: "work" },
    { text: "Ada" },
  ]);
});

test("a script waits for calls that it did not await, and makes eight at once", async () => {
  const sandbox = await startSandbox();
  let underWay = 0;
  let most = 0;
  let made = 0;

  const ended = await run(
    sandbox,
    "for (let i = 0; i < 20; i += 1) void tools.crm.add({ i }); return 1;",
    {
      onCall: async ({ params }) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setTimeout(resolve, 5));
        underWay -= 1;
        made += 1;
        return echo(params);
      },
    },
  );

  expect(ended.value).toBe(1);
  expect({ most, made }).toEqual({ most: 8, made: 20 });
});

test("a failed call is an error that the script can catch", async () => {
  const sandbox = await startSandbox();
  const onCall = async () => {
    throw new CallError({
      ...{ type: "rate_limited", message: "too many" },
      payload: { code: "rate_limited", message: "too many", retry_after_s: 3, at_ms: START + 5 },
    });
  };

  const caught = await run(
    sandbox,
    "try { await tools.crm.add() } catch (e) { return [e.name, e.code, e.message, e.retry_after_s, Date.now()]; }",
    { onCall },
  );
  const uncaught = await run(sandbox, "\nawait tools.crm.add();", { onCall });

  expect(caught.value).toEqual(["ToolError", "rate_limited", "too many", 3, START + 5]);
  expect(uncaught.failed).toMatchObject({
    ...{ type: "script_error", message: "too many" },
    payload: { tool_error: "rate_limited" },
  });
});

test("clock and random numbers are the same for the same seed", async () => {
  const sandbox = await startSandbox();
  const code = `const first = [Math.random(), Date.now(), new Date().toISOString(), new Intl.DateTimeFormat("en").format()];
    await tools.crm.wait();
    return [...first, Math.random(), new Date().getTime(), typeof Temporal, typeof performance, new Date(5).getTime()];`;
  const onCall = async () => ({ value: { atMs: START + 1234 }, body: Buffer.from("null") });

  const [one, two] = [await run(sandbox, code, { onCall }), await run(sandbox, code, { onCall })];
  const seed = "ffffffffffffffffffffffffffffffff";
  const facts = { seed, startedAtMs: START, outputLimitBytes: 1e7 };
  const other = await run(sandbox, code, { onCall, facts });

  expect(one).toEqual(two);
  expect(one.value.slice(1, 4)).toEqual([START, "2026-01-01T00:00:00.000Z", expect.any(String)]);
  expect(one.value.slice(5)).toEqual([START + 1234, "undefined", "undefined", 5]);
  expect(other.value[0]).not.toBe(one.value[0]);
});

test("faults of a script have the line of its text", async () => {
  const sandbox = await startSandbox();

  const thrown = await run(sandbox, 'console.log("here");\n\n  throw new TypeError("no");');
  const invalid = await run(sandbox, "const a: number = ;");
  const unsupported = await run(sandbox, "enum A { B } return A.B;");
  const imported = await run(sandbox, 'import fs from "node:fs";');

  expect(thrown.failed).toMatchObject({
    message: "TypeError: no",
    payload: { line: 3, log: "here" },
  });
  expect(invalid.failed).toMatchObject({ type: "script_invalid" });
  expect(unsupported.failed.message).toContain("enum");
  expect(imported.failed.message).toContain("import");
});

const attempts: Readonly<Record<string, string>> = {
  process: "return typeof process;",
  require: "return typeof require;",
  fetch: "return typeof fetch;",
  globals: "return typeof setTimeout + typeof Buffer + typeof WebSocket + typeof WebAssembly;",
  eval: "return eval('1 + 1');",
  Function: "return Function('return 1')();",
  "constructor of the constructor": "return tools.constructor.constructor('return process')().env;",
  "constructor of a tool": "return tools.crm.add.constructor('return process')().env;",
  "constructor of an answer":
    "return (await tools.crm.add()).constructor.constructor('return process')();",
  "async constructor": "return (async () => {}).constructor('return process')();",
  import: 'return await import("node:fs");',
  "constructor of an import":
    'const p = import("node:fs"); p.catch(() => {}); return p.constructor.constructor("return process")();',
  "error of an import":
    'try { await import("node:fs"); } catch (e) { return e.constructor.constructor("return process")().env; }',
  "call sites":
    "Error.prepareStackTrace = (_, sites) => sites.map((s) => typeof s.getThis() + typeof s.getFunction()); return new Error().stack;",
  "a body that ends early": "return 1; }); (async () => { return typeof process;",
  caller: "return (function () { return arguments.callee.caller; })();",
};

test("a script reaches nothing but its tools", async () => {
  const sandbox = await startSandbox();

  const ends: Record<string, unknown> = {};
  for (const [name, code] of Object.entries(attempts)) {
    const ended = await run(sandbox, code);
    ends[name] = ended.failed?.message ?? ended.value;
  }

  expect(ends).toMatchInlineSnapshot(`
    {
      "Function": "EvalError: Code generation from strings disallowed for this context",
      "a body that ends early": "undefined",
      "async constructor": "EvalError: Code generation from strings disallowed for this context",
      "call sites": [
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
        "undefinedundefined",
      ],
      "caller": "TypeError: 'caller', 'callee', and 'arguments' properties may not be accessed on strict mode functions or the arguments objects for calls to them",
      "constructor of a tool": "EvalError: Code generation from strings disallowed for this context",
      "constructor of an answer": "EvalError: Code generation from strings disallowed for this context",
      "constructor of an import": "EvalError: Code generation from strings disallowed for this context",
      "constructor of the constructor": "TypeError: tools.constructor.constructor(...) is not a function",
      "error of an import": "EvalError: Code generation from strings disallowed for this context",
      "eval": "EvalError: Code generation from strings disallowed for this context",
      "fetch": "undefined",
      "globals": "undefinedundefinedundefinedundefined",
      "import": "TypeError: A dynamic import callback was not specified.",
      "process": "undefined",
      "require": "undefined",
    }
  `);
}, 30_000);

const pollutions = [
  "Object.prototype.then = function (r) { r('stolen'); };",
  "Promise.prototype.then = () => { throw 1; };",
  "JSON.stringify = () => 'x'; JSON.parse = () => 'y';",
  "Array.prototype.push = () => {}; Array.prototype.shift = () => ({ integration: 'x' });",
  "Object.defineProperty(Object.prototype, 'index', { get: () => 99, set() {} });",
  "String.prototype.slice = () => 'z'; Object.freeze(Promise);",
  "globalThis.Object = null; globalThis.Promise = null; globalThis.Reflect = null;",
];

test("what a script does to its prototypes reaches nobody else", async () => {
  const sandbox = await startSandbox();

  for (const pollution of pollutions) {
    const calls: ScriptCall[] = [];
    const ended = await run(
      sandbox,
      `${pollution} const a = await tools.crm.one({ n: 1 }); const b = await tools.crm.two({ n: 2 }); return [a, b];`,
      {
        timeoutMs: 3000,
        onCall: async ({ params }) => {
          // It has been checked.
          calls.push(params as ScriptCall);
          return echo(params);
        },
      },
    );
    expect(Object.keys(ended).length, pollution).toBeGreaterThan(0);
    expect(
      calls.every(({ index }, at) => index === at),
      pollution,
    ).toBe(true);
  }
  expect(await run(sandbox, "return [typeof Object, JSON.stringify({ a: 1 })];")).toMatchObject({
    value: ["function", '{"a":1}'],
  });
}, 30_000);

const endless = "console.log('a'); for (;;) {}";

test("scripts without an end, and ones that want more than they may have, are ended with the reason", async () => {
  const sandbox = await startSandbox();
  const hostile: Readonly<Record<string, string>> = {
    loop: endless,
    microtasks: "const again = async () => { await null; return again(); }; await again();",
    heap: "const all = []; for (;;) all.push(new Array(10000).fill(all.length));",
    buffers: "const all = []; for (;;) all.push(new Uint8Array(32 * 1024 * 1024).fill(1));",
    text: "let text = 'a'; for (;;) text += text;",
    recursion: "const f = () => f(); f();",
    "recursion into a call": "const f = () => { void tools.crm.add(); f(); }; f();",
    "ten thousand calls":
      "for (let i = 0; i < 10_000; i += 1) void tools.crm.add().catch(() => {}); await tools.crm.add();",
    never: "await new Promise(() => {});",
    "never, after a call": "await tools.crm.add(); await new Promise(() => {});",
    "no JSON": "return 1n;",
    circle: "const a = {}; a.a = a; return a;",
    thrown: "throw { get message() { throw 1; }, toString: null };",
    nested: `return ${"(".repeat(20_000)}1${")".repeat(20_000)};`,
    "large output": "return 'a'.repeat(12_000_000);",
    "large input": "await tools.crm.add({ text: 'a'.repeat(2_000_000) });",
  };

  const ends = await Promise.all(
    Object.entries(hostile).map(async ([name, code]) => {
      const timeoutMs = ["loop", "microtasks"].includes(name) ? 500 : 20_000;
      const { failed, value } = await run(sandbox, code, { timeoutMs });
      return [name, failed?.type ?? value];
    }),
  );

  expect(Object.fromEntries(ends)).toEqual({
    loop: "function_runtime_timed_out",
    microtasks: "function_runtime_timed_out",
    heap: "function_runtime_out_of_memory",
    // The kernel ends the process, or the engine refuses the next buffer first.
    buffers: expect.stringMatching(/^(function_runtime_out_of_memory|script_error)$/),
    text: "script_error",
    recursion: "script_error",
    "recursion into a call": "script_error",
    "ten thousand calls": "script_error",
    never: "script_error",
    "never, after a call": "script_error",
    "no JSON": "script_error",
    circle: "script_error",
    thrown: "script_error",
    nested: "script_invalid",
    "large output": "script_output_too_large",
    "large input": "script_error",
  });
}, 60_000);

test("a log has an end", async () => {
  const sandbox = await startSandbox();

  const { log } = await run(sandbox, "for (let i = 0; i < 1e5; i += 1) console.log('line', i);");

  expect(log.length).toBe(7200);
});

test("a process serves one script, and others are ready", async () => {
  const sandbox = await startSandbox();
  await run(sandbox, "globalThis.left = 1; Object.prototype.left = 2;");

  const seen = [];
  for (let n = 0; n < 4; n += 1) seen.push((await run(sandbox, "return typeof left;")).value);

  expect(seen).toEqual(["undefined", "undefined", "undefined", "undefined"]);
});

test("scripts of one environment leave a process to others", async () => {
  const sandbox = await startSandbox();
  const stop = new AbortController();
  const hogs = Array.from({ length: 40 }, () =>
    run(sandbox, endless, { signal: stop.signal, environmentId: "hog" }),
  );

  const other = await run(sandbox, "return 1;", { environmentId: "other" });
  stop.abort();
  const ends = await Promise.all(hogs);

  expect(other.value).toBe(1);
  expect(new Set(ends.map(({ failed }) => failed.type))).toEqual(new Set(["script_aborted"]));
}, 30_000);
