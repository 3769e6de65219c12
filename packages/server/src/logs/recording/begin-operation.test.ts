import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OperationId, SECOND } from "#platform";
import { createTestContext, type TestContext } from "#platform/testing";
import {
  beginOperation,
  ensureLogPartitions,
  finishOperation,
  flushLogs,
  newOperationId,
  recordBegun,
  withdrawBegun,
} from "../index.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

const input = {
  type: "sync",
  action: "run",
  message: "Run of contacts",
  meta: { variant: "base" },
} as const;

async function read(id: OperationId) {
  const { rows } = await sql<Record<string, unknown>>`
    select state, level, meta, xmin::text as version, started_at, ended_at from operations where id = ${id}
  `.execute(app.database.db.withoutPlugins());
  return rows;
}

test("an operation that ends soon is written once, with its end", async () => {
  const { ctx, clock } = app;
  const startedAt = clock.now();

  const begun = beginOperation(ctx, newOperationId(ctx), input);
  clock.advance(SECOND / 2);
  expect(await withdrawBegun(ctx, begun)).toBe(true);
  recordBegun(ctx, begun, { state: "success", meta: { added: 1 } });
  await flushLogs(ctx);

  expect(await read(begun.id)).toMatchObject([
    {
      state: "success",
      meta: { variant: "base", added: 1 },
      started_at: startedAt,
      ended_at: clock.now(),
    },
  ]);
});

test("one that takes longer, or that somebody looks for, is there as running until it ends", async () => {
  const { ctx } = app;
  const looked = beginOperation(ctx, newOperationId(ctx), input);
  await flushLogs(ctx);
  const long = beginOperation(ctx, newOperationId(ctx), input);

  expect(await read(looked.id)).toMatchObject([{ state: "running" }]);
  await expect.poll(async () => await read(long.id), { timeout: 5000 }).toHaveLength(1);
  for (const begun of [looked, long]) {
    expect(await withdrawBegun(ctx, begun)).toBe(false);
    await finishOperation(ctx, { id: begun.id, state: "success" });
    expect(await read(begun.id)).toMatchObject([{ state: "success" }]);
  }
});

test("one that is written at this moment is waited for, so that its end comes after it", async () => {
  const { ctx } = app;
  const begun = beginOperation(ctx, newOperationId(ctx), input);

  const flushing = flushLogs(ctx);
  expect(await withdrawBegun(ctx, begun)).toBe(false);

  expect(await read(begun.id)).toMatchObject([{ state: "running" }]);
  await flushing;
});
