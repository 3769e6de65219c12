import { sql } from "kysely";
import { expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { deployFunctions } from "#functions";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { claimDueSyncs } from "./index.ts";
import { newSyncUpload } from "./testing/sync-upload.ts";
import { app, ctx, useSyncs } from "./testing/syncs-under-test.ts";

useSyncs();

async function addSyncs(to: EnvironmentContext, count: number): Promise<void> {
  const integration = await insertTestIntegration(to, "crm");
  for (let number = 0; number < count; number += 1) {
    await insertTestConnection(to, integration, `customer-${number}`);
  }
  await deployFunctions(to, newSyncUpload(""));
}

async function countRunning({ environment }: EnvironmentContext): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from syncs
     where environment_id = ${environment.id} and running_run_id is not null`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

async function claim(runSlots: number): Promise<void> {
  await claimDueSyncs({ ...ctx, settings: { ...ctx.settings, runSlots } });
}

async function endOne({ environment }: EnvironmentContext): Promise<void> {
  await sql`
    update syncs set running_run_id = null where id = (
      select id from syncs where environment_id = ${environment.id} and running_run_id is not null limit 1)
  `.execute(ctx.db);
}

test("slots go round the environments; none takes more than its share of them", async () => {
  const crowded = await app.addEnvironment();
  const quiet = await app.addEnvironment();
  await addSyncs(crowded, 30);

  await claim(12);
  expect(await countRunning(crowded)).toBe(9);
  await addSyncs(quiet, 2);
  await claim(12);
  expect([await countRunning(crowded), await countRunning(quiet)]).toEqual([9, 2]);

  await claim(12);
  expect(await countRunning(crowded)).toBe(9);
  await endOne(crowded);
  await claim(12);
  expect(await countRunning(crowded)).toBe(9);
});
