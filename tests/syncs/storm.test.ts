import { expect, test } from "vitest";
import { runSyncStorm } from "./storm.ts";

// Six kills and one restart of the database; `npm run test:chaos` repeats it larger, by a seed of the day.
test.runIf(process.platform === "linux")(
  "J1: kills of every process and of the database lose no record, no run and no action, and make nothing twice",
  async () => {
    const result = await runSyncStorm({
      seed: 7,
      victims: ["worker", "function", "api", "frozen-worker", "postgres", "function", "worker"],
      workers: 2,
      connections: 8,
      pages: 6,
      perPage: 20,
      actions: 30,
      pauseMs: [100, 600],
      settledWithinMs: 120_000,
    });

    expect(result.violations, result.note).toEqual([]);
  },
  240_000,
);
