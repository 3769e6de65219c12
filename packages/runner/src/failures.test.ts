import { afterAll, beforeAll, expect, test } from "vitest";
import { buildRunner, Child, facts } from "./testing/child.ts";
import { actionSource, readCallId, readFailure, readOutput } from "./testing/messages.ts";

let runner: Awaited<ReturnType<typeof buildRunner>>;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(() => runner.remove());

const failing =
  (body: string) =>
  async (given = {}, input?: unknown) => {
    await using child = new Child(runner.file);
    await child.load(actionSource(body));
    return readFailure(await child.run(given, input));
  };

test("an ActionError of the package or of svc carries its payload", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`if (input.mode === "svc") throw new svc.ActionError("text only");
            throw new ActionError({ message: "no such contact", code: 7 });`),
  );

  expect(readFailure(await child.run({}, { mode: "own" }))).toMatchObject({
    type: "action_script_runtime_error",
    message: "no such contact",
    payload: { message: "no such contact", code: 7 },
  });
  expect(readFailure(await child.run({}, { mode: "svc" }))).toMatchObject({
    type: "action_script_runtime_error",
    payload: { message: "text only" },
  });
});

test("any other error names itself and the position in the bundle", async () => {
  const error = await failing(`function deep() { throw new RangeError("too far"); } deep();`)();

  expect(error).toMatchObject({
    type: "script_internal_error",
    message: "too far",
    payload: { name: "RangeError", message: "too far" },
  });
  expect(error.stack).toMatch(/^RangeError: too far\nat deep \(crm\/test\.js:\d+:\d+\)/);
  expect(error.stack).not.toContain("runner.cjs");
});

test.each([
  ["a string", `throw "plain";`, "plain"],
  ["null", `throw null;`, "The function threw a value that is no Error: null"],
  ["a hostile error", `throw new Proxy(new Error("x"), { get() { throw 1 } });`, "cannot be read"],
])("a function may throw %s", async (_name, body, message) => {
  const error = await failing(body)();

  expect(error.type).toBe("script_internal_error");
  expect(error.message).toContain(message);
});

test.each([
  ["name", `{ name: "n".repeat(5e6) }`],
  ["code", `{ code: "c".repeat(5e6) }`],
  ["stack", `{ stack: "    at " + "s".repeat(5e6) + " (crm/test.js:1:1)" }`],
])("an error with a %s larger than the pipe takes is shortened", async (_name, members) => {
  const error = await failing(`throw Object.assign(new Error("large"), ${members});`)();

  expect(error).toMatchObject({ type: "script_internal_error", message: "large" });
  expect(JSON.stringify(error).length).toBeLessThan(100_000);
});

test("a provider's error answer that nobody catches is reported with its status", async () => {
  await using child = new Child(runner.file);
  await child.load(actionSource(`await svc.post({ endpoint: "/x", data: { a: 1 } });`));

  const call = await child.run();
  expect(call.message).toMatchObject({
    params: { method: "POST", hasBody: true, headers: { "content-type": "application/json" } },
  });
  expect(readOutput(call)).toEqual({ a: 1 });
  const headers = {
    "content-type": "application/json",
    "set-cookie": ["s=1"],
    "x-ratelimit": "3",
  };
  child.send(
    { op: "result", callId: readCallId(call), value: { status: 422, statusText: "", headers } },
    '{"why":"taken"}',
  );

  expect(readFailure(await child.receive())).toMatchObject({
    type: "script_http_error",
    payload: { why: "taken" },
    upstream: {
      status: 422,
      headers: { "content-type": "application/json", "x-ratelimit": "3" },
      body: { why: "taken" },
    },
  });
});

test("an unreachable provider is a network error, another failed call an exception", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(
      `await (input.mode === "net" ? svc.get({ endpoint: "/x" }) : svc.getConnection("other"));`,
    ),
  );

  const call = await child.run({}, { mode: "net" });
  child.send({
    op: "failure",
    callId: readCallId(call),
    error: {
      type: "upstream_unreachable",
      message: "refused",
      payload: { code: "ECONNREFUSED" },
    },
  });
  expect(readFailure(await child.receive())).toMatchObject({
    type: "script_network_error",
    payload: { code: "ECONNREFUSED" },
  });

  const read = await child.run({}, { mode: "other" });
  child.send({
    op: "failure",
    callId: readCallId(read),
    error: { type: "unknown_connection", message: "There is no such connection." },
  });
  expect(readFailure(await child.receive())).toMatchObject({
    type: "script_internal_error",
    message: "There is no such connection.",
    payload: { code: "unknown_connection" },
    stack: expect.stringMatching(/at async .*crm\/test\.js:\d+/),
  });
});

test("a wrong input fails, a wrong output warns, as the environment says", async () => {
  await using child = new Child(runner.file);
  await child.load(`
    import * as z from "zod";
    import { createAction } from "jackfield";
    export default createAction({
      description: "", input: z.object({ n: z.number().default(3) }), output: z.string(),
      exec: (svc, input) => input,
    });`);

  expect(readFailure(await child.run({}, { n: "1" }))).toMatchObject({
    type: "invalid_action_input",
    payload: { validation: [{ path: ["n"] }] },
  });
  const warning = await child.run({}, {});
  expect(warning.message).toMatchObject({ method: "log", params: { level: "warn" } });
  child.send({ op: "result", callId: readCallId(warning), value: null });
  expect(readOutput(await child.receive())).toEqual({});
  const strict = { ...facts.validation, input: "off", output: "fail" } as const;
  expect(readFailure(await child.run({ validation: strict }, {}))).toMatchObject({
    type: "invalid_action_output",
  });
});

test("an output over the limit names its size and the limit", async () => {
  const error = await failing(`return "x".repeat(3000);`)({ outputLimitBytes: 1000 });

  expect(error.type).toBe("script_output_too_large");
  expect(error.message).toContain("3002 bytes");
  expect(error.message).toContain("1000");
});

test.each([
  ["a bigint", "return { n: 1n };", /BigInt/],
  ["a cycle", "const a = {}; a.a = a; return a;", /circular/],
  ["a function", "return () => 1;", /is a function/],
])("an output with %s is refused", async (_name, body, message) => {
  const error = await failing(body)();

  expect(error.type).toBe("script_internal_error");
  expect(error.message).toMatch(message);
});

test("a cancelled run fails at its next call, the others continue", async () => {
  await using child = new Child(runner.file);
  await child.load(actionSource(`for (;;) await svc.getCheckpoint();`));

  const call = await child.run({}, undefined, "r1");
  const other = await child.run({}, undefined, "r2");
  child.send({ op: "cancel", runId: "r1" });
  child.send({ op: "result", callId: readCallId(call), value: null });

  const aborted = await child.receive();
  expect(aborted.message).toMatchObject({ runId: "r1", error: { type: "script_aborted" } });
  child.send({ op: "result", callId: readCallId(other), value: null });
  expect((await child.receive()).message).toMatchObject({ op: "call", runId: "r2" });
});

test("an error outside any await fails its own run, then the process ends", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`if (input.mode === "late") { Promise.resolve().then(() => { throw new Error("stray"); }); }
            await svc.getCheckpoint();`),
  );

  await child.run({}, { mode: "wait" }, "innocent");
  await child.run({}, { mode: "late" }, "guilty");
  const failures = [await child.receive(), await child.receive()].map(({ message }) => message);

  expect(failures).toMatchObject([
    { op: "failed", runId: "innocent", error: { type: "function_runtime_other" } },
    { op: "failed", runId: "guilty", error: { type: "script_internal_error", message: "stray" } },
  ]);
  expect(await child.exited).toEqual([1, null]);
});

test("what fails after its run has answered harms no other run", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`if (input.mode === "wait") return await svc.getCheckpoint();
              if (input.mode === "after") return await new Promise((done) => setTimeout(done, 5));
            setTimeout(() => { throw new Error("late"); }, 1); svc.get({ endpoint: "/x" });`),
  );

  const other = await child.run({}, { mode: "wait" }, "other");
  const floating = await child.run({}, { mode: "late" }, "careless");
  expect((await child.receive()).message).toEqual({ op: "done", runId: "careless" });
  const value = { status: 500, statusText: "", headers: {} };
  child.send({ op: "result", callId: readCallId(floating), value });
  expect((await child.run({}, { mode: "after" }, "after")).message.op).toBe("done");
  child.send({ op: "result", callId: readCallId(other), value: null });

  expect((await child.receive()).message).toEqual({ op: "done", runId: "other" });
});

test("a timer's error is a failure of its run too", async () => {
  const error = await failing(
    `setTimeout(() => { throw new Error("tick"); }, 1); await new Promise(() => {});`,
  )();

  expect(error).toMatchObject({ type: "script_internal_error", message: "tick" });
});

test("a bundle that does not run is refused with its reason", async () => {
  await using child = new Child(runner.file);
  const broken = readFailure(await child.load(`throw new Error("at load");`));
  await using other = new Child(runner.file);
  const empty = readFailure(await other.load(`export const nothing = 1;`));

  expect(broken).toMatchObject({
    message: "at load",
    stack: expect.stringContaining("crm/test.js:"),
  });
  expect(empty.message).toContain("default export");
});
