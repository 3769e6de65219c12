import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { countConnectionStates } from "./health/count-states.ts";

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

async function readCounts() {
  const { total, byState } = await countConnectionStates(ctx, { integrationKeys: undefined });
  return { total, ...byState };
}

/** The same, counted one by one. */
async function readRows() {
  const { rows } = await sql<Record<string, number>>`
    select count(*)::int as total,
           (count(*) filter (where needs_reauthorization_at is not null))::int as needs_reauthorization,
           (count(*) filter (where needs_reauthorization_at is null and refresh_lease_until > now()))::int as refreshing,
           (count(*) filter (where needs_reauthorization_at is null and refresh_lease_until is null
                             and refresh_not_before is not null))::int as backoff,
           (count(*) filter (where needs_reauthorization_at is null and refresh_lease_until is null
                             and refresh_not_before is null and is_pending))::int as pending,
           (count(*) filter (where needs_reauthorization_at is null and refresh_lease_until is null
                             and refresh_not_before is null and not is_pending))::int as ok
      from connections where environment_id = ${ctx.environment.id} and deleted_at is null`.execute(
    ctx.db.withoutPlugins(),
  );
  return rows[0];
}

async function integrate(key: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    values (${ctx.environment.id}, ${key}, 'unauthenticated', now(), now()) returning id`.execute(
    ctx.db,
  );
  return rows[0]?.id ?? 0;
}

async function connect(context: EnvironmentContext, integrationId: number, name: string) {
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
    values (gen_random_uuid(), ${ctx.environment.id}, ${integrationId}, ${name}, 'NONE', ''::bytea, now(), now())`.execute(
    context.db,
  );
}

async function connectMany(key: string, count: number): Promise<void> {
  const id = await integrate(key);
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
    select gen_random_uuid(), ${ctx.environment.id}, ${id}, 'c-' || n, 'NONE', ''::bytea, now(), now()
      from generate_series(1, ${count}) n`.execute(ctx.db);
}

/** Of the connections whose number leaves that rest. */
async function change(rest: number, columns: string): Promise<void> {
  await sql`
    update connections set ${sql.raw(columns)}
     where environment_id = ${ctx.environment.id} and substr(connection_id, 3)::int % 10 = ${rest}`.execute(
    ctx.db,
  );
}

test("counts follow each change of a connection", async () => {
  await connectMany("crm", 400);
  await connectMany("shop", 100);
  for (const [rest, columns] of [
    [1, "needs_reauthorization_at = now()"],
    [2, "refresh_not_before = now()"],
    [3, "is_pending = true"],
    [4, "refresh_lease_until = now() + interval '1 hour'"],
    [2, "refresh_lease_until = now() + interval '1 hour'"],
    [2, "refresh_lease_until = null, refresh_not_before = null"],
    [1, "needs_reauthorization_at = null"],
    [5, "deleted_at = now()"],
    [4, "deleted_at = now(), refresh_lease_until = null"],
  ] as const) {
    await change(rest, columns);
    expect(await readCounts(), columns).toEqual(await readRows());
  }
  await sql`delete from connections where environment_id = ${ctx.environment.id} and connection_id like '%7'`.execute(
    ctx.db,
  );

  const counts = await readCounts();

  expect(counts).toEqual(await readRows());
  expect(counts.total).toBe(350);
});

test("counts of many who connect and leave at the same time are exact, and what is undone does not count", async () => {
  const integration = await integrate("crm");
  const names = Array.from({ length: 60 }, (_, n) => `c-${n}`);
  await Promise.all(
    names.map(async (name, n) => {
      await connect(ctx, integration, name);
      if (n % 3 === 0) {
        await sql`update connections set deleted_at = now() where connection_id = ${name}
                   and environment_id = ${ctx.environment.id}`.execute(ctx.db);
      }
    }),
  );
  const undone = withTransaction(ctx, async (inner) => {
    await connect(inner, integration, "undone");
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");

  const counts = await readCounts();

  expect(counts).toEqual(await readRows());
  expect(counts.total).toBe(40);
});

test("a count reads no connections but those that are refreshed", async () => {
  await connectMany("crm", 3000);
  await change(4, "is_pending = true");

  const reads = await countReads(ctx, "connection%", async (ctx) => {
    await countConnectionStates(ctx, { integrationKeys: ["crm"] });
  });

  // A change adds a row, and rows are merged by the hundreds.
  expect(reads).toBeLessThan(1000);
});

test("nothing is left of the counts of what is gone", async () => {
  await connectMany("crm", 50);
  await change(1, "refresh_lease_until = now(), is_pending = true");
  await sql`delete from connections where environment_id = ${ctx.environment.id}`.execute(ctx.db);

  const { rows } = await sql`
    select environment_id from connection_counts where environment_id = ${ctx.environment.id}
    union all select environment_id from refresh_leases where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );

  expect(rows).toEqual([]);
});

test("the lease of a refresh stays within the page of its connection", async () => {
  await connectMany("crm", 20);
  await sql`vacuum connections`.execute(app.database.db);

  const hot = await withTransaction(ctx, async ({ db }) => {
    const before = await countHot(db);
    await sql`
      update connections set refresh_lease_until = now(), refresh_fence = refresh_fence + 1
       where environment_id = ${ctx.environment.id} and connection_id = 'c-7'`.execute(db);
    return (await countHot(db)) - before;
  });

  expect(hot).toBe(1);
});

/** Of connections, as this session knows: also of what it has not reported yet. */
async function countHot(db: Db): Promise<number> {
  const { rows } = await sql<{ hot: number }>`
    select n_tup_hot_upd::int as hot from pg_stat_xact_user_tables where relname = 'connections'`.execute(
    db,
  );
  return rows[0]?.hot ?? 0;
}
