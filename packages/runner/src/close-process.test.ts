import { afterAll, beforeAll, expect, test } from "vitest";
import { buildRunner, Child } from "./testing/child.ts";
import { actionSource, readCallId, readFailure, readOutput } from "./testing/messages.ts";

let runner: Awaited<ReturnType<typeof buildRunner>>;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(() => runner.remove());

const attempt = async (body: string): Promise<unknown> => {
  await using child = new Child(runner.file);
  const loaded = await child.load(actionSource(body));
  if (loaded.message.op !== "loaded") return readFailure(loaded).message;
  const received = await child.run();
  return received.message.op === "done" ? readOutput(received) : readFailure(received).message;
};

test("only built-ins that need no permission can be required, with or without node:", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(
      `const names = ["assert", "async_hooks", "buffer", "crypto", "events", "path", "querystring", "stream", "stream/web", "string_decoder", "timers", "timers/promises", "url", "util", "zlib"];
       for (const name of names) { if (require(name) !== require("node:" + name)) throw new Error(name); }
       return createHash("sha256").update("x").digest("hex").slice(0, 8);`,
      `import { createHash } from "node:crypto";`,
    ),
  );

  expect(readOutput(await child.run())).toBe("2d711642");
});

test("a forbidden module fails with its name when it is required", async () => {
  await using child = new Child(runner.file);
  const loaded = await child.load(
    actionSource(`return readFileSync("/etc/passwd");`, `import { readFileSync } from "fs";`),
  );

  expect(readFailure(loaded).message).toContain('Module "fs" is not available');
  expect(await attempt(`return require("node:child_process");`)).toContain("node:child_process");
  expect(await attempt(`const name = "node:fs"; return import(name);`)).toContain("dynamic import");
});

test.each([
  "process.exit(0)",
  "process.kill(1)",
  "process.binding('fs')",
  "process.dlopen({}, '/x')",
  "process.getBuiltinModule('fs')",
  "process.abort()",
])("%s throws and says so", async (call) => {
  expect(await attempt(`${call};`)).toContain("is not available to functions");
});

test("neither the real process nor the pipe comes to light through replaced built-ins", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`
      const seen = new Set();
      const { EventEmitter } = require("node:events");
      const { Readable, Writable } = require("node:stream");
      for (const owner of [EventEmitter.prototype, Readable.prototype, Writable.prototype]) {
        for (const name of Object.getOwnPropertyNames(owner)) {
          const real = Object.getOwnPropertyDescriptor(owner, name).value;
          if (typeof real !== "function" || name === "constructor") continue;
          owner[name] = function (...args) {
            seen.add(name + " of " + this?.constructor?.name);
            return real.apply(this, args);
          };
        }
      }
      require("node:util").deprecate(() => {}, "makes Node emit a warning", "DEP1")();
      await svc.getCheckpoint();
      return [...seen];`),
  );

  const call = await child.run();
  child.send({ op: "result", callId: readCallId(call), value: null });
  const found = readOutput(await child.receive());

  expect(found).toEqual([]);
});

test("fetch goes through the host, and there is no other network", async () => {
  await using child = new Child(runner.file);
  await child.load(actionSource(`return await (await fetch("https://example.com/x")).text();`));
  const call = await child.run();
  expect(call.message).toMatchObject({ method: "fetch", params: { url: "https://example.com/x" } });
  const value = { status: 200, headers: [], url: "https://example.com/x", redirected: false };
  child.send({ op: "result", callId: readCallId(call), value }, "hello");
  expect(readOutput(await child.receive())).toBe("hello");

  expect(
    await attempt(`return [typeof WebSocket, typeof EventSource, typeof localStorage];`),
  ).toEqual(["undefined", "undefined", "undefined"]);
});

test("code from strings is off", async () => {
  expect(await attempt(`return new Function("return 1")();`)).toContain("Code generation");
});

test("pollution of built-ins does not stop the messages to the host", async () => {
  const found = await attempt(`
    try { JSON.stringify = () => "{}"; } catch {}
    Map.prototype.get = Map.prototype.set = () => { throw new Error("map"); };
    globalThis.Promise = function () { throw new Error("promise"); };
    Array.prototype.toString = Object.prototype.toString = () => "polluted";
    return { ok: true };`);

  expect(found).toEqual({ ok: true });
});

test("the process ends when the host is gone", async () => {
  const child = new Child(runner.file);
  await child.receive();
  child.hangUp();

  expect(await child.exited).toEqual([0, null]);
});
