import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EnvironmentContext,
  type EnvironmentId,
  newTimeId,
  type RunId,
  ServerStates,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { storeWebhook } from "../inbox/inbox-writer.ts";
import { listInbox } from "../inbox/list-inbox.ts";
import { deleteOlder } from "./delete-older.ts";
import { deleteHandled, freeRoom } from "./free-room.ts";
import { requireRoom } from "./require-room.ts";
import { readUsage } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const KB = 1024;

interface Made {
  readonly bytes?: number;
  readonly state?: "waiting" | "handled" | "duplicate" | "failed";
  readonly isVerified?: boolean;
}

async function environment(budget: number): Promise<EnvironmentContext> {
  const ctx = await app.addEnvironment();
  // The cached usage of an inbox is part of the server's state.
  const state = new ServerStates();
  return { ...ctx, state, settings: { ...ctx.settings, webhookStorageBytes: budget } };
}

/** Webhooks in the order in which they came, a second apart. */
async function insert(ctx: EnvironmentContext, made: readonly Made[]): Promise<string[]> {
  const rows = made.map(({ bytes = KB, isVerified = true }, index) => {
    const receivedAt = new Date(app.clock.now().getTime() + index * 1000);
    return {
      id: newTimeId<RunId>(receivedAt) as string,
      environmentId: ctx.environment.id,
      integrationId: 1,
      request: randomBytes(bytes),
      bodyBytes: bytes,
      isVerified,
      types: [],
      completes: false,
      receivedAt,
    };
  });
  for (const row of rows) await storeWebhook(ctx, row);
  for (const [index, { state = "handled" }] of made.entries()) {
    await sql`update inbound_webhooks set state = ${state} where id = ${rows[index]?.id}`.execute(
      ctx.db,
    );
  }
  return rows.map(({ id }) => id);
}

async function listKept(ctx: EnvironmentContext): Promise<string[]> {
  const page = { integrationKey: undefined, state: undefined, from: undefined, to: undefined };
  const { webhooks } = await listInbox(ctx, { ...page, cursor: undefined, limit: 1000 });
  return webhooks.filter(({ hasRequest }) => hasRequest).map(({ id }) => id);
}

async function refusalOf(ctx: EnvironmentContext, asked: { bytes: number; isVerified: boolean }) {
  return await requireRoom(ctx, asked).then(
    () => "taken",
    (error) => error.code,
  );
}

test("what is kept is counted to the byte, regardless of who writes and deletes it", async () => {
  const ctx = await environment(0);
  await insert(ctx, [{ bytes: 100 }, { bytes: 200 }, { bytes: 300 }]);
  const before = await readUsage(ctx.db, ctx.environment.id);

  await Promise.all(
    Array.from({ length: 8 }, async () => await readUsage(ctx.db, ctx.environment.id)),
  );
  const deleted = await deleteHandled(ctx, 101);
  const after = await readUsage(ctx.db, ctx.environment.id);
  await deleteOlder(ctx, ctx.environment.id, new Date(app.clock.now().getTime() + 60_000));

  expect([before, deleted, after]).toEqual([600, { count: 2, bytes: 300 }, 300]);
  expect(await readUsage(ctx.db, ctx.environment.id)).toBe(0);
});

test("handled requests give way, unproven and old ones first; what waits or failed stays", async () => {
  const ctx = await environment(10 * KB);
  const ids = await insert(ctx, [
    { isVerified: true },
    { isVerified: false },
    { isVerified: true },
    { isVerified: false },
    { state: "waiting" },
    { state: "failed" },
    { state: "duplicate" },
    { state: "waiting", isVerified: false },
  ]);

  const left = await freeRoom(ctx);

  // 8 KB of 10 become 6: both that nobody proved.
  expect(left).toBe(6 * KB);
  expect(new Set(await listKept(ctx))).toEqual(
    new Set([ids[0], ids[2], ids[4], ids[5], ids[6], ids[7]]),
  );
});

test("a full inbox refuses what nothing proves first, and never loses what waits", async () => {
  const ctx = await environment(10 * KB);
  const ids = await insert(
    ctx,
    Array.from({ length: 8 }, () => ({ state: "waiting" as const })),
  );

  const outcomes = [
    await refusalOf(ctx, { bytes: KB, isVerified: false }),
    await refusalOf(ctx, { bytes: KB, isVerified: true }),
    await refusalOf(ctx, { bytes: KB, isVerified: true }),
    await refusalOf(ctx, { bytes: KB, isVerified: true }),
  ];

  expect(outcomes).toEqual(["overloaded", "taken", "taken", "overloaded"]);
  expect(await freeRoom(ctx)).toBe(8 * KB);
  expect((await listKept(ctx)).toSorted()).toEqual(ids.toSorted());
});

test("one environment's full inbox refuses nothing of another", async () => {
  const [full, other] = [await environment(4 * KB), await environment(4 * KB)];
  await insert(full, [{ bytes: 4 * KB, state: "waiting" }]);

  expect(await refusalOf(full, { bytes: KB, isVerified: true })).toBe("overloaded");
  expect(await refusalOf(other, { bytes: KB, isVerified: false })).toBe("taken");
});

test("room is made for what comes in, while handled requests are left", async () => {
  const ctx = await environment(10 * KB);
  await insert(
    ctx,
    Array.from({ length: 10 }, () => ({})),
  );

  expect(await refusalOf(ctx, { bytes: KB, isVerified: false })).toBe("taken");
  expect(await readUsage(ctx.db, ctx.environment.id)).toBeLessThanOrEqual(6 * KB);
});

test("counts go with their environment", async () => {
  const ctx = await environment(0);
  await insert(ctx, [{ bytes: 100 }]);
  await sql`delete from environments where id = ${ctx.environment.id}`.execute(ctx.db);

  expect(await countRows(ctx.environment.id)).toBe(0);
});

async function countRows(environmentId: EnvironmentId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from inbox_usage where environment_id = ${environmentId}`.execute(
    app.ctx.db,
  );
  return rows[0]?.count ?? -1;
}
