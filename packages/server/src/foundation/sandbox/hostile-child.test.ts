import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { Pool, type PoolOptions } from "./pool/pool.ts";
import { newRun } from "./testing/sandbox-fixture.ts";
import type { Call, SandboxOutcome, SandboxRun } from "./types.ts";

// A child that writes to the channel anything that a function could write, once it has its run.
const PRELUDE = `
  const fs = require("node:fs");
  const frame = (head, body = "") => {
    const text = typeof head === "string" ? head : JSON.stringify(head);
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32BE(Buffer.byteLength(text)); prefix.writeUInt32BE(Buffer.byteLength(body), 4);
    return Buffer.concat([prefix, Buffer.from(text), Buffer.from(body)]);
  };
  const send = (head, body) => fs.writeSync(3, frame(head, body));
  const socket = new (require("node:net").Socket)({ fd: 3 });
  let input = Buffer.alloc(0);
  const answers = [];
  socket.on("data", (chunk) => {
    input = Buffer.concat([input, chunk]);
    while (input.length >= 8) {
      const head = input.readUInt32BE(0), size = 8 + head + input.readUInt32BE(4);
      if (input.length < size) return;
      const message = JSON.parse(input.subarray(8, 8 + head).toString());
      input = input.subarray(size);
      if (message.op === "load") send({ op: "loaded" });
      else if (message.op === "run") attack(message.runId);
      else if (message.op === "ping") setTimeout(() => send({ op: "pong" }), pongMs);
      else { answers.push(message); onAnswer?.(message); }
    }
  });
  socket.on("end", () => process.exit());
  let onAnswer, pongMs = 0;
  send({ op: "ready" });`;

function startPool(attack: string, options: Partial<PoolOptions> = {}): Pool {
  const code = `${PRELUDE}\nfunction attack(runId) { ${attack} }`;
  const pool = new Pool({
    maxChildren: 4,
    maxIdle: 2,
    surplusMs: 5000,
    heapMb: 256,
    launch: () =>
      spawn(process.execPath, ["-e", code], { stdio: ["ignore", "ignore", "pipe", "pipe"] }),
    log: () => {},
    ...options,
  });
  onTestFinished(async () => await pool.close());
  return pool;
}

function messageOf(outcome: SandboxOutcome): string {
  return outcome.kind === "failed" ? `${outcome.error.type} ${outcome.error.message}` : "done";
}

async function attacked(attack: string, run: Partial<SandboxRun> = {}): Promise<string> {
  return messageOf(await startPool(attack).run(newRun("", { exclusive: true, ...run })));
}

test.each([
  ["bytes that are no frame", "fs.writeSync(3, Buffer.alloc(100, 0xff));"],
  ["a frame over the limit", "fs.writeSync(3, Buffer.from([0x7f, 0, 0, 0, 0, 0, 0, 0]));"],
  ["a head that is not JSON", "send('{');"],
  ["an unknown message", "send({ op: 'shutdown' });"],
  ["a second ready", "send({ op: 'ready' });"],
  ["a second loaded", "send({ op: 'loaded' });"],
  ["the end of an unknown run", "send({ op: 'done', runId: 'other' });"],
  [
    "a call for an unknown run",
    "send({ op: 'call', runId: 'other', callId: '1', method: 'getCheckpoint', params: {} });",
  ],
  [
    "a call number that is endless",
    "send({ op: 'call', runId, callId: 'x'.repeat(1000), method: 'getCheckpoint', params: {} });",
  ],
])("ends the process for %s", async (_, attack) => {
  expect(await attacked(attack)).toMatch(/^function_runtime_other .*broke its channel/);
});

test("ends the process for a call number that is in use", async () => {
  const call = "{ op: 'call', runId, callId: '1', method: 'getCheckpoint', params: {} }";
  const never = new Promise<never>(() => {});

  const outcome = await attacked(`send(${call}); send(${call});`, { onCall: () => never });

  expect(outcome).toMatch(/broke its channel/);
});

test("a process that has run something cannot claim that nothing ran", async () => {
  const claim = '{ op: "failed", runId, error: { type: "overloaded", message: "try again" } }';

  expect(await attacked(`send(${claim});`)).toBe("script_internal_error try again");
});

test("a process that ends before it is ready has run nothing", async () => {
  const launch = () =>
    spawn(process.execPath, ["-e", "process.exit(3)"], {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });

  const outcome = await startPool("", { launch }).run(newRun("", { exclusive: true }));

  expect(messageOf(outcome)).toMatch(/^overloaded .*no code ran/);
});

test("a forged run id of another environment's run reaches nothing", async () => {
  let victimId = "";
  const victimPool = startPool(
    `send({ op: "call", runId, callId: "1", method: "log", params: { level: "info", message: runId } });`,
  );
  const isIn = Promise.withResolvers<void>();
  const calls: Call[] = [];
  void victimPool.run(
    newRun("", {
      onCall: async (call) => {
        calls.push(call);
        victimId = JSON.stringify(call.params);
        isIn.resolve();
        return { value: null };
      },
    }),
  );
  await isIn.promise;
  const { message } = JSON.parse(victimId);

  const outcome = await attacked(`send({ op: "done", runId: ${JSON.stringify(message)} });`);

  expect(outcome).toMatch(/broke its channel/);
  expect(calls).toHaveLength(1);
});

test("parameters that break the contract, and unknown methods, never reach the host's handler", async () => {
  const seen: Call[] = [];
  const outcome = await startPool(`
    send({ op: "call", runId, callId: "1", method: "batchSave", params: { model: 7 } });
    send({ op: "call", runId, callId: "2", method: "__proto__", params: {} });
    send({ op: "call", runId, callId: "3", method: "dropTables", params: {} });
    onAnswer = () => {
      if (answers.length === 3) send({ op: "done", runId }, JSON.stringify(answers.map((a) => a.op)));
    };`).run(
    newRun("", {
      onCall: async (call) => {
        seen.push(call);
        return { value: null };
      },
    }),
  );

  expect(outcome.kind === "done" && outcome.output.toString()).toBe(
    '["failure","failure","failure"]',
  );
  expect(seen).toEqual([]);
});

test("a flood of calls is worked on in bounded numbers", async () => {
  let inFlight = 0;
  let most = 0;
  const outcome = await startPool(`
    const meta = { filler: "x".repeat(3000) };
    let sent = 0;
    const more = () => {
      if (sent === 2000) return;
      sent += 1;
      socket.write(frame({ op: "call", runId, callId: String(sent), method: "log", params: { level: "info", message: "m", meta } }), more);
    };
    more();
    onAnswer = () => { if (answers.length === 2000) send({ op: "done", runId }); };`).run(
    newRun("", {
      onCall: async () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise(setImmediate);
        inFlight -= 1;
        return { value: null };
      },
    }),
  );

  expect(messageOf(outcome)).toBe("done");
  // The bound of 64, and what one read of the pipe held beyond it.
  expect(most).toBeLessThan(128);
});

test("a process that exits by itself fails its run with the code", async () => {
  expect(await attacked("process.exit(7);")).toMatch(/^function_runtime_other .*exit code 7/);
});

test("a signal that the host did not send counts as out of memory when it is SIGKILL", async () => {
  expect(await attacked("process.kill(process.pid, 'SIGKILL');")).toMatch(
    /^function_runtime_out_of_memory/,
  );
});

test("output over the limit is refused even if the process claims otherwise", async () => {
  const outcome = await attacked(
    "socket.write(frame({ op: 'done', runId }, 'x'.repeat(11 * 1024 * 1024)));",
  );

  expect(outcome).toMatch(/^script_output_too_large/);
});

test("a process that cannot be started fails the run", async () => {
  const pool = startPool("", {
    launch: () => spawn("/nonexistent", [], { stdio: ["ignore", "ignore", "pipe", "pipe"] }),
  });

  expect(messageOf(await pool.run(newRun("")))).toMatch(/^overloaded .*no code ran/);
});

test("a process is replaced after 10 000 runs", async () => {
  const pool = startPool("send({ op: 'done', runId }, String(process.pid));", { maxIdle: 1 });
  const served = new Map<string, number>();
  const work = async () => {
    for (let n = 0; n < 1251; n += 1) {
      const outcome = await pool.run(newRun(""));
      const pid = outcome.kind === "done" ? outcome.output.toString() : messageOf(outcome);
      served.set(pid, (served.get(pid) ?? 0) + 1);
    }
  };

  await Promise.all(Array.from({ length: 8 }, work));

  expect([...served.values()].sort((a, b) => b - a)).toEqual([10_000, 8]);
});

test("a process that answers each time, but late, is not taken for one that does not answer", async () => {
  // While it serves one run after the other it owes an answer nearly always.
  const pool = startPool("pongMs = 400; send({ op: 'done', runId }, String(process.pid));");
  const served = new Set<string>();
  for (const startedAt = performance.now(); performance.now() - startedAt < 8000; ) {
    const outcome = await pool.run(newRun(""));
    served.add(outcome.kind === "done" ? outcome.output.toString() : messageOf(outcome));
    await sleep(5);
  }

  expect(served.size).toBe(1);
});

test("under load processes stay warm; at rest at most maxIdle do", async () => {
  const pool = startPool("send({ op: 'done', runId });", { maxIdle: 1, surplusMs: 50 });
  const environments = ["a", "b", "c"];

  await Promise.all(environments.map((environmentId) => pool.run(newRun("", { environmentId }))));

  await vi.waitFor(() => expect(pool.childCount).toBe(1), { timeout: 5000 });
});

test("resident memory over the budget ends a process where the kernel sets no limit", async () => {
  const pool = startPool("globalThis.all = Buffer.alloc(300e6, 1);", {
    watchedBytes: 200 * 1024 * 1024,
  });

  const outcome = await pool.run(newRun("", { timeoutMs: 20_000 }));

  expect(messageOf(outcome)).toMatch(/^function_runtime_out_of_memory/);
});
