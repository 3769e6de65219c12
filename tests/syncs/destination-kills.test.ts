import { expect, test } from "vitest";
import { runDestinationKills } from "./destination-kills.ts";

// `npm run test:chaos` repeats it with a million changes, by a seed of the day.
test.runIf(process.platform === "linux")(
  "J24: a customer's table has every change in its order, though workers, both databases and the network are killed",
  async () => {
    const result = await runDestinationKills({
      seed: 11,
      victims: ["worker", "network", "customer", "postgres", "worker"],
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
