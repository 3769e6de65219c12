import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { insertTestIntegration } from "../testing/index.ts";
import { listFunctionPositions } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const MANY = 5000;

/** Functions, of which every 1,000th has another name. */
async function fill(ctx: EnvironmentContext): Promise<void> {
  const { id } = ctx.environment;
  await insertTestIntegration(ctx, "crm");
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, created_at)
    values (${id}, '\\x00', '', '', now())`.execute(ctx.db);
  await sql`
    insert into functions (environment_id, integration_id, type, name, version, source, definition, bundle_sha256,
      deployed_at, created_at)
    select ${id}, i.id, 'action', case when n % 1000 = 0 then 'Invoices-' else 'contacts-' end || n, '1', 'repo', '{}',
           '\\x00', now(), now() + n * interval '1 ms'
      from integrations i, generate_series(1, ${MANY}) n where i.environment_id = ${id}`.execute(
    ctx.db,
  );
}

test("functions that a search names are read, and no other row", async () => {
  const { ctx } = app;
  await fill(ctx);
  await fill(await app.addEnvironment());
  const filter = { integrationId: undefined, type: undefined, after: undefined, limit: 51 };
  const search = async ({ db }: Pick<EnvironmentContext, "db">) =>
    await listFunctionPositions(db, ctx.environment.id, { ...filter, search: "INVOICES" });

  const found = await search(ctx);

  expect(found).toHaveLength(MANY / 1000);
  // A vacuum leaves rows that another transaction may not see yet to the next one.
  const countAfterVacuum = async () => {
    await sql`vacuum analyze functions`.execute(ctx.db);
    return await countReads(ctx, "functions", search);
  };
  await expect.poll(countAfterVacuum).toBeLessThanOrEqual(found.length);
});
