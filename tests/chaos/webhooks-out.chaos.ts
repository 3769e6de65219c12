import { afterAll, expect, test } from "vitest";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import type { TrialResult } from "../refresh/trial-result.ts";
import { runSenderKills } from "../webhooks-out/kill-senders.ts";
import { runSlowReceiver } from "../webhooks-out/slow-receiver.ts";

const results: TrialResult[] = [];

afterAll(() => {
  const lines = results.map(
    ({ id, trials, violations, note = "" }) =>
      `${id}: ${trials} trials, ${violations.length} violations (${note})`,
  );
  process.stdout.write(`\n${lines.join("\n")}\n`);
});

test("W1: 2,000 events, a moody receiver, and a sender that dies every 3 seconds", async () => {
  await using database = await createTestDatabase();

  const result = await runSenderKills({
    databaseUrl: database.connectionString,
    events: 2000,
    kills: 20,
    requestsPerLife: Number.POSITIVE_INFINITY,
    lifeMs: 3000,
    settledWithinMs: 10 * 60_000,
  });

  results.push(result);
  expect(result.violations).toEqual([]);
});

test("W5: a receiver that takes 15 s holds up no other", async () => {
  await using database = await createTestDatabase();
  const { connectionString: databaseUrl } = database;

  const result = await runSlowReceiver({ databaseUrl, slow: 200, fast: 50 });

  results.push(result);
  expect(result.violations).toEqual([]);
});
