import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, MINUTE } from "#foundation";
import { listInbox } from "../inbox/list-inbox.ts";
import { type InboxServer, listForwards, startInboxServer } from "../testing/index.ts";
import { replayWebhook, replayWebhooks } from "./replay-webhooks.ts";

let server: InboxServer;
beforeAll(async () => {
  server = await startInboxServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function list(ctx: EnvironmentContext) {
  const all = { state: undefined, from: undefined, to: undefined, cursor: undefined, limit: 100 };
  return (await listInbox(ctx, { ...all, integrationKey: undefined })).webhooks;
}

async function receive(ctx: EnvironmentContext, count: number) {
  const integration = await server.integration(ctx, "github");
  for (let n = 0; n < count; n += 1) {
    const headers = { "content-type": "application/json", "x-github-delivery": randomUUID() };
    const body = JSON.stringify({ action: "opened", number: n });
    await server.send(server.pathOf(integration), { headers, body });
    server.app.clock.advance(MINUTE);
  }
  await server.handle();
  return integration;
}

test("a webhook is handled again on demand, although its events were handled before", async () => {
  const ctx = await server.environment();
  await receive(ctx, 1);
  const [before] = await list(ctx);
  const id = String(before?.id);

  const queued = await replayWebhook(ctx, id);
  await server.handle();

  expect(before).toMatchObject({ state: "handled" });
  expect(queued).toMatchObject({ id, state: "waiting", attempts: 0, handledAt: null });
  expect(await list(ctx)).toMatchObject([{ id, state: "handled" }]);
  const forwards = await listForwards(ctx);
  expect(forwards).toHaveLength(2);
  expect(forwards[1]?.body).toEqual(forwards[0]?.body);
});

test("a repetition by the provider is still a duplicate after a replay", async () => {
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "github");
  const headers = { "content-type": "application/json", "x-github-delivery": randomUUID() };
  const send = async () =>
    await server.send(server.pathOf(integration), { headers, body: '{"action":"opened"}' });
  await send();
  await server.handle();
  const [first] = await list(ctx);
  await replayWebhook(ctx, String(first?.id));
  await server.handle();

  await send();
  await server.handle();

  const states = (await list(ctx)).map(({ state }) => state);
  expect(states.toSorted()).toEqual(["duplicate", "handled"]);
  expect(await listForwards(ctx)).toHaveLength(2);
});

test("a range replays what failed, or all, of one integration or all; other environments stay", async () => {
  const ctx = await server.environment();
  const other = await server.environment();
  const from = server.app.clock.now();
  const integration = await receive(ctx, 3);
  await receive(other, 1);
  const [newest] = await list(ctx);
  await sql`update inbound_webhooks set state = 'failed' where id = ${newest?.id}`.execute(ctx.db);
  const range = { from, to: undefined, integrationKey: undefined };

  const failed = await replayWebhooks(ctx, { ...range, onlyFailed: true });
  await server.handle();
  const before = await replayWebhooks(ctx, {
    ...range,
    to: newest?.receivedAt,
    onlyFailed: false,
    integrationKey: integration.uniqueKey,
  });
  const again = await replayWebhooks(ctx, { ...range, onlyFailed: false });

  expect(failed).toEqual({ replayed: 1, nextFrom: undefined });
  expect(before).toEqual({ replayed: 2, nextFrom: undefined });
  // Two wait already.
  expect(again.replayed).toBe(1);
  expect((await list(other)).map(({ state }) => state)).toEqual(["handled"]);
  await expect(
    replayWebhooks(ctx, { ...range, onlyFailed: true, integrationKey: "none" }),
  ).rejects.toMatchObject({ code: "unknown_provider_config" });
});

test("what is not there, or has no request any more, is not replayed", async () => {
  const ctx = await server.environment();
  await receive(ctx, 1);
  const [webhook] = await list(ctx);
  const id = String(webhook?.id);
  await sql`update inbound_webhooks set request = null where id = ${id}`.execute(ctx.db);

  await expect(replayWebhook(ctx, id)).rejects.toThrow("was deleted to make room");
  await expect(replayWebhook(ctx, randomUUID())).rejects.toMatchObject({ code: "not_found" });
  await expect(replayWebhook(await server.environment(), id)).rejects.toMatchObject({
    code: "not_found",
  });
});

test("one call replays at most 1,000, and says where the next begins", async () => {
  const ctx = await server.environment();
  const from = server.app.clock.now();
  await receive(ctx, 1);
  const [model] = await list(ctx);
  await sql`
    insert into inbound_webhooks
      (id, environment_id, integration_id, request, body_bytes, is_verified, types, completes, state, received_at)
    select gen_random_uuid(), environment_id, integration_id, request, body_bytes, is_verified, types, completes,
           'failed', received_at + n * interval '1 second'
      from inbound_webhooks, generate_series(1, 1500) n where id = ${model?.id}`.execute(ctx.db);
  const range = { to: undefined, onlyFailed: true, integrationKey: undefined };
  server.app.clock.advance(60 * MINUTE);

  const first = await replayWebhooks(ctx, { ...range, from });
  const second = await replayWebhooks(ctx, { ...range, from: first.nextFrom ?? from });

  expect(first).toMatchObject({ replayed: 1000, nextFrom: expect.any(Date) });
  expect(second).toEqual({ replayed: 500, nextFrom: undefined });
});
