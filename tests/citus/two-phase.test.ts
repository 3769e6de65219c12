import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isDistributed } from "../../packages/server/src/platform/db/index.ts";
import { newRandomId } from "../../packages/server/src/platform/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/platform/testing/index.ts";

// A local commit that fails after what Citus does before it: of two serializable transactions that each read what the
// other writes, the second is refused while it commits. On a cluster (`scripts/with-citus.sh`) what a worker has prepared
// must be undone with it; on plain PostgreSQL it is one commit.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  if (await isDistributed(app.ctx.db)) app.database.guardCommits();
  await app.database.pool.query("create table first_one (n int); create table other_one (n int)");
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("what a transaction has written to a worker is undone when its local commit fails", async () => {
  const { ctx, database } = app;
  const id = 2 ** 32 + 1;
  const rival = new pg.Client({ connectionString: database.connectionString });
  await rival.connect();
  const reached: string[] = [];

  const committing = ctx.db
    .transaction()
    .setIsolationLevel("serializable")
    .execute(async (db) => {
      await sql`select count(*) from first_one`.execute(db);
      await rival.query("begin isolation level serializable");
      await rival.query("select count(*) from other_one");
      await sql`insert into other_one values (1)`.execute(db);
      await rival.query("insert into first_one values (1)");
      await sql`
        insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
        values (${id}, ${ctx.environment.id}, ${newRandomId()}, 'Contact', now())`.execute(db);
      await rival.query("commit");
      reached.push("commit");
    });

  await expect(committing).rejects.toMatchObject({ code: "40001" });
  expect(reached).toEqual(["commit"]);
  const { rowCount } = await rival.query("select from record_models where id = $1", [id]);
  expect(rowCount).toBe(0);
  await rival.end();
});
