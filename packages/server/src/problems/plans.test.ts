import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countReads, createTestContext, type TestContext } from "#platform/testing";
import { sweepRows } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const MANY = 3000;

/** Connections with a schedule each, all well. */
async function fill({ ctx }: TestContext): Promise<void> {
  const { id } = ctx.environment;
  await sql`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    values (${id}, 'crm', 'unauthenticated', now(), now())`.execute(ctx.db);
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at,
      updated_at)
    select gen_random_uuid(), ${id}, i.id, 'c-' || n, 'NONE', '\\x00', now(), now()
      from integrations i, generate_series(1, ${MANY}) n`.execute(ctx.db);
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, created_at)
    values (${id}, '\\x00', '', '', now())`.execute(ctx.db);
  await sql`
    insert into functions (environment_id, integration_id, type, name, version, source, definition, bundle_sha256,
      deployed_at, created_at)
    select ${id}, id, 'sync', 'contacts', '1', 'repo', '{}', '\\x00', now(), now() from integrations`.execute(
    ctx.db,
  );
  await sql`
    insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms, anchored_at,
      next_run_at, created_at, updated_at)
    select gen_random_uuid(), ${id}, c.uuid, f.id, f.name, false, 3600000, now(), now() + interval '1 hour', now(), now()
      from connections c, functions f`.execute(ctx.db);
}

test("the sweep for problems does not read what is well", async () => {
  const { ctx, clock } = app;
  await fill(app);

  for (const state of ["unknown to Postgres", "analyzed"]) {
    if (state === "analyzed") await sql`analyze`.execute(ctx.db);
    const reads = await countReads(ctx, "%", async ({ db }) => {
      await sweepRows(db, clock.now());
    });

    expect(reads, state).toBeLessThan(MANY / 10);
  }
});
