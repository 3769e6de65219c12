import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseEndUser } from "../../packages/server/src/end-users/erase-end-user.ts";
import { takeStepWithin } from "../../packages/server/src/end-users/run-erasure.ts";
import { sealSubject } from "../../packages/server/src/end-users/subject.ts";
import {
  askEach,
  passedOverUntil,
  silence,
  withinBound,
} from "../../packages/server/src/foundation/db/index.ts";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
} from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { holdAnswersOf, holdRowsOf } from "./hold-answers.ts";
import { readDeployed } from "./prepared-database.ts";

// Promise U11: a server that says nothing, and has only models of an environment, is not taken for that environment's own.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await app.database.pool.query(await readDeployed("prepare.sql"));
});
afterAll(async () => await app[Symbol.asyncDispose]());

const SILENT = { name: "WorkerSilent", code: "overloaded", status: 503 };

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("work that takes too long says nothing of its environment, unless that does not answer either", async () => {
  const [slow, silent] = [await app.addEnvironment(), await app.addEnvironment()];
  const work = async ({ db }: EnvironmentContext) => await sql`select pg_sleep(60)`.execute(db);
  const answering = await failureOf(
    withinBound(slow, slow.environment.id, work, { withinMs: 100 }),
  );
  let held: AsyncDisposable | undefined;
  const fallSilent = async (ctx: EnvironmentContext) => {
    held = await holdAnswersOf(app.database.pool, [silent]);
    return await work(ctx);
  };
  const notAnswering = await failureOf(
    withinBound(silent, silent.environment.id, fallSilent, { withinMs: 100 }),
  );
  await held?.[Symbol.asyncDispose]();

  expect([answering, notAnswering]).toMatchObject([SILENT, SILENT]);
  expect(silence.of(slow).isSuspected(slow.environment.id)).toBe(false);
  expect(silence.of(silent).isSuspected(silent.environment.id)).toBe(true);
});

test("an erasure that waits for a server with only models holds up nothing else of its environment", async () => {
  const ctx = await app.addEnvironment();
  const environmentId = ctx.environment.id;
  const { pool } = app.database;
  const { id } = await eraseEndUser(ctx, "ada");
  const connection = newRandomId<ConnectionUuid>();
  const subject = { endUserId: "ada", connections: [connection], names: [], integrationIds: [] };
  await pool.query(
    `insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
     values (4294967297, $1, $2, 'Contact', now())`,
    [environmentId, connection],
  );
  await pool.query("update erasures set step = 4, subject = $2 where id = $1", [
    id,
    await sealSubject(ctx, id, { ...subject, words: [] }),
  ]);
  await using held = await holdRowsOf(pool, "record_models", [ctx]);

  const waitsMs = await takeStepWithin(ctx, id, { withinMs: 300 });
  const logged = await askEach(
    ctx,
    [[environmentId, 1]],
    async ({ db }) => await sql`select 1`.execute(db),
  );
  const isPassedOver = passedOverUntil(ctx, environmentId) !== undefined;
  await held[Symbol.asyncDispose]();
  const next = await takeStepWithin(ctx, id);

  expect([waitsMs, isPassedOver]).toEqual([20_000, false]);
  expect(logged).toMatchObject([{ outcome: { status: "fulfilled" } }]);
  expect(next).toBe(0);
  const { rows } = await pool.query("select from record_models where environment_id = $1", [
    environmentId,
  ]);
  expect(rows).toEqual([]);
});
