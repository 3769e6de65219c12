import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, newTimeId, type RunId } from "#foundation";
import { FairQueue } from "#foundation/fair-slots";
import { storeWebhook } from "./inbox/inbox-writer.ts";
import { createInboxWork } from "./index.ts";
import { listEvents } from "./reading/read-webhook.ts";
import { holdBodies } from "./receive/held-bodies.ts";
import { type InboxServer, startInboxServer } from "./testing/index.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

const MB = 2 ** 20;
const headers = { "content-type": "application/json" };

function row(ctx: EnvironmentContext, bytes: number) {
  const receivedAt = ctx.clock.now();
  return {
    id: newTimeId<RunId>(receivedAt) as string,
    environmentId: ctx.environment.id,
    integrationId: 1,
    request: randomBytes(bytes),
    bodyBytes: bytes,
    isVerified: false,
    types: [],
    completes: false,
    receivedAt,
  };
}

test("what one environment has waiting to be stored does not refuse or outwait another's", async () => {
  const [flood, other] = [await server.environment(), await server.environment()];
  const ended: string[] = [];
  const store = async (ctx: EnvironmentContext, bytes: number, name: string) =>
    await storeWebhook(ctx, row(ctx, bytes)).then(
      () => ended.push(name),
      () => ended.push(`${name} refused`),
    );

  const all = Array.from({ length: 80 }, async () => await store(flood, MB, "flood"));
  all.push(store(other, KB, "other"));
  await Promise.all(all);

  expect(ended).toContain("flood refused");
  expect(ended).not.toContain("other refused");
  expect(ended.filter((name) => name === "flood").length).toBeGreaterThan(60);
  // Behind the two batches that were on their way, not behind the flood.
  const stored = ended.filter((name) => !name.endsWith("refused"));
  expect(stored.indexOf("other")).toBeLessThan(10);
});

const KB = 1024;

test("an ordinary webhook is read while another environment's large one still is", async () => {
  const [flood, other] = [await server.environment(), await server.environment()];
  const ended: string[] = [];
  const read = async (ctx: EnvironmentContext, members: number, name: string) => {
    const names = Array.from({ length: members }, (_, place) => `"name ${place}":1`);
    const body = Buffer.from(`{${names.join(",")}}`);
    const decoded = { method: "POST", url: "/", query: {}, headers, body };
    await listEvents(ctx, { kind: "plain" }, decoded);
    ended.push(name);
  };
  await Promise.all([read(flood, 100_000, "warm"), read(other, 1000, "warm")]);

  await Promise.all([read(flood, 300_000, "flood"), read(other, 1000, "other")]);

  expect(ended.slice(2)).toEqual(["other", "flood"]);
});

test("bodies on their way in of one environment take at most half of the room", async () => {
  const [flood, other] = [await server.environment(), await server.environment()];
  {
    using held = holdBodies(flood);
    held.add(128 * MB);

    expect(() => held.add(1)).toThrow(expect.objectContaining({ code: "overloaded" }));
    using neighbour = holdBodies(other);
    neighbour.add(128 * MB);
  }
  using again = holdBodies(flood);
  again.add(128 * MB);
});

test("an environment with many busy integrations leaves slots to the others", async () => {
  // Its own, in which no environment of another test has a place.
  await using server = await startInboxServer();
  const [flood, other] = [await server.environment(), await server.environment()];
  for (let n = 0; n < 12; n += 1) {
    const path = server.pathOf(await server.integration(flood, "affinity", { uniqueKey: `f${n}` }));
    for (let count = 0; count < 3; count += 1) {
      await server.send(path, { headers, body: '{"type":"flood"}' });
    }
  }
  await server.send(server.pathOf(await server.integration(other, "affinity")), {
    headers,
    body: '{"type":"one"}',
  });
  const work = createInboxWork();

  await work.claim(server.app.ctx, () => {});
  await work.drain?.();

  expect(await countWaiting(other)).toBe(0);
  expect(await countWaiting(flood)).toBe(6 * 3);
});

async function countWaiting(ctx: EnvironmentContext): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from inbound_webhooks
     where environment_id = ${ctx.environment.id} and state = 'waiting'`.execute(ctx.db);
  return rows[0]?.count ?? -1;
}

test("large bodies are read in turn: a queue of one environment is no queue of another", async () => {
  const queue = new FairQueue();
  const order: string[] = [];
  const job = (environment: string) =>
    queue.run(environment, async () => {
      await new Promise(setImmediate);
      order.push(environment);
    });

  await Promise.all([...Array.from({ length: 5 }, () => job("a")), job("b"), job("c"), job("b")]);

  // The first finds nobody before it; from then on each environment has one turn a round.
  expect(order).toEqual(["a", "a", "b", "c", "a", "b", "a", "a"]);
  await expect(queue.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run("a", () => Promise.resolve(1))).toBe(1);
});

test("without a setting of its own an integration takes what the operator lets it take, and so does an environment", async () => {
  await using server = await startInboxServer({
    webhookLimitPerMinute: 4,
    webhookEnvironmentLimitPerMinute: 7,
  });
  const ctx = await server.environment();
  const paths = [];
  for (const name of ["a", "b"]) {
    paths.push(server.pathOf(await server.integration(ctx, "affinity", { uniqueKey: name })));
  }
  const unlimited = await server.integration(ctx, "affinity", {
    uniqueKey: "c",
    settings: { webhook_limit_per_min: 0 },
  });
  paths.push(server.pathOf(unlimited));
  const statuses: number[][] = [];
  for (const path of paths) {
    const answers = [];
    for (let n = 0; n < 5; n += 1) {
      answers.push(await server.send(path, { headers, body: '{"type":"a"}' }));
    }
    statuses.push(answers.map(({ status }) => status));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.every((answer) => Number(answer.headers["retry-after"]) >= 1)).toBe(true);
  }

  expect(statuses).toEqual([
    [200, 200, 200, 200, 429],
    [200, 200, 200, 429, 429],
    [429, 429, 429, 429, 429],
  ]);
});
