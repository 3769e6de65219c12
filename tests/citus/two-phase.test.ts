import { afterAll, beforeAll, expect, test } from "vitest";
import { isDistributed } from "../../packages/server/src/foundation/db/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { failAtCommit, TABLES_OF_RIVALS } from "./fail-at-commit.ts";

// On a cluster (`scripts/with-citus.sh`) what a worker has prepared must be undone when the local commit fails; on plain
// PostgreSQL it is one commit.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  if (await isDistributed(app.ctx.db)) app.database.guardCommits();
  await app.database.pool.query(TABLES_OF_RIVALS);
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("what a transaction has written to a worker is undone when its local commit fails", async () => {
  const { ctx, database } = app;
  const { connectionString } = database;
  const id = 2 ** 32 + 1;

  const failed = await failAtCommit(ctx.db, {
    ...{ connectionString, environmentId: ctx.environment.id, id },
  });

  expect(failed).toMatchObject({ error: { code: "40001" }, hasReachedCommit: true });
  const { rowCount } = await database.pool.query("select from record_models where id = $1", [id]);
  expect(rowCount).toBe(0);
});
