import { randomUUID } from "node:crypto";
import { test } from "vitest";
import { createTestDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { readOne } from "./packages/server/src/broken/store.ts";

test("a statement for one server is sent", async () => {
  await using database = await createTestDatabase();

  await readOne(database.db, randomUUID());
});
