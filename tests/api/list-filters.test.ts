import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findForCall } from "../../packages/server/src/connections/read/store.ts";
import { lockConnection } from "../../packages/server/src/connections/save/store.ts";
import { findConnection } from "../../packages/server/src/connections/store.ts";
import { MOST_SCANNED } from "../../packages/server/src/foundation/db/index.ts";
import {
  countReads,
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { ensureLogPartitions } from "../../packages/server/src/logs/index.ts";
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
    const limits = { page: PAGE_READS, bound };
    for (const { name, cost, list } of listCases(crowd)) {
      const reads = await countReads(app.ctx, "%", async (ctx) => await list(ctx));
      if (reads > limits[cost]) slow.push(`${name}, ${statistics} statistics: ${reads} rows`);
    }
  }

  expect(slow).toEqual([]);
});

test("a connection is found by its names alone, with statistics and without", async () => {
  await using fresh = await createTestContext();
  await ensureLogPartitions(fresh.ctx);
  await fillLists(fresh.ctx, 5000);
  const { id: environmentId } = fresh.ctx.environment;
  const { rows } = await sql<{ integrationId: number; connectionId: string }>`
    select integration_id, connection_id from connections order by id desc limit 1`.execute(
    fresh.ctx.db,
  );
  const [name] = rows;
  if (name === undefined) throw new Error("there are no connections");
  const wanted = { ...name, integrationKey: "crm" };
  const lookUps = {
    get: async ({ db }: TestContext["ctx"]) => await findConnection(db, environmentId, wanted),
    call: async ({ db }: TestContext["ctx"]) =>
      (await findForCall(db, environmentId, wanted)).connection,
    lock: async ({ db }: TestContext["ctx"]) => await lockConnection(db, environmentId, wanted),
  };

  for (const statistics of ["without", "with"]) {
    if (statistics === "with") await sql`analyze connections`.execute(fresh.ctx.db);
    for (const [kind, lookUp] of Object.entries(lookUps)) {
      let found: unknown;
      const reads = await countReads(fresh.ctx, "connections", async (ctx) => {
        found = await lookUp(ctx);
      });
      expect(found, kind).toBeDefined();
      // An update counts the rows of its indices as well.
      expect(reads, `${kind}, ${statistics} statistics`).toBeLessThan(10);
    }
  }
});
