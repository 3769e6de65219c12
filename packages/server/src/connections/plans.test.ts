import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { changeMetadata } from "./metadata/change-metadata.ts";

// An environment that connects many customers at once is unknown to statistics that were taken before.

let installation: TestContext;
beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());

const MANY = 3000;

/** An integration with so many connections, `c-1` and on. */
async function connectMany(ctx: EnvironmentContext, count: number) {
  const { rows } = await sql<{ id: number; uniqueKey: string }>`
    with integration as (
      insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
      values (${ctx.environment.id}, 'many', 'unauthenticated', now(), now()) returning id, unique_key),
    connections as (
      insert into connections
        (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
      select gen_random_uuid(), ${ctx.environment.id}, id, 'c-' || n, 'NONE', ''::bytea, now(), now()
        from integration, generate_series(1, ${count}) n)
    select id, unique_key as "uniqueKey" from integration`.execute(ctx.db);
  const [integration] = rows;
  if (integration === undefined) throw new Error("the integration was not written");
  return integration;
}

test.each([1, 20])("changing the metadata of %d reads these alone", async (named) => {
  await connectMany(await installation.addEnvironment(), 60);
  await sql`analyze connections`.execute(installation.ctx.db);
  const ctx = await installation.addEnvironment();
  const integration = await connectMany(ctx, MANY);
  const connectionIds = Array.from({ length: named }, (_, n) => `c-${n + 1}`);
  const change = { integration, connectionIds, metadata: { a: 1 }, mode: "replace" } as const;

  const reads = await countReads(
    ctx,
    "connections",
    async (ctx) => await changeMetadata(ctx, change),
  );

  expect(reads).toBeLessThan(MANY);
});
