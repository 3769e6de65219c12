import { sql } from "kysely";
import { expect, test } from "vitest";
import { withTransaction } from "#foundation/db";
import { connection, ctx, deploy, useSyncs } from "../testing/syncs-under-test.ts";
import { pauseSyncs, startSyncs } from "./pause-syncs.ts";
import { triggerSyncs } from "./trigger-syncs.ts";

useSyncs();

/** Of more than two pages. */
const MANY = 1100;

async function addVariants(): Promise<void> {
  await sql`
    insert into syncs (id, environment_id, connection_uuid, function_id, name, variant, paused, interval_ms,
                       anchored_at, next_run_at, created_at, updated_at)
    select gen_random_uuid(), environment_id, connection_uuid, function_id, name, 'variant ' || n, paused, interval_ms,
           anchored_at, next_run_at, created_at, updated_at
      from syncs, generate_series(1, ${MANY}) n where connection_uuid = ${connection.uuid}`.execute(
    ctx.db,
  );
}

async function countSyncs() {
  const { rows } = await sql<{ paused: boolean; wish: string | null; count: number }>`
    select paused, follow_up->>'by' as wish, count(*)::int as count from syncs
     where environment_id = ${ctx.environment.id} group by 1, 2`.execute(ctx.db);
  return rows;
}

test("all schedules of an integration are paused, triggered and started, over several pages", async () => {
  await deploy("", { runs: "every hour" });
  await addVariants();
  const all = { integrationKey: "crm", connectionId: undefined, syncs: [] };
  const count = MANY + 1;

  await pauseSyncs(ctx, all);
  const paused = await countSyncs();
  await triggerSyncs(ctx, { ...all, wish: { reset: false, emptyCache: false } });
  const triggered = await countSyncs();
  await startSyncs(ctx, all);

  expect(paused).toEqual([{ paused: true, wish: null, count }]);
  expect(triggered).toEqual([{ paused: true, wish: "trigger", count }]);
  expect(await countSyncs()).toEqual([{ paused: false, wish: "trigger", count }]);
});

test("a schedule that another transaction holds is waited for, and holds up none of its page", async () => {
  await deploy("", { runs: "every hour" });
  await addVariants();
  const all = { integrationKey: "crm", connectionId: undefined, syncs: [] };
  const held = Promise.withResolvers<void>();
  const holding = withTransaction(ctx, async ({ db }) => {
    await sql`select from syncs where connection_uuid = ${connection.uuid} and variant = 'base' for update`.execute(
      db,
    );
    await held.promise;
  });
  const countPaused = async () => (await countSyncs()).find(({ paused }) => paused)?.count;

  const pausing = pauseSyncs(ctx, all);
  await expect.poll(countPaused).toBeGreaterThan(400);
  const meanwhile = (await countPaused()) ?? 0;
  held.resolve();
  await Promise.all([holding, pausing]);

  expect(meanwhile).toBeLessThanOrEqual(MANY);
  expect(await countPaused()).toBe(MANY + 1);
});
