import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { sendWebhook } from "../send-webhook.ts";
import { type OutboxUnderTest, startOutbox } from "../testing/outbox.ts";
import { eraseDeliveries } from "./erase-deliveries.ts";

const MAIL = "ada.quay@people.example";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

interface Passed {
  readonly integration: string;
  readonly connection?: string;
  readonly payload: object;
}

/** A provider's webhook that is passed on. */
async function passOn(
  ctx: EnvironmentContext,
  { integration, connection, payload }: Passed,
): Promise<void> {
  const body = { from: "x", type: "forward", providerConfigKey: integration, payload };
  await sendWebhook(ctx, {
    type: "forward",
    body: { ...body, connectionId: connection },
    ...(connection === undefined ? {} : { connection: randomUUID() as ConnectionUuid }),
  });
}

test("a webhook that was passed on about another connection goes where it names the person", async () => {
  const ctx = await outbox.environment({ primary: "http://127.0.0.1:9/hook" });
  const packed = Buffer.from(JSON.stringify({ mailbox: MAIL })).toString("base64");
  await passOn(ctx, { integration: "mail", connection: "other", payload: { to: MAIL } });
  await passOn(ctx, { integration: "mail", connection: "other", payload: { data: packed } });
  await passOn(ctx, { integration: "mail", payload: { to: MAIL } });
  await passOn(ctx, { integration: "mail", connection: "other", payload: { to: "bea@x.example" } });
  await passOn(ctx, { integration: "crm", connection: "other", payload: { contact: MAIL } });
  expect(await outbox.stored(ctx)).toHaveLength(5);

  const person = { uuids: [], names: ["ada-1"], words: [MAIL], integrationKeys: ["mail"] };
  let erased = 0;
  await eraseDeliveries(ctx, person, async (ctx, erase) => {
    const count = await erase(ctx);
    erased += count;
    return count;
  });

  expect(erased).toBe(3);
  expect(await outbox.stored(ctx)).toHaveLength(2);
});
