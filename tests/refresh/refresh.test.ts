import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { startHarbor } from "./harbor.ts";
import { runKills } from "./kills.ts";
import { runOutage } from "./outage.ts";
import { runStorm } from "./storm.ts";

test("100 callers in three processes make one refresh of an expired token, ten times", async () => {
  await using database = await createServerDatabase();
  await using harbor = await startHarbor(database.connectionString);

  const result = await runStorm(harbor, 10);

  expect(result.violations).toEqual([]);
}, 120_000);

test("a token is not lost by the death of the process, wherever in a refresh it comes", async () => {
  await using database = await createServerDatabase();
  await using harbor = await startHarbor(database.connectionString);

  const results = await runKills(harbor, 1);

  expect(
    results.flatMap(({ id, violations }) => violations.map((each) => `${id}: ${each}`)),
  ).toEqual([]);
}, 300_000);

test("a token is not lost when the database stops before it is stored", async () => {
  const result = await runOutage({ rounds: 1, perRound: 5, downMs: 500 });

  expect(result.violations).toEqual([]);
}, 60_000);
