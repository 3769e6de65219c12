import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureLogPartitions } from "../../packages/server/src/logs/index.ts";
import { MOST_SCANNED } from "../../packages/server/src/platform/db/index.ts";
import {
  countReads,
  createTestContext,
  type TestContext,
} from "../../packages/server/src/platform/testing/index.ts";
import { fillLists, listCases } from "./list-filters.ts";

const ROWS = 30_000;
const PAGE_READS = 2500;

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("no filter of a list reads much more than its page, with statistics and without", async () => {
  const crowd = await fillLists(app.ctx, ROWS);
  const bound = 3 * MOST_SCANNED + PAGE_READS;

  const slow: string[] = [];
  for (const statistics of ["without", "with"]) {
    if (statistics === "with") await sql`analyze`.execute(app.ctx.db);
    const limits = {
      page: PAGE_READS,
      bound,
      "page, with statistics": statistics === "with" ? PAGE_READS : bound,
    };
    for (const { name, cost, list } of listCases(crowd)) {
      const reads = await countReads(app.ctx, "%", async (ctx) => await list(ctx));
      if (reads > limits[cost]) slow.push(`${name}, ${statistics} statistics: ${reads} rows`);
    }
  }

  expect(slow).toEqual([]);
});
