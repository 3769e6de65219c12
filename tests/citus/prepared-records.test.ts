import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
  newTimeId,
  type RunId,
} from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { dropEnvironment } from "../../packages/server/src/records/erasure/drop-environment.ts";
import {
  keepHistory,
  listHistories,
} from "../../packages/server/src/records/history/keep-history.ts";
import { requireMoment } from "../../packages/server/src/records/history/require-moment.ts";
import { listRecords } from "../../packages/server/src/records/reading/list-records.ts";
import { saveRecords } from "../../packages/server/src/records/writing/save-records.ts";
import { readDeployed } from "./prepared-database.ts";

// Promise U10: the server works on a schema that was prepared for distribution as on any other.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await save(app.ctx, before, 3);
  await keepHistory(app.ctx, { model: "Contact", days: 1 });
  // Several statements: the driver sends them as one message.
  await app.database.pool.query(await readDeployed("prepare.sql"));
});
afterAll(async () => await app[Symbol.asyncDispose]());

const before = newRandomId<ConnectionUuid>();

async function save(ctx: EnvironmentContext, connection: ConnectionUuid, count: number) {
  const ids = Array.from({ length: count }, (_, n) => `r${n}`);
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id })));
  const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };
  return await saveRecords(ctx, { connection, model: "Contact", writer, ids, lines });
}

async function list(ctx: EnvironmentContext, connection: ConnectionUuid): Promise<string[]> {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined };
  const found: string[] = [];
  const listing = { connection, model: "Contact", ...all, limit: undefined, maxBytes: undefined };
  for await (const { records } of listRecords(ctx, listing)) {
    found.push(...records.map(({ row }) => row.id));
  }
  return found;
}

async function countRows(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from records) + (select count(*) from record_models) + (select count(*) from record_directory)
           as count`.execute(app.ctx.db);
  return rows[0]?.count ?? Number.NaN;
}

test("records that were there before are moved, and change like those of a new environment", async () => {
  const other = await app.addEnvironment();
  const connection = newRandomId<ConnectionUuid>();

  const again = await save(app.ctx, before, 4);
  const first = await save(other, connection, 2);

  expect(again).toMatchObject({ added: 1, updated: 0, unchanged: 3, range: [3, 4] });
  expect(first).toMatchObject({ added: 2, range: [0, 2] });
  expect(await list(app.ctx, before)).toEqual(["r0", "r1", "r2", "r3"]);
  expect(await list(other, connection)).toEqual(["r0", "r1"]);
});

test("an environment is removed model by model, and the others keep their records", async () => {
  const gone = await app.addEnvironment();
  const kept = await app.addEnvironment();
  const connection = newRandomId<ConnectionUuid>();
  await save(kept, connection, 2);
  const rows = await countRows();
  await save(gone, newRandomId<ConnectionUuid>(), 1000);
  await save(gone, newRandomId<ConnectionUuid>(), 1);
  await sql`update environments set deleted_at = now() where id = ${gone.environment.id}`.execute(
    app.ctx.db,
  );

  await dropEnvironment(app.ctx, gone.environment.id);

  expect(await countRows()).toBe(rows);
  expect(await list(kept, connection)).toEqual(["r0", "r1"]);
});

test("histories have ended: one can neither be kept nor read, with the reason", async () => {
  const asOf = app.clock.now().toISOString();

  expect(await listHistories(app.ctx)).toEqual([]);
  await expect(keepHistory(app.ctx, { model: "Contact", days: 1 })).rejects.toMatchObject({
    code: "conflict",
    message: "On a cluster, no history of records is kept.",
  });
  await expect(requireMoment(app.ctx, { model: "Contact", asOf })).rejects.toMatchObject({
    code: "invalid_query_params",
    message: expect.stringContaining("a cluster keeps none"),
  });
});
