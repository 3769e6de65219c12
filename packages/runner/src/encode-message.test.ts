import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeMessage } from "./encode-message.ts";
import { buildRunner, Child } from "./testing/child.ts";
import { actionSource, readCallId, readFailure, readOutput } from "./testing/messages.ts";

let runner: Awaited<ReturnType<typeof buildRunner>>;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(() => runner.remove());

const CHECKPOINT = '{ a: 1, text: "x", list: true }';

/** What a function does to its process before it makes calls, and each of them must still arrive as it is. */
const pollutions: readonly [name: string, code: string][] = [
  ["toJSON of objects", "Object.prototype.toJSON = () => ({ op: 'done', runId: 'x' });"],
  ["toJSON that throws", "Object.prototype.toJSON = () => { throw new Error('no'); };"],
  ["toJSON of arrays", "Array.prototype.toJSON = () => 'list';"],
  ["toJSON of texts", "String.prototype.toJSON = () => 7; Number.prototype.toJSON = () => 'n';"],
  [
    "sizes of typed arrays",
    `const proto = Object.getPrototypeOf(Uint8Array.prototype);
     for (const name of ["byteLength", "length", "byteOffset", "buffer"]) {
       try { Object.defineProperty(proto, name, { get: () => 3, configurable: true }); } catch {}
     }`,
  ],
  [
    "methods of typed arrays",
    `const proto = Object.getPrototypeOf(Uint8Array.prototype);
     for (const name of ["set", "subarray", "slice", "fill", "copyWithin"]) proto[name] = () => { throw new Error(name); };`,
  ],
  [
    "Buffer",
    "for (const name of ['from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow', 'concat', 'byteLength']) Buffer[name] = () => { throw new Error(name); };",
  ],
  [
    "methods of lists and maps",
    `for (const name of ["push", "map", "join", "slice", "indexOf"]) {
       Array.prototype[name] = () => { throw new Error(name); };
     }
     for (const name of ["get", "set", "has"]) Map.prototype[name] = () => { throw new Error(name); };`,
  ],
  [
    "Object.keys",
    "Object.keys = () => ['op']; Object.entries = () => []; Reflect.ownKeys = () => [];",
  ],
  ["Array.isArray", "Array.isArray = () => true; Reflect.apply = () => 1; Reflect.get = () => 1;"],
  [
    "text encoders",
    "globalThis.TextEncoder = class { encode() { return new Uint8Array(1); } }; try { TextEncoder.prototype.encode = () => 1; } catch {}",
  ],
  ["constructors", "globalThis.Uint8Array = globalThis.DataView = globalThis.Buffer = class {};"],
];

test.each(pollutions)("what a function does to %s changes no message", async (_, code) => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`
      const call = svc.releaseAllLocks;
      ${code}
      await call();
      return undefined;`),
  );

  const call = await child.run();
  child.send({ op: "result", callId: readCallId(call), value: null });
  const end = await child.receive();

  expect(call.message).toEqual({
    op: "call",
    runId: "r1",
    callId: "1",
    method: "releaseAllLocks",
    params: {},
  });
  // What it broke for itself may fail it; its end is reported all the same.
  expect(end.message).toMatchObject({ op: expect.stringMatching(/^(done|failed)$/), runId: "r1" });
  expect(end.body.byteLength).toBe(0);
});

test.each([
  ["a size of its own", "Object.defineProperty(bytes, 'byteLength', { value: 3 });"],
  ["no bytes behind it", "bytes = Object.create(Uint8Array.prototype);"],
  ["a proxy of bytes", "bytes = new Proxy(bytes, {});"],
  [
    "a class that lies",
    "bytes = new (class extends Uint8Array { get byteLength() { return 2 ** 31; } get length() { return 1; } })(10);",
  ],
  [
    "bytes that shrink",
    "bytes = new Uint8Array(resizable); setTimeout(() => resizable.resize(1));",
  ],
])("a body with %s makes no broken frame", async (_, change) => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`
      const resizable = new ArrayBuffer(10, { maxByteLength: 20 });
      let bytes = new Uint8Array(10);
      ${change}
      const told = svc.post({ endpoint: "/a", data: bytes }).then(() => "sent", () => "refused");
      await svc.releaseAllLocks();
      return await told;`),
  );

  let received = await child.run();
  while (received.message.op === "call") {
    const { callId, method } = received.message;
    if (method === "proxy") expect([2, 10]).toContain(received.body.byteLength);
    const answer = { status: 200, statusText: "OK", headers: {} };
    child.send({ op: "result", callId, value: method === "proxy" ? answer : null });
    received = await child.receive();
  }

  expect(["sent", "refused"]).toContain(readOutput(received));
});

test.each([
  ["a bigint", "return { n: 1n };"],
  ["itself", "const a = {}; a.a = a; return a;"],
  ["a getter that throws", "return { get a() { throw new Error('no'); } };"],
  ["a getter that throws nothing", "return { get a() { throw undefined; } };"],
  ["toJSON without a value", "return { toJSON() {} };"],
  ["a proxy that refuses", "return new Proxy({}, { ownKeys() { throw 1; } });"],
  ["an output past the limit", "return 'x'.repeat(11 * 1024 * 1024);"],
  ["an error that cannot be read", "throw new Proxy(new Error('x'), { get() { throw 1; } });"],
  ["an error with a bigint", "throw new svc.ActionError({ n: 1n });"],
  [
    "an error of megabytes",
    "throw Object.assign(new Error('\\u0001'.repeat(1e6)), { code: 'x'.repeat(1e6), name: 'y'.repeat(1e6) });",
  ],
  [
    "a payload of megabytes",
    "throw new svc.ActionError({ all: Array.from({ length: 1e5 }, () => '\\u0001'.repeat(100)) });",
  ],
  ["a payload of many values", "throw new svc.ActionError(Array.from({ length: 1e6 }, () => []));"],
  [
    "toJSON of objects that throws",
    "Object.prototype.toJSON = () => { throw 1; }; return { a: 1 };",
  ],
])("an answer with %s ends the run at once", async (_, body) => {
  await using child = new Child(runner.file);
  await child.load(actionSource(body));

  const failure = readFailure(await child.run());

  expect(failure.message.length).toBeLessThanOrEqual(10_000);
});

test("numbers, texts and absent members are written as JSON writes them", () => {
  const payload = {
    n: [1, -0, 1e21, Number.NaN, 0.1],
    t: 'ü"\n\ud800',
    u: undefined,
    l: [undefined],
  };
  const message = {
    op: "failed",
    runId: "r",
    error: { type: "t", message: "m", payload },
  } as const;

  const frame = encodeMessage(message);

  const size = frame.readUInt32BE(0);
  expect([frame.readUInt32BE(4), frame.byteLength]).toEqual([0, size + 8]);
  expect(frame.subarray(8).toString()).toBe(JSON.stringify(message));
});

test("a call larger than its method takes is refused in the process", async () => {
  await using child = new Child(runner.file);
  await child.load(
    actionSource(`
      const refusals = [];
      const tell = (error) => refusals.push(error.constructor.name + " " + error.message.slice(0, 24));
      await svc.setMetadata({ a: "x".repeat(70_000) }).catch(tell);
      await svc.get({ endpoint: "/" + "x".repeat(300_000) }).catch(tell);
      return refusals;`),
  );

  const reported: unknown = readOutput(await child.run());

  expect(reported).toEqual([
    "RangeError The metadata is 70008 by",
    "RangeError The message is too large",
  ]);
});

test("a checkpoint arrives as it is, regardless of what is in prototypes", async () => {
  await using child = new Child(runner.file);
  await child.load(`
    import * as z from "zod";
    import { createSync } from "jackfield";
    export default createSync({ description: "t", frequency: "every hour", models: { A: z.object({ id: z.string() }) },
      exec: async (svc) => {
        Object.prototype.toJSON = () => "forged";
        await svc.saveCheckpoint(${CHECKPOINT});
      } });`);

  const call = await child.run({ kind: "sync" });

  expect(call.message).toMatchObject({
    method: "saveCheckpoint",
    params: { checkpoint: { a: 1, text: "x", list: true } },
  });
});
