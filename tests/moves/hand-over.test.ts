import { expect, test } from "vitest";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { startHarbor } from "../refresh/harbor.ts";
import { runHandOver } from "./hand-over.ts";

test("no refresh token is used twice when connections change sides while the process is killed", async () => {
  await using database = await createTestDatabase();
  await using harbor = await startHarbor(database.connectionString);

  const { violations } = await runHandOver(harbor, {
    ...{ connections: 6, killsPerPoint: 1, randomKills: 0, ways: ["hand-over", "hand-back"] },
  });

  expect(violations).toEqual([]);
}, 240_000);
