import { expect, test } from "vitest";
import { HOUR } from "#foundation";
import { readUpdates, waitForSnapshots } from "#foundation/testing";
import { insertTestConnection } from "#functions/testing";
import { flushLogs } from "#logs";
import {
  app,
  ctx,
  deploy,
  integration,
  runDue,
  setWebhooks,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

const CONNECTIONS = 40;
const ROUNDS = 3;
const MOST_MORE = 4;
const tables = ["runs", "syncs", "operations"];

function areInPlace(changed: Awaited<ReturnType<typeof readUpdates>>): boolean {
  return ["runs", "syncs"].every((table) => {
    const { updates, inPlace } = changed(table);
    return inPlace / updates > 0.8;
  });
}

test("runs change their rows in place, and most write their operation once", async () => {
  await setWebhooks({ primary_url: "" });
  for (let n = 0; n < CONNECTIONS; n += 1)
    await insertTestConnection(ctx, integration, `more-${n}`);
  await deploy(`await svc.batchSave([{ id: "1", name: String(Date.now()) }], "Contact");`);
  let runs = 0;
  const run = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      runs += await runDue();
      app.clock.advance(2 * HOUR);
      // Versions of rows go once no transaction that is still under way may see them.
      await waitForSnapshots(app.database);
    }
    await flushLogs(ctx);
  };
  await run();
  let changed = await readUpdates(app.database, tables);
  // On a busy machine transactions overlap for longer, and hold old versions: the rounds after them count, too.
  for (let more = 0; more < MOST_MORE && !areInPlace(changed); more += 1) {
    await run();
    changed = await readUpdates(app.database, tables);
  }

  expect(runs).toBeGreaterThan(CONNECTIONS * ROUNDS);
  for (const table of ["runs", "syncs"] as const) {
    const { updates, inPlace } = changed(table);
    expect(updates, table).toBeGreaterThan(runs);
    expect(inPlace / updates, table).toBeGreaterThan(0.8);
  }
  // But for those that took longer than a second.
  expect(changed("operations").updates).toBeLessThan(runs / 10);
  expect(changed("operations").inserts).toBeGreaterThanOrEqual(runs);
});
