import { expect, test } from "vitest";
import { createTestDatabase } from "../../testing/index.ts";

/** They look rows up only for what a server of an earlier release writes. */
const ofEarlierReleases: ReadonlySet<string> = new Set([
  "fill_environment_of_webhook",
  "fill_environment_of_attempt",
]);

// A session plans the statements of a trigger once. A plan that was made for a table without rows reads all of it, and so
// for each row that a transaction adds, all those that it has added before.
test("a trigger that looks rows up for each row uses an index, however small the table was at first", async () => {
  await using database = await createTestDatabase();
  const { rows } = await database.pool.query<{ name: string; body: string; settings: string[] }>(
    `select distinct p.proname as name, p.prosrc as body, coalesce(p.proconfig, '{}') as settings
       from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where not t.tgisinternal and t.tgtype & 1 = 1`,
  );
  const lookUp = rows.filter(({ body }) => /\b(?:update|from) \w+[^;]*\bwhere\b/.test(body));
  const free = lookUp.filter(({ settings }) => !settings.includes("enable_seqscan=off"));

  expect(lookUp.map(({ name }) => name)).toContain("keep_sync_turn");
  expect(free.map(({ name }) => name).filter((name) => !ofEarlierReleases.has(name))).toEqual([]);
});
