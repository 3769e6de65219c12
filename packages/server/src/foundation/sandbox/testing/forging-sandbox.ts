import { Pool } from "../pool/pool.ts";
import type { Sandbox } from "../types.ts";
import { launchForgingChild } from "./forging-child.ts";

/** A sandbox whose processes send what a bundle's text says, and no runner in between; see `forging-child.ts`. */
export function createForgingSandbox(): Sandbox {
  const pool = new Pool({
    maxChildren: 4,
    maxIdle: 1,
    surplusMs: 1000,
    heapMb: 256,
    launch: launchForgingChild,
    log: () => {},
  });
  return {
    run: (run) => pool.run(run),
    scripts: { run: (run) => pool.run(run), warm() {} },
    confine: async () => {
      throw new Error("a forging sandbox confines nothing");
    },
    describe: () => ({
      level: "permissions",
      filtersCalls: false,
      limits: "process",
      children: pool.childCount,
      idle: pool.idleCount,
    }),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
