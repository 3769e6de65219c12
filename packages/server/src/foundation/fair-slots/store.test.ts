import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../testing/index.ts";
import { priorityOf } from "./priority.ts";
import { priorityText } from "./store.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => await database[Symbol.asyncDispose]());

test("stores choose in the same order as the slots of a process", async () => {
  const since = "now() - make_interval(secs => waited)";
  const priority = sql.raw(priorityText({ held: "held", nth: "nth", since, now: "now()" }));
  const { rows } = await sql<{ held: number; nth: number; waited: number; priority: string }>`
    select held, nth, waited, ${priority}::text as priority
      from unnest(array[0, 1, 2, 7]) held, unnest(array[1, 2, 5]) nth, unnest(array[0, 5, 30, 9999]) waited
  `.execute(database.db);

  expect(rows).toHaveLength(48);
  for (const { held, nth, waited, priority } of rows) {
    expect(Number(priority)).toBeCloseTo(priorityOf({ held, nth, waitedMs: waited * 1000 }), 6);
  }
});
