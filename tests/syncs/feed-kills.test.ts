import { expect, test } from "vitest";
import { runFeedKills } from "./feed-kills.ts";

// `npm run test:chaos` repeats it with a million changes, by a seed of the day.
test.runIf(process.platform === "linux")(
  "J17: readers of a feed have every change in its order, though they, the server, its workers and the database are killed",
  async () => {
    const result = await runFeedKills({
      seed: 11,
      victims: ["api", "worker", "postgres", "api", "worker"],
      workers: 1,
      connections: 4,
      pages: 25,
      perPage: 100,
      pauseMs: [100, 700],
      settledWithinMs: 90_000,
    });

    expect(result.violations, result.note).toEqual([]);
  },
  240_000,
);
