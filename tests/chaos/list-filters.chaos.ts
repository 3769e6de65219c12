import { sql } from "kysely";
import { expect, test } from "vitest";
import { MOST_SCANNED } from "../../packages/server/src/foundation/db/index.ts";
import {
  countReads,
  createTestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { ensureLogPartitions } from "../../packages/server/src/logs/index.ts";
import { fillLists, listCases } from "../api/list-filters.ts";

const ROWS = 1_000_000;
const PAGE_READS = 5000;

test("with a million rows each, no filter of a list reads more than its bound", async () => {
  await using app = await createTestContext();
  await ensureLogPartitions(app.ctx);
  const crowd = await fillLists(app.ctx, ROWS);
  await sql`analyze`.execute(app.ctx.db);
  const limits = { page: PAGE_READS, bound: 3 * MOST_SCANNED + PAGE_READS };

  const cases = listCases(crowd);
  const slow: string[] = [];
  for (const { name, cost, list } of cases) {
    const reads = await countReads(app.ctx, "%", async (ctx) => await list(ctx));
    if (reads > limits[cost]) slow.push(`${name}: ${reads} rows`);
  }

  expect(slow).toEqual([]);
});
