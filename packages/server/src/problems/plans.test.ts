import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { positionsAfter, readSources, type SourcePositions } from "./causes/distributed/store.ts";
import { sweepRows } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const MANY = 3000;

/** Connections with a schedule each, all well. */
async function fill({ ctx }: TestContext, count = MANY): Promise<void> {
  const { id } = ctx.environment;
  await sql`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    values (${id}, 'crm', 'unauthenticated', now(), now())`.execute(ctx.db);
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at,
      updated_at)
    select gen_random_uuid(), ${id}, i.id, 'c-' || n, 'NONE', '\\x00', now(), now()
      from integrations i, generate_series(1, ${count}::int) n`.execute(ctx.db);
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

/** Every connection needs its end user, or waits for its refresh. */
async function breakAll({ ctx }: TestContext): Promise<void> {
  const { id } = ctx.environment;
  await sql`
    update connections set needs_reauthorization_at = case when id % 2 = 0 then now() - id * interval '1 s' end,
           refresh_not_before = case when id % 2 = 1 then now() + id * interval '1 s' end,
           refresh_error = jsonb_build_object('at', now() - id * interval '1 s', 'kind',
             case when id % 200 = 1 then 'misconfigured' else 'transient' end, 'message', 'refused')
     where environment_id = ${id}`.execute(ctx.db);
}

test("the sweep reads a few of the connections that all have one problem, and counts all of them", async () => {
  const { ctx, clock } = app;
  await breakAll(app);
  const { rows: expected } = await sql`
    select case when needs_reauthorization_at is not null then 'needs_reauthorization'
                when refresh_error ->> 'kind' = 'misconfigured' then 'client_refused' else 'refresh_backoff' end as kind,
           count(*)::int as count
      from connections group by 1 order by 1`.execute(ctx.db);

  for (const state of ["changed since it was analyzed", "analyzed"]) {
    if (state === "analyzed") await sql`analyze`.execute(ctx.db);
    const reads = await countReads(ctx, "connections", async ({ db }) => {
      await sweepRows(db, clock.now());
    });
    // A thousand of those that wait, and all of the few of the other kind.
    expect(reads, state).toBeLessThan(1000 + MANY / 100);
  }

  const { rows } = await sql`
    select kind, count from problems
     where kind in ('needs_reauthorization', 'client_refused', 'refresh_backoff') order by 1`.execute(
    ctx.db,
  );
  expect(rows).toEqual(expected);
  const { rows: samples } = await sql<{ sample: string[] }>`
    select sample from problems where kind = 'needs_reauthorization'`.execute(ctx.db);
  const { rows: latest } = await sql<{ name: string }>`
    select connection_id as name from connections where needs_reauthorization_at is not null
     order by needs_reauthorization_at desc limit 5`.execute(ctx.db);
  expect(samples.map(({ sample }) => sample)).toEqual([latest.map(({ name }) => name)]);
});

/** Of failing and of late syncs, so many are read. */
const MOST_SYNCS = 10_000;

test("of the syncs of an environment that all fail and are late a bounded number is read", async () => {
  await using app = await createTestContext();
  const { ctx, clock } = app;
  await fill(app, MOST_SYNCS + 2000);
  await sql`
    update syncs set consecutive_failures = 3, next_run_at = now() - interval '1 hour'`.execute(
    ctx.db,
  );
  await sql`analyze`.execute(ctx.db);

  const reads = await countReads(ctx, "syncs", async ({ db }) => {
    await sweepRows(db, clock.now());
  });

  expect(reads).toBeLessThan(2 * MOST_SYNCS + 100);
  const { rows } = await sql`
    select kind, count::int from problems where kind like 'sync_%' order by kind`.execute(ctx.db);
  expect(rows).toEqual([
    { kind: "sync_failing", count: MOST_SYNCS },
    { kind: "sync_late", count: MOST_SYNCS },
  ]);
});

test("of the models of an environment whose deletes were refused a bounded number is read, of each environment some", async () => {
  const { ctx, clock } = app;
  const other = await app.addEnvironment();
  for (const [{ environment }, models] of [
    [ctx, MANY],
    [other, 1],
  ] as const) {
    await sql`
      insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
      values (${environment.id}, 'shop', 'unauthenticated', now(), now())`.execute(ctx.db);
    await sql`
      insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at,
        updated_at)
      select gen_random_uuid(), ${environment.id}, id, 'shop', 'NONE', '\\x00', now(), now() from integrations
       where environment_id = ${environment.id} and unique_key = 'shop'`.execute(ctx.db);
    await sql`
      insert into record_models (id, environment_id, connection_uuid, model, last_modified_at, refused_deletes, quarantined,
        quarantined_since)
      select (select coalesce(max(id), 0) from record_models) + n, environment_id, uuid, 'M' || n % 2 || '-' || n, now(), 1, 1, now()
        from connections, generate_series(1, ${models}::int) n
       where environment_id = ${environment.id} and connection_id = 'shop'`.execute(ctx.db);
  }

  const reads = await countReads(ctx, "record_models", async ({ db }) => {
    await sweepRows(db, clock.now());
  });

  // Of both kinds; and the environments are looked for.
  expect(reads).toBeLessThan(2 * 1000 + 10);
  const { rows } = await sql`
    select environment_id as id, kind, count(*)::int as count from problems
     where kind in ('delete_guard', 'records_quarantined') group by 1, 2`.execute(ctx.db);
  const kinds = ["delete_guard", "records_quarantined"];
  const counted = kinds.flatMap((kind) => [
    { id: ctx.environment.id, kind, count: 1000 },
    { id: other.environment.id, kind, count: 1 },
  ]);
  expect(rows).toHaveLength(counted.length);
  expect(rows).toEqual(expect.arrayContaining(counted));
  const { sources } = await readSources(ctx.db, clock.now(), new Set());
  const paged = Map.groupBy<string, { environment_id: string }>(
    JSON.parse(sources.refusals ?? "[]"),
    (row) => row.environment_id,
  );
  expect(paged.get(ctx.environment.id)?.length).toBeLessThan(2000);
  expect(paged.get(other.environment.id)).toHaveLength(1);
});

/** More than a sweep has pages, each with as many models as a page holds. */
const ENVIRONMENTS = 55;
const MODELS = 1000;

test("where a sweep's pages do not suffice for all environments, the next sweep reads the others, and nothing of them ends", async () => {
  await using app = await createTestContext();
  const { ctx, clock } = app;
  for (let added = 1; added < ENVIRONMENTS; added += 1) await app.addEnvironment();
  await sql`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    select id, 'shop', 'unauthenticated', now(), now() from environments`.execute(ctx.db);
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at,
      updated_at)
    select gen_random_uuid(), environment_id, id, 'shop', 'NONE', '\\x00', now(), now() from integrations`.execute(
    ctx.db,
  );
  await sql`
    insert into record_models (id, environment_id, connection_uuid, model, last_modified_at, refused_deletes)
    select row_number() over (), environment_id, uuid, 'M' || n, now(), 1
      from connections, generate_series(1, ${MODELS}::int) n`.execute(ctx.db);

  const sweep = async (positions: SourcePositions) => {
    const causes = await readSources(ctx.db, clock.now(), new Set(), positions);
    const changed = await sweepRows(ctx.db, clock.now(), causes);
    const { rows } = await sql`
      select from problems where kind = 'delete_guard' and resolved_at is null`.execute(ctx.db);
    const environments = new Set(
      changed.filter(({ change }) => change === "opened").map((problem) => problem.environmentId),
    );
    return { open: rows.length, opened: environments.size, next: positionsAfter(causes.read) };
  };
  const first = await sweep(new Map());
  const second = await sweep(first.next);
  const third = await sweep(second.next);
  await sql`update record_models set refused_deletes = null`.execute(ctx.db);
  const fourth = await sweep(third.next);
  const fifth = await sweep(fourth.next);

  const all = ENVIRONMENTS * MODELS;
  expect(first).toEqual({ open: 50 * MODELS, opened: 50, next: first.next });
  expect(second).toEqual({ open: all, opened: ENVIRONMENTS - 50, next: new Map() });
  expect(third).toEqual({ open: all, opened: 0, next: first.next });
  // It continues where the last one stopped; what was before that is known to have ended only by the next.
  expect(fourth).toEqual({ open: first.open, opened: 0, next: new Map() });
  expect(fifth).toEqual({ open: 0, opened: 0, next: new Map() });
});

test("of an environment's failed webhooks a bounded number is counted where tables are distributed, of each environment", async () => {
  await using app = await createTestContext();
  const { ctx, clock } = app;
  const [few, many] = [await app.addEnvironment(), await app.addEnvironment()];
  const failed = new Map([
    [ctx.environment.id, 40_000],
    [few.environment.id, 3],
    [many.environment.id, 7000],
  ]);
  for (const [id, count] of failed) {
    await sql`
      insert into inbound_webhooks (id, environment_id, integration_id, request, body_bytes, is_verified, types,
        completes, state, received_at, error)
      select gen_random_uuid(), ${id}, 1 + n % 2, null, 2, true, '[]', false, 'failed',
             ${clock.now()}::timestamptz - n * interval '1 s', 'error ' || n
        from generate_series(0, ${count - 1}::int) n`.execute(ctx.db);
  }
  await sql`analyze inbound_webhooks`.execute(ctx.db);

  let found = "[]";
  const reads = await countReads(ctx, "inbound_webhooks", async ({ db }) => {
    const { sources, read } = await readSources(db, clock.now(), new Set());
    found = sources.failedWebhooks ?? "[]";
    expect(read).toEqual([]);
  });

  // Three pages at most.
  expect(reads).toBeLessThan(30_001);
  const rows: { environment_id: string; integration_id: number; count: number; error: string }[] =
    JSON.parse(found);
  const counted = rows.map((row) => [row.environment_id, row.integration_id, row.count, row.error]);
  expect(counted).toHaveLength(6);
  expect(counted).toEqual(
    expect.arrayContaining(
      [...failed].flatMap(([id, count]) =>
        [1, 2].map((integration) => [
          ...[id, integration, Math.ceil((Math.min(count, 10_000) + 1 - integration) / 2)],
          `error ${integration - 1}`,
        ]),
      ),
    ),
  );
});
