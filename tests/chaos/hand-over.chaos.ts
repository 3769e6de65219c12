import { expect, test } from "vitest";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { runHandOver } from "../moves/hand-over.ts";
import { startHarbor } from "../refresh/harbor.ts";

test("R13: 100 connections are handed over, back and over again, while processes are killed", async () => {
  await using database = await createTestDatabase();
  await using harbor = await startHarbor(database.connectionString);

  const { id, trials, violations, note } = await runHandOver(harbor, {
    ...{ connections: 100, killsPerPoint: 2, randomKills: 4 },
    ways: ["hand-over", "hand-back", "hand-over"],
  });

  process.stdout.write(`\n${id}: ${trials} moves, ${violations.length} violations (${note})\n`);
  expect(violations, note).toEqual([]);
});
