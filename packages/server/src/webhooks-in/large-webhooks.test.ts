import { afterAll, beforeAll, expect, test } from "vitest";
import { createEnvironment } from "#environments";
import type { EnvironmentContext } from "#platform";
import { type Cost, costOf } from "#platform/testing";
import { createDeliveryWork } from "#webhooks-out";
import { type InboxServer, startInboxServer } from "./testing/index.ts";
import { type OtherSide, startOtherSide } from "./testing/other-side.ts";
import { forgetWebhooks, listInboundIds, setPrimaryUrl } from "./testing/store.ts";

// Promise A6 for the largest webhook: no step of its way holds the process for long.
const BYTES = 24 * 2 ** 20;
// Twice and four times what a quiet machine may take: one large copy or signature in a single turn takes more.
const MOST_MS = 500;
const MOST_TURN_MS = 200;
const MOST_ROUNDS = 6;

let server: InboxServer;
let other: OtherSide;
let ctx: EnvironmentContext;
const urls: Record<string, string> = {};
beforeAll(async () => {
  [server, other] = await Promise.all([startInboxServer(), startOtherSide()]);
  const { accountId } = server.app.ctx.environment;
  const id = await createEnvironment(server.app.ctx, {
    accountId,
    name: "large",
    isProduction: false,
  });
  ctx = server.enter({ id, name: "large", accountId });
  await setPrimaryUrl(ctx, other.url);
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
  for (const [uniqueKey, forward_raw] of [
    ["plain", false],
    ["raw", true],
  ] as const) {
    const change = { credentials, uniqueKey, settings: { forward_raw } };
    const integration = await server.integration(ctx, "shopify", change);
    urls[uniqueKey] = `${server.url}${server.pathOf(integration)}`;
  }
});
afterAll(async () => {
  // A dump of all of them is more than a text may hold.
  await forgetWebhooks(ctx);
  await other[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const headers = { "content-type": "application/json" };
const stages = {
  received: async (name: string) => {
    const url = urls[name] ?? "";
    const answer = await other.send({ url, headers, textBytes: BYTES, secret: "secret" });
    expect(answer.status).toBe(200);
  },
  handled: async () => await server.handle(),
  shown: async () => {
    const [id] = await listInboundIds(ctx);
    const authorization = ctx.environment.name;
    const shown = { url: `${server.url}/webhooks/inbox/${id}/body`, headers: { authorization } };
    const { bytes } = await other.send({ ...shown, textBytes: 0, secret: "" });
    expect(bytes).toBeGreaterThan(BYTES);
  },
  delivered: async () => {
    const received = other.receive();
    const work = createDeliveryWork();
    expect((await work.claim(server.outside, () => {})).claimed).toBe(1);
    expect(await received).toBeGreaterThan(BYTES);
    await work.drain?.();
  },
};

async function runStages(name: string, watchesBlocks: boolean): Promise<Record<string, Cost>> {
  const costs: Record<string, Cost> = {};
  for (const [stage, run] of Object.entries(stages)) {
    costs[stage] = await costOf(async () => await run(name), watchesBlocks);
  }
  return costs;
}

const TIMEOUT_MS = 240_000;

test.each([
  ["plain", 1],
  // What is forwarded holds the bytes once more, as base64.
  ["raw", 2],
])(
  "24 MB are received, handled, shown and delivered without blocking the event loop: %s",
  async (name, times) => {
    await runStages(name, false);

    // The lowest of some, since the collector of garbage may come in any of them, and memory that the machine has not
    // given yet takes far longer than what it gives again.
    const lowest: Record<string, Cost> = {};
    const isWithin = ({ all, longestBlockMs }: Cost) =>
      all < MOST_MS * times && longestBlockMs < MOST_TURN_MS;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const costs = await runStages(name, false);
      const runs = await runStages(name, true);
      for (const stage of Object.keys(stages)) {
        lowest[stage] = {
          all: Math.min(lowest[stage]?.all ?? Infinity, costs[stage]?.all ?? Infinity),
          longestBlockMs: Math.min(
            lowest[stage]?.longestBlockMs ?? Infinity,
            runs[stage]?.longestBlockMs ?? Infinity,
          ),
        };
      }
      if (Object.values(lowest).every(isWithin)) break;
    }

    for (const [stage, { all, longestBlockMs }] of Object.entries(lowest)) {
      process.stdout.write(`24 MB ${name}, ${stage}: ${all} ms, longest ${longestBlockMs} ms\n`);
      expect.soft(all, stage).toBeLessThan(MOST_MS * times);
      expect.soft(longestBlockMs, stage).toBeLessThan(MOST_TURN_MS);
    }
  },
  TIMEOUT_MS,
);
