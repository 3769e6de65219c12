import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { cpuMsOf } from "#foundation/testing";
import { createForgingSandbox } from "../testing/index.ts";
import { newRunOfCode } from "../testing/sandbox-fixture.ts";
import type { SandboxRun } from "../types.ts";
import { Channel, type ChannelOptions } from "./channel.ts";
import { FrameBudget, frameBudget } from "./frame-budget.ts";

const MIB = 1024 * 1024;

async function attack(code: string, run: Partial<SandboxRun> = {}): Promise<string> {
  const sandbox = createForgingSandbox();
  onTestFinished(async () => await sandbox[Symbol.asyncDispose]());
  const outcome = await sandbox.run(newRunOfCode(code, { exclusive: true, ...run }));
  return outcome.kind === "failed"
    ? `${outcome.error.type} ${outcome.error.message}`
    : `done ${outcome.output.toString()}`;
}

const head = "const head = { op: 'call', runId, callId: '1', method: 'log', params: {} };";

test.each([
  ["a head of more values than any method takes", "send('[' + '1,'.repeat(500_000) + '1]')"],
  ["a head nested too deep", "send('['.repeat(300) + ']'.repeat(300))"],
  ["a head larger than its method takes", "head.params.message = 'x'.repeat(200_000); send(head)"],
  [
    "more values than its method takes",
    "head.method = 'getCheckpoint'; head.params = Array.from({ length: 100 }, () => 1); send(head)",
  ],
  ["a body for a method without one", "send(head, 'body')"],
  ["a head of 3 MiB", "send({ ...head, params: 'x'.repeat(3 * 2 ** 20) })"],
  [
    "a failure of 1 MB",
    "send({ op: 'failed', runId, error: { type: 't', message: 'm', payload: 'x'.repeat(1e6) } })",
  ],
  [
    "a failure with a long type",
    "send({ op: 'failed', runId, error: { type: 't'.repeat(300), message: 'm' } })",
  ],
  ["a ready with a body", "send({ op: 'ready' }, 'x')"],
  ["a name that is no method", "send({ ...head, method: 'x'.repeat(200) })"],
  ["a head that is not UTF-8", "send(Buffer.from([0x22, 0xff, 0x22]))"],
  ["a head with half a number", 'send(\'{"op":"done","x":1e}\')'],
])("ends the process for %s", async (_, code) => {
  expect(await attack(`${head} ${code};`)).toMatch(/^function_runtime_other .*broke its channel/);
});

test("300,000 bad fields in one head cost the host a few milliseconds", async () => {
  const code = `
    const fields = Array.from({ length: 300_000 }, (_, n) => '"' + n + '":{}');
    send('{"op":"call","runId":"' + runId + '","callId":"1","method":"proxy","params":{"headers":{' + fields + '}}}');`;
  await attack(code);
  let outcome = "";

  const cpuMs = await cpuMsOf(async () => {
    outcome = await attack(code);
  });

  expect(outcome).toMatch(/broke its channel/);
  // Starting and ending a process is in it; checking and wording all fields took 5 to 14 s.
  expect(cpuMs).toBeLessThan(500);
});

test("large frames that never come hold no memory, and their process ends", async () => {
  const sandbox = createForgingSandbox();
  onTestFinished(async () => await sandbox[Symbol.asyncDispose]());
  const code = `
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32BE(100); prefix.writeUInt32BE(100 * 2 ** 20, 4);
    socket.write(prefix);`;
  const stop = new AbortController();
  const before = process.memoryUsage().arrayBuffers;

  const runs = ["a", "a", "b"].map((environmentId, index) =>
    sandbox.run(
      newRunOfCode(`${code} // ${index}`, { environmentId, exclusive: true, signal: stop.signal }),
    ),
  );
  await vi.waitFor(() => expect(frameBudget.usedBytes).toBeGreaterThan(150 * MIB), 20_000);
  const held = process.memoryUsage().arrayBuffers - before;
  // Of one environment's two the second waits unread.
  const used = frameBudget.usedBytes;
  stop.abort();
  await Promise.all(runs);

  expect(held).toBeLessThan(32 * MIB);
  expect(used).toBeLessThanOrEqual(201 * MIB);
  await vi.waitFor(() => expect([frameBudget.usedBytes, frameBudget.waitingCount]).toEqual([0, 0]));
});

test("a body is passed on whole while the budget admits one at a time", async () => {
  const sizes: number[] = [];
  const code = `
    const answers = await Promise.all([70, 60, 50].map((mib) =>
      call("fetch", { method: "POST", url: "https://a.example", headers: [], hasBody: true, redirect: "follow" },
        Buffer.alloc(mib * 2 ** 20))));
    done(JSON.stringify(answers.map((answer) => answer.op)));`;

  const outcome = await attack(code, {
    onCall: async ({ body }) => {
      sizes.push(body.byteLength / MIB);
      return { value: null };
    },
  });

  expect(outcome).toBe('done ["result","result","result"]');
  expect(sizes).toEqual([70, 60, 50]);
  expect(frameBudget.usedBytes).toBe(0);
});

/** A channel to a process that writes what `code` says. */
function openChannel(code: string, options: Partial<ChannelOptions>) {
  const program = `const socket = new (require("node:net").Socket)({ fd: 3 }); ${code}`;
  const child = spawn(process.execPath, ["-e", program], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  child.stderr?.pipe(process.stderr);
  const seen: string[] = [];
  const broken = Promise.withResolvers<string>();
  const onMessage = ({ op }: { op: string }, _body: Uint8Array, release: () => void) => {
    seen.push(op);
    release();
  };
  const events = { onMessage, onBroken: broken.resolve };
  const channel = new Channel(child, events, { environmentId: () => "a", ...options });
  onTestFinished(async () => {
    channel.close();
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return { channel, seen, broken: broken.promise };
}

const announce = (bytes: number) =>
  `const prefix = Buffer.alloc(8); prefix.writeUInt32BE(10); prefix.writeUInt32BE(${bytes}, 4); socket.write(prefix);`;

test("a large frame that does not come in time breaks the channel and gives its room back", async () => {
  const budget = new FrameBudget({ totalBytes: 4 * MIB, environmentBytes: 4 * MIB });
  const { broken } = openChannel(`${announce(MIB)} setInterval(() => {}, 1000);`, {
    budget,
    arrivalMs: { any: 100, perMib: 0 },
  });

  expect(await broken).toMatch(/did not come in time/);
  expect(budget.usedBytes).toBe(0);
});

test("a process whose frame waits for room is not read until there is some", async () => {
  const budget = new FrameBudget({ totalBytes: MIB, environmentBytes: MIB });
  const taken = Promise.withResolvers<{ release(): void }>();
  budget.take("b", MIB, taken.resolve);
  const done = `'{"op":"done","runId":"1"}'`;
  const { seen } = openChannel(
    `const head = ${done}; const prefix = Buffer.alloc(8);
     prefix.writeUInt32BE(head.length); prefix.writeUInt32BE(500_000, 4);
     socket.write(Buffer.concat([prefix, Buffer.from(head), Buffer.alloc(500_000)]));
     setInterval(() => {}, 1000);`,
    { budget },
  );
  await vi.waitFor(() => expect(budget.waitingCount).toBe(1), 10_000);
  const before = [...seen];
  (await taken.promise).release();

  await vi.waitFor(() => expect(seen).toEqual(["done"]), 10_000);
  expect(before).toEqual([]);
  expect(budget.usedBytes).toBe(0);
});

test("small frames need no room", async () => {
  const budget = new FrameBudget({ totalBytes: 1, environmentBytes: 1 });
  const { seen } = openChannel(
    `const head = '{"op":"ready"}'; const prefix = Buffer.alloc(8); prefix.writeUInt32BE(head.length);
     const frame = Buffer.concat([prefix, Buffer.from(head)]);
     for (const byte of frame) socket.write(Buffer.of(byte));
     setInterval(() => {}, 1000);`,
    { budget },
  );

  await vi.waitFor(() => expect(seen).toEqual(["ready"]), 10_000);
});
