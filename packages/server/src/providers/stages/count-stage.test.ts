import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { countStage, flushStageCounts } from "./count-stage.ts";
import { listStageCounts } from "./store.ts";

let installation: TestContext;

beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());

test("who flushes waits for what another flush is writing", async () => {
  const { ctx, database } = installation;
  const wanted = { provider: undefined, from: undefined, to: undefined };
  countStage(ctx, "github")("token", "failed");
  const blocking = await database.pool.connect();
  await blocking.query("begin; lock table provider_stage_counts in share row exclusive mode");

  const first = flushStageCounts(ctx);
  const seen = flushStageCounts(ctx).then(
    async () => await listStageCounts(ctx.db, ctx.environment.id, wanted),
  );
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query("select 1 from pg_locks where not granted");
    expect(rows).toHaveLength(1);
  });
  await blocking.query("commit");
  blocking.release();
  await first;

  expect(await seen).toMatchObject([{ provider: "github", stage: "token", failed: 1 }]);
});
