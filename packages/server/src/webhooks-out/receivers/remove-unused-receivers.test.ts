import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { sendWebhook } from "../index.ts";
import { type OutboxUnderTest, startOutbox } from "../testing/outbox.ts";
import { ok, receive } from "../testing/receiver.ts";
import { removeUnusedReceivers } from "./remove-unused-receivers.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const webhook = { type: "sync", body: { type: "sync", from: "svc" } } as const;

async function listUrls({ db, environment }: EnvironmentContext): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select url from webhook_receivers where environment_id = ${environment.id} order by url`.execute(
    db,
  );
  return rows.map(({ url }) => url);
}

/** As when the time of the environment's webhooks is over. */
async function forgetDeliveries({ db, environment }: EnvironmentContext): Promise<void> {
  await sql`delete from delivery_turns where environment_id = ${environment.id}`.execute(db);
  await sql`delete from webhook_deliveries where environment_id = ${environment.id}`.execute(db);
}

test("an address goes when no webhook to it is left, and comes back with the next one", async () => {
  const receiver = await receive(ok);
  const [used, unused] = [
    await outbox.environment({ primary: receiver.url }),
    await outbox.environment({ primary: receiver.url }),
  ];
  for (const ctx of [used, unused]) await sendWebhook(ctx, webhook);
  await forgetDeliveries(unused);

  await removeUnusedReceivers(outbox.app.ctx);
  const left = [await listUrls(used), await listUrls(unused)];
  await sendWebhook(unused, webhook);
  outbox.startSending();

  expect(left).toEqual([[receiver.url], []]);
  await expect
    .poll(async () => (await outbox.stored(unused)).map(({ state }) => state))
    .toEqual(["delivered"]);
});

test("a webhook that is being sent keeps its address", async () => {
  const ctx = await outbox.environment({ primary: "https://receiver.example/hook" });
  await sendWebhook(ctx, webhook);
  await forgetDeliveries(ctx);
  const stored = Promise.withResolvers<void>();
  const removed = Promise.withResolvers<void>();
  const sending = withTransaction(ctx, async (ctx) => {
    await sendWebhook(ctx, webhook);
    stored.resolve();
    await removed.promise;
  });
  await stored.promise;

  await removeUnusedReceivers(outbox.app.ctx);
  removed.resolve();
  await sending;

  expect(await listUrls(ctx)).toEqual(["https://receiver.example/hook"]);
});
