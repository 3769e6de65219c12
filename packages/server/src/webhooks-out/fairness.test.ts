import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendWebhook } from "./index.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const webhook = { type: "sync", body: { type: "sync", from: "svc" } } as const;
/** A sender has 192 slots; an environment may have four fifths of them. */
const SHARE = 153;

test("one environment's many receivers that do not answer leave slots to another's webhooks", async () => {
  const held: ServerResponse[] = [];
  const hanging = await receive((_count, response) => void held.push(response));
  const quick = await receive((_count, response) => response.end());
  const greedy = await outbox.environment();
  const other = await outbox.environment({ primary: quick.url });
  for (let nth = 0; nth < 240; nth += 1) {
    const overrideUrl = new URL(`/${nth % 60}`, hanging.url).href;
    await sendWebhook(greedy, { ...webhook, overrideUrl });
  }
  outbox.startSending({ stopGraceMs: 10 });
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(SHARE);

  await sendWebhook(other, webhook);
  await expect
    .poll(async () => (await outbox.stored(other))[0]?.state, { timeout: 20_000 })
    .toBe("delivered");

  expect(held.length).toBe(SHARE);
  for (const response of held.splice(0)) response.end();
  // The rest has its turn then.
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(240 - SHARE);
  for (const response of held) response.end();
}, 60_000);
