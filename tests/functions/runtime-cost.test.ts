import { type RuntimeMethod, runtimeMethods } from "@jackfield/contract/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { excessMs } from "./runtime-cpu.ts";
import { type RuntimeHost, startRuntimeHost } from "./runtime-host.ts";
import { callsOf, rightCalls, shapes } from "./runtime-shapes.ts";

const MB = 1e6;
const MAX_FAILURE_BYTES = 64 * 1024;

let host: RuntimeHost;
beforeAll(async () => {
  host = await startRuntimeHost();
});
afterAll(async () => await host[Symbol.asyncDispose]());

const methods = Object.keys(runtimeMethods).filter(isMethod);

function isMethod(name: string): name is RuntimeMethod {
  return name in runtimeMethods;
}

test.each(methods)(
  "anything that a process sends as %s costs the server little",
  async (method) => {
    const { excess, reported } = await excessMs(host, callsOf(method, 0.9));

    const answers: { op: string; bytes: number }[] = JSON.parse(reported);
    expect(answers).toHaveLength(Object.keys(shapes).length);
    expect(answers.filter(({ bytes }) => bytes > MAX_FAILURE_BYTES)).toEqual([]);
    expect(excess).toBeLessThan(0);
  },
);

test.each(rightCalls.map((call) => [call.name, call] as const))(
  "%s costs the server little",
  async (_, call) => {
    const { excess, reported } = await excessMs(host, [call]);

    const answers: { op: string; bytes: number }[] = JSON.parse(reported);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.bytes).toBeLessThan(MAX_FAILURE_BYTES);
    expect(excess).toBeLessThan(0);
  },
);

test.each(["log", "proxy", "getCheckpoint", "none"])(
  "a message of %s past its limits ends the process and costs little",
  async (method) => {
    const params = `{"meta":${shapes["lists"]?.({ bytes: 1.4 * MB, values: 1e9 })}}`;
    const { excess, reported } = await excessMs(host, [{ name: method, method, params }]);

    expect(reported).toMatch(/broke its channel/);
    expect(excess).toBeLessThan(0);
  },
);

test("what calls held is given back", async () => {
  const before = process.memoryUsage().arrayBuffers;

  for (let turn = 0; turn < 3; turn += 1) await host.send(rightCalls);

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150 * MB);
});
