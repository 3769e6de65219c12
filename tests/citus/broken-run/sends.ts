import { randomUUID } from "node:crypto";
import { test } from "vitest";
import { createTestDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { openPrepared } from "../prepared-database.ts";
import {
  readDay,
  readEverywhere,
  readModels,
  readOne,
  readQueues,
  readReceivers,
} from "./packages/server/src/broken/store.ts";

test("statements are sent", async () => {
  await using database = await createTestDatabase();
  await using prepared = await openPrepared();

  await readEverywhere(database.db);
  await readModels(database.db, [1]);
  await readModels(database.db, [1, 2, 3, 4]);
  await readDay(database.db);
  await readReceivers(database.db);
  await readOne(database.db, randomUUID());
  await readQueues(database.db);
  await readQueues(prepared.db);
});
