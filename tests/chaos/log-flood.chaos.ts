import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import pg from "pg";
import { expect, test } from "vitest";
import {
  type EnvironmentContext,
  newTimeId,
  type OperationId,
} from "../../packages/server/src/foundation/index.ts";
import { createTestContext } from "../../packages/server/src/foundation/testing/index.ts";
import {
  ensureLogPartitions,
  flushLogs,
  logMessage,
  recordOperation,
} from "../../packages/server/src/logs/index.ts";

const ROUNDS = 300;
const FLOODS = 5;
const LINES_PER_ROUND = 200;

async function count(ctx: EnvironmentContext, table: "operations" | "operation_messages") {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)}
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

test("while five environments flood the log for a minute, and the database stalls, others lose nothing", async () => {
  await using app = await createTestContext();
  await ensureLogPartitions(app.ctx);
  const newRun = (ctx: EnvironmentContext) => ({
    ctx,
    operationId: newTimeId<OperationId>(ctx.clock.now()),
  });
  const loud = [];
  for (let index = 0; index < FLOODS; index += 1) loud.push(newRun(await app.addEnvironment()));
  const quiet = newRun(await app.addEnvironment());
  const text = "x".repeat(2000);
  const say = ({ ctx, operationId }: typeof quiet, message: string) =>
    logMessage(ctx, { operationId, level: "info", source: "user", message });
  const memoryBefore = process.memoryUsage().rss;
  let highest = 0;
  const client = new pg.Client({ connectionString: app.database.connectionString });
  await client.connect();
  const stalls: Promise<unknown>[] = [];

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const run of loud) {
      for (let line = 0; line < LINES_PER_ROUND; line += 1) say(run, `${round} ${line} ${text}`);
    }
    say(quiet, `round ${round}`);
    recordOperation(quiet.ctx, {
      ...{ type: "proxy", action: "call", message: `round ${round}`, state: "success" },
      startedAt: quiet.ctx.clock.now(),
    });
    if (round % 100 === 50) {
      // Nobody can write for a while.
      stalls.push(
        client.query(
          "begin; lock table operation_messages in exclusive mode; select pg_sleep(3); commit",
        ),
      );
    }
    highest = Math.max(highest, process.memoryUsage().rss);
    await sleep(20);
  }
  await Promise.all(stalls);
  await client.end();
  await flushLogs(quiet.ctx);

  expect(await count(quiet.ctx, "operation_messages")).toBe(ROUNDS);
  expect(await count(quiet.ctx, "operations")).toBe(ROUNDS);
  for (const { ctx, operationId } of loud) {
    const { rows } = await sql<{ leftOut: number }>`
      select (meta ->> 'left_out')::int as "leftOut" from operation_messages
       where operation_id = ${operationId} and meta ? 'left_out'`.execute(ctx.db);
    const kept = await count(ctx, "operation_messages");
    const [note] = rows;
    expect(kept - rows.length + (note?.leftOut ?? 0)).toBe(ROUNDS * LINES_PER_ROUND);
  }
  expect(highest - memoryBefore).toBeLessThan(500 * 1024 * 1024);
});
