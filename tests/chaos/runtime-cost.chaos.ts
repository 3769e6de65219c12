import { type RuntimeMethod, runtimeMethods } from "@jackfield/contract/runtime";
import { expect, test } from "vitest";
import { excessMs } from "../functions/runtime-cpu.ts";
import { startRuntimeHost } from "../functions/runtime-host.ts";
import { callsOf } from "../functions/runtime-shapes.ts";

/** Of what a message may hold; the last two are refused. */
const SHARES = [0.05, 0.5, 0.99, 1.5, 10];

test("no call of a function costs the server more than its bytes may, regardless of its shape and size", async () => {
  await using host = await startRuntimeHost();
  const expensive: object[] = [];
  let trials = 0;
  for (const method of Object.keys(runtimeMethods).filter(isMethod)) {
    for (const share of SHARES) {
      for (const call of callsOf(method, share)) {
        const { excess, reported } = await excessMs(host, [call]);
        trials += 1;
        const isLong = Buffer.byteLength(reported) > 64 * 1024;
        if (excess > 0 || isLong) expensive.push({ name: call.name, share, excess });
      }
    }
  }

  expect(trials).toBeGreaterThan(1000);
  expect(expensive).toEqual([]);
}, 1_800_000);

function isMethod(name: string): name is RuntimeMethod {
  return name in runtimeMethods;
}
