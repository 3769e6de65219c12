import { afterAll, beforeAll, test } from "vitest";
import { type LargeWebhooks, startLargeWebhooks } from "./testing/large-webhooks.ts";

// What each stage costs is measured by tests/chaos/large-webhooks.chaos.ts.

let webhooks: LargeWebhooks;
beforeAll(async () => {
  webhooks = await startLargeWebhooks();
});
afterAll(async () => await webhooks[Symbol.asyncDispose]());

test.each(["plain", "raw"] as const)(
  "24 MB are received, handled, shown and delivered: %s",
  async (name) => {
    for (const run of Object.values(webhooks.stages)) await run(name);
  },
);
