import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { handOut, insertKeyedTask, readLoads } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("a long queue is not read to hand out the first of it, and one key is not for work behind it", async () => {
  const { ctx, clock } = app;
  const { id: quiet } = (await app.addEnvironment()).environment;
  const { id: crowded } = ctx.environment;
  const now = clock.now();
  await sql`
    insert into lane_tasks (id, environment_id, task, lane, payload, state, run_at)
    select gen_random_uuid(), case when n <= 5000 then ${crowded}::uuid else ${quiet}::uuid end, 'act',
           'key ' || n, '{}'::jsonb, 'ready', ${now}::timestamptz - interval '1 second' * (5010 - n)
      from generate_series(1, 5010) n
    union all
    select gen_random_uuid(), ${crowded}, 'act', 'key 1', '{}', 'blocked', ${now}
      from generate_series(1, 5000)`.execute(ctx.db);
  const shares = [crowded, quiet].map((environmentId) => ({ environmentId, busy: 0, more: 4 }));
  const behind = {
    ...{ id: "0b8c1e5a-7f0d-4c8e-9a51-3f6d2b7c9e10", environmentId: crowded },
    ...{ task: "act", queueKey: "key 1", payload: "{}", runAt: now },
  };

  for (const analyze of [false, true]) {
    if (analyze) await sql`analyze lane_tasks`.execute(ctx.db);
    const handed: string[] = [];
    const reads = await countReads(ctx, "lane_tasks", async ({ db }) => {
      expect(await readLoads(db, "act")).toHaveLength(2);
      for (const { id } of await handOut(db, "act", { shares, room: 8, now })) handed.push(id);
      if (!analyze) await insertKeyedTask(db, behind, { channel: "any", name: "any" });
    });
    expect(handed).toHaveLength(8);
    expect(reads, analyze ? "analyzed" : "unknown").toBeLessThan(1000);
  }
});
