import { sql } from "kysely";
import { expect, test } from "vitest";
import { addMs, DAY, type SyncId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { countReads } from "#foundation/testing";
import { chooseDueSyncs, countRunning, findNextDueAt, lockSyncs } from "./claim/store.ts";
import { claimDueSyncs } from "./index.ts";
import { listSyncRowsByConnection } from "./listing/store.ts";
import { beginRun } from "./runs/begin-run.ts";
import { addRunChanges, listLatestRuns } from "./runs/store.ts";
import { readSyncStatuses } from "./schedule/read-sync-statuses.ts";
import { deleteOldRuns, freeEnded, listOpenRuns, removeDeletedSyncs } from "./sweeping/store.ts";
import { noChanges } from "./sync.ts";
import { takeJobs } from "./testing/index.ts";
import {
  app,
  connection,
  ctx,
  deploy,
  enterOtherEnvironment,
  integration,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

const MANY = 3000;

/** The sync of this environment for many more connections, due, each with a run that has ended and a webhook's that waits. */
async function multiply(): Promise<void> {
  await sql`
    with added as (
      insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials,
                               created_at, updated_at)
      select gen_random_uuid(), environment_id, integration_id, 'more ' || n, auth_mode, credentials,
             created_at, updated_at
        from connections, generate_series(1, ${MANY}) n where uuid = ${connection.uuid}
      returning uuid)
    insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms, anchored_at,
                       next_run_at, created_at, updated_at)
    select gen_random_uuid(), environment_id, added.uuid, function_id, name, paused, interval_ms, anchored_at,
           created_at, created_at, updated_at
      from added, syncs where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await sql`
    insert into runs (id, environment_id, kind, function_id, connection_uuid, sync_id, state, created_at, ended_at)
    select gen_random_uuid(), environment_id, 'sync', function_id, connection_uuid, id, 'success', now(), now()
      from syncs where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await sql`
    insert into runs (id, environment_id, kind, function_id, connection_uuid, state, created_at)
    select gen_random_uuid(), environment_id, 'webhook', function_id, connection_uuid, 'waiting', now()
      from syncs where environment_id = ${ctx.environment.id}`.execute(ctx.db);
}

test("what looks for due schedules and lost runs reads those, not all that there are", async () => {
  await deploy("", { runs: "every hour" });
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  const lease = job && (await beginRun(ctx, job.runId));
  if (lease === undefined) throw new Error("the run did not begin");
  await multiply();
  const crowded = ctx;
  await enterOtherEnvironment();
  const now = app.clock.now();
  const tomorrow = addMs(now, DAY);

  for (const state of ["unknown to Postgres", "analyzed"]) {
    if (state === "analyzed") await sql`analyze syncs, runs`.execute(ctx.db);
    const ids: SyncId[] = [];
    const count = async (work: (db: typeof ctx.db) => Promise<unknown>) =>
      await countReads(ctx, "%", async ({ db }) => await work(db));
    const reads = {
      next: await count(findNextDueAt),
      running: await count(countRunning),
      choose: await count(async (db) => {
        for (const id of await chooseDueSyncs(db, { now, room: 20, share: 15 })) ids.push(id);
      }),
      lock: await count((db) => lockSyncs(db, ids)),
      save: await count((db) =>
        addRunChanges(db, crowded.environment.id, lease.run, "Contact", noChanges),
      ),
      status: await count((db) => listLatestRuns(db, crowded.environment.id, ids)),
      open: await count(listOpenRuns),
      ended: await count((db) => freeEnded(db, now)),
      old: await count((db) =>
        deleteOldRuns(db, { after: undefined, before: tomorrow, limit: 100 }),
      ),
      deleted: await count((db) => removeDeletedSyncs(db, { before: tomorrow, limit: 100 })),
    };
    expect(ids, state).toHaveLength(14);
    for (const [what, read] of Object.entries(reads))
      expect(read, `${what}, ${state}`).toBeLessThan(1000);
  }
});

test("a page of syncs by connection reads little more than the page", async () => {
  await deploy("", { runs: "every hour" });
  await multiply();
  const filter = {
    ...{ state: undefined, functionIds: undefined, exceptFunctionIds: [], connections: undefined },
    ...{ integrationId: undefined, after: undefined, limit: 100 },
  };

  for (const state of ["unknown to Postgres", "analyzed"]) {
    if (state === "analyzed") await sql`analyze syncs, connections`.execute(ctx.db);
    const reads = await countReads(ctx, "%", async ({ db }) => {
      const first = await listSyncRowsByConnection(db, ctx.environment.id, filter);
      const after = first.at(-1);
      const next = await listSyncRowsByConnection(db, ctx.environment.id, { ...filter, after });
      expect(new Set([...first, ...next].map(({ id }) => id)).size).toBe(200);
    });
    expect(reads, state).toBeLessThan(2000);
  }
});

test("schedules that one transaction adds are looked up by their ids, however few there were before", async () => {
  await deploy("", { runs: "every hour" });

  const reads = await countReads(ctx, "sync_turns", async ({ db }) => {
    await sql`analyze sync_turns`.execute(db);
    // As in a session that has planned the trigger now.
    await sql`discard plans`.execute(db);
    await sql`
      insert into syncs (id, environment_id, connection_uuid, function_id, name, variant, paused, interval_ms,
                         anchored_at, next_run_at, created_at, updated_at)
      select gen_random_uuid(), environment_id, connection_uuid, function_id, name, 'variant ' || n, paused, interval_ms,
             anchored_at, next_run_at, created_at, updated_at
        from syncs, generate_series(1, ${MANY}) n where environment_id = ${ctx.environment.id}`.execute(
      db,
    );
    await sql`update syncs set paused = true where environment_id = ${ctx.environment.id}`.execute(
      db,
    );
  });

  expect(reads).toBeLessThan(3 * MANY);
});

test("the state of one sync is read by plans that are kept", async () => {
  await deploy("", { runs: "every hour" });
  await multiply();
  await sql`analyze syncs, connections, runs`.execute(ctx.db);
  const { connectionId } = connection;
  const target = { integrationKey: integration.uniqueKey, connectionId, syncs: [] };

  const kept = await withTransaction(ctx, async (inside) => {
    // Postgres plans a statement five times before it keeps a plan.
    for (let call = 0; call < 10; call += 1) {
      const pages: unknown[] = [];
      for await (const page of readSyncStatuses(inside, target)) pages.push(page);
      expect(pages).toMatchObject([[{ name: "contacts" }]]);
    }
    const { rows } = await sql<{ name: string }>`
      select name from pg_prepared_statements where generic_plans >= 4 order by name`.execute(
      inside.db,
    );
    return rows.map(({ name }) => name);
  });

  expect(kept).toEqual(expect.arrayContaining(["runs_latest", "syncs_of_connection"]));
});
