import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { runSenderKills } from "./kill-senders.ts";

test("every committed event is delivered though its sender is killed five times", async () => {
  await using database = await createServerDatabase();

  const result = await runSenderKills({
    databaseUrl: database.connectionString,
    events: 60,
    kills: 5,
    requestsPerLife: 12,
    lifeMs: 3000,
    settledWithinMs: 60_000,
  });

  expect(result.violations).toEqual([]);
  expect(result.trials).toBe(60);
}, 180_000);
