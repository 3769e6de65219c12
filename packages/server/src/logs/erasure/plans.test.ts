import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "../ensure-log-partitions.ts";
import { deleteNaming, deleteOfConnections, deleteOfEnvironment } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

const OPERATIONS = 3000;
const PAGE = 100;

/** Operations of a day, each with a message; every third is of one connection. */
async function fill({ ctx, clock }: TestContext): Promise<void> {
  const { id } = ctx.environment;
  await sql`
    insert into operations (id, environment_id, type, action, state, message, connection, created_at)
    select gen_random_uuid(), ${id}, 'sync', 'run', 'success', 'Run of ' || n,
           jsonb_build_object('name', 'c-' || n % 3), ${clock.now()}::timestamptz - n * interval '1 millisecond'
      from generate_series(1, ${OPERATIONS}) n`.execute(ctx.db);
  await sql`
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    select gen_random_uuid(), id, environment_id, 'user', 'info', 'log', 'fetched', created_at
      from operations`.execute(ctx.db);
}

test("a page of the log is deleted without a look at the rest of it", async () => {
  const { ctx } = app;
  const { id } = ctx.environment;
  await fill(app);

  // While Postgres knows nothing of so few messages, it reads them all.
  for (const [state, tables] of [
    ["unknown to Postgres", "operations%"],
    ["analyzed", "operation%"],
  ] as const) {
    if (state === "analyzed") await sql`analyze operations, operation_messages`.execute(ctx.db);
    const deleted: number[] = [];
    const page = { after: undefined, limit: PAGE };
    const deletions: readonly ((db: typeof ctx.db) => ReturnType<typeof deleteOfEnvironment>)[] = [
      (db) => deleteNaming(db, id, { ...page, words: { small: ["run of"], encoded: ["none"] } }),
      (db) => deleteOfEnvironment(db, id, page),
      (db) => deleteOfConnections(db, id, { names: ["c-1"], limit: PAGE }),
    ];
    for (const deletePage of deletions) {
      const read = await countReads(ctx, tables, async ({ db }) => {
        const { operations, messages } = await deletePage(db);
        deleted.push(operations, messages);
      });
      expect(read, state).toBeLessThan(OPERATIONS / 2);
    }
    expect(deleted, state).toEqual(Array.from({ length: 6 }, () => PAGE));
  }
});
