import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureDays } from "#foundation/db/day-partitions";
import { readUpdates, waitForSnapshots } from "#foundation/testing";
import { sendWebhook, webhookDayTables } from "./index.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { ok, receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const ROUNDS = 5;
const EACH = 30;

test("attempts change their deliveries in place, and what is done with waits no longer", async () => {
  await ensureDays(outbox.app.ctx, webhookDayTables);
  const receiver = await receive(ok);
  const ctx = await outbox.environment({ primary: receiver.url });
  outbox.startSending();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const body = { from: "svc", type: "auth", connectionId: "a", note: "x".repeat(600) };
    for (let n = 0; n < EACH; n += 1) await sendWebhook(ctx, { type: "auth", body });
    const isDone = async () =>
      (await outbox.stored(ctx)).every(({ state }) => state === "delivered");
    await expect.poll(isDone, { timeout: 20_000 }).toBe(true);
    // Versions of rows go once no transaction that is still under way may see them.
    await waitForSnapshots(outbox.app.database);
  }
  const { rows } = await outbox.app.database.pool.query("select * from delivery_turns");

  const changed = await readUpdates(outbox.app.database, ["webhook_deliveries", "delivery_turns"]);

  const { updates, inPlace } = changed("webhook_deliveries");
  expect(updates).toBeGreaterThanOrEqual(2 * ROUNDS * EACH);
  expect(inPlace / updates).toBeGreaterThan(0.8);
  expect(changed("delivery_turns")).toMatchObject({ inserts: ROUNDS * EACH, updates: 0 });
  expect(rows).toEqual([]);
});
