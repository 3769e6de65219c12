import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OperationId, SECOND } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import {
  beginOperation,
  ensureLogPartitions,
  finishOperation,
  flushLogs,
  newOperationId,
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

  const begun = beginOperation(ctx, input);
  clock.advance(SECOND / 2);
  finishOperation(ctx, begun, { state: "success", meta: { added: 1 } });
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
  const looked = beginOperation(ctx, input);
  await flushLogs(ctx);
  const long = beginOperation(ctx, input);

  expect(await read(looked.id)).toMatchObject([{ state: "running" }]);
  await expect.poll(async () => await read(long.id), { timeout: 5000 }).toHaveLength(1);
  for (const begun of [looked, long]) {
    finishOperation(ctx, begun, { state: "success" });
    await flushLogs(ctx);
    expect(await read(begun.id)).toMatchObject([{ state: "success" }]);
  }
});

test("one that ends while it is being written has ended, whichever comes first", async () => {
  const { ctx } = app;
  const begun = Array.from({ length: 50 }, () => beginOperation(ctx, input));

  const flushing = flushLogs(ctx);
  for (const each of begun) finishOperation(ctx, each, { state: "success" });
  await flushing;
  await flushLogs(ctx);

  const states = await Promise.all(begun.map(async ({ id }) => (await read(id))[0]?.["state"]));
  expect(states).toEqual(begun.map(() => "success"));
});

test("one that another process has begun is ended by who takes it over, even when nothing of it was written", async () => {
  const { ctx } = app;
  const [known, unknown] = [beginOperation(ctx, input).id, newOperationId(ctx)];
  await flushLogs(ctx);

  for (const id of [known, unknown]) {
    const again = beginOperation(ctx, { ...input, meta: { attempts: 2 } }, { id, isAgain: true });
    finishOperation(ctx, again, { state: "failed" });
  }
  await flushLogs(ctx);

  const [[first], [second]] = [await read(known), await read(unknown)];
  expect(first).toMatchObject({ state: "failed", meta: { variant: "base", attempts: 2 } });
  expect(second).toMatchObject({ state: "failed", meta: { attempts: 2 } });
});
