import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CostSweep,
  LARGEST_REFUSAL,
  mayCost,
  startSweep,
  sweptRoutes,
  takesBody,
  toErrand,
} from "../api/cost/cost-sweep.ts";
import { shapeNames } from "../api/cost/shapes.ts";

// The long form of tests/api/cost.test.ts: every size up to the limit of the route.

const SIZES = [2_000, 30_000, 300_000, 1_000_000, 4_000_000, 11_000_000, 75_000_000];

let sweep: CostSweep;
beforeAll(async () => {
  sweep = await startSweep();
});
afterAll(async () => await sweep[Symbol.asyncDispose]());

const withBody = sweptRoutes.filter(([, swept]) => takesBody(swept));

test.each(withBody)("%s reads no body at any cost", async (_name, swept) => {
  const wrong: string[] = [];
  for (const shape of shapeNames) {
    let before = 0;
    for (const mostBytes of SIZES) {
      const errand = toErrand(sweep, swept, { shape, mostBytes });
      const { status, cpuMs, sentBytes, answerBytes, begin } = await sweep.measure(errand);
      const reported = `${shape}: ${status} after ${Math.round(cpuMs)} ms for ${sentBytes} bytes, ${begin.slice(0, 150)}`;
      const isRefused = status >= 400;
      // A call that a provider does not answer is 502, and no fault of the server.
      if (status < 200 || (status >= 500 && status !== 502)) wrong.push(reported);
      if (cpuMs > mayCost(sentBytes)) wrong.push(reported);
      if (isRefused && answerBytes > LARGEST_REFUSAL)
        wrong.push(`${reported}: ${answerBytes} bytes`);
      // Larger ones are cut to the limit of the route.
      if (sentBytes === before) break;
      before = sentBytes;
    }
  }

  expect(wrong).toEqual([]);
});

test("the memory that bodies took is free afterwards", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  const before = process.memoryUsage();
  for (const [, swept] of withBody) {
    for (const shape of shapeNames) {
      await sweep.measure(toErrand(sweep, swept, { shape, mostBytes: 1_000_000 }));
    }
  }
  collect();
  const after = process.memoryUsage();

  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  expect(grown).toBeLessThan(50_000_000);
});
