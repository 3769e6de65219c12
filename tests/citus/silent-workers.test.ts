import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseEndUser } from "../../packages/server/src/end-users/erase-end-user.ts";
import { erasureTaskHandlers } from "../../packages/server/src/end-users/run-erasure.ts";
import { eraseEnvironments } from "../../packages/server/src/environments/erasure/erase-environments.ts";
import {
  askEach,
  boundedDb,
  clusterWorkers,
  type Database,
  type Db,
  openDatabase,
  passedOverUntil,
  silence,
  WorkerWatch,
  withinAnswer,
} from "../../packages/server/src/foundation/db/index.ts";
import {
  type EnvironmentContext,
  type EnvironmentId,
  MINUTE,
  newTimeId,
  type OperationId,
  ServerStates,
} from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { flushLogs, recordOperation } from "../../packages/server/src/logs/index.ts";
import { type SealedColumn, seal } from "../../packages/server/src/vault/index.ts";
import { replaceDataKeys } from "../../packages/server/src/vault/rotation/replace-data-keys.ts";
import { openLineTo } from "../outages/line.ts";
import { holdAnswersOf, holdRowsOf } from "./hold-answers.ts";
import { lockInsertsOf } from "./lock-inserts.ts";
import { readDeployed } from "./prepared-database.ts";

// Promise U11: a server of a cluster that says nothing holds up what it has, and everything else for a bounded time.

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await app.database.pool.query(await readDeployed("prepare.sql"));
  // As a server that waits for another one while it cancels; it ends by itself in the end.
  await app.database.pool.query(`
    create function never_cancelled() returns void language plpgsql as $$
    begin
      for n in 1..150 loop
        begin perform pg_sleep(0.2); exception when query_canceled then null; end;
      end loop;
    end $$`);
});
afterAll(async () => await app[Symbol.asyncDispose]());

function open(connectionString: string): Database {
  const options = { maxConnections: 1, pooled: false, onError: () => undefined };
  return openDatabase({ connectionString, ...options });
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function readOne(db: Db): Promise<unknown[]> {
  return (await sql`select 1 as one`.execute(db)).rows;
}

const SILENT = { name: "WorkerSilent", code: "overloaded", status: 503 };

test("a statement whose cancel is not answered gives up its connection, and the next one gets another", async () => {
  await using database = open(app.database.connectionString);
  const db = boundedDb(database.db, 300);

  const alone = await failureOf(sql`select never_cancelled()`.execute(db));
  const next = await readOne(database.db);
  const inside = await failureOf(
    db.transaction().execute(async (db) => await sql`select never_cancelled()`.execute(db)),
  );

  expect([alone, inside]).toMatchObject([SILENT, SILENT]);
  expect(next).toEqual([{ one: 1 }]);
  expect(await readOne(database.db)).toEqual([{ one: 1 }]);
});

test("a statement over a line that has fallen silent gives up its connection, and the next one gets another", async () => {
  const { line, url } = await openLineTo(app.database.connectionString);
  await using _line = line;
  await using database = open(url);
  const db = boundedDb(database.db, 300);

  const silent = failureOf(
    db.transaction().execute(async (db) => {
      await readOne(db);
      line.stallPresent();
      await readOne(db);
    }),
  );

  expect(await silent).toMatchObject(SILENT);
  expect(await readOne(database.db)).toEqual([{ one: 1 }]);
});

test("a statement that is cancelled in time keeps its connection", async () => {
  await using database = open(app.database.connectionString);
  const pid = async () => (await sql`select pg_backend_pid() as pid`.execute(database.db)).rows;
  const before = await pid();

  const error = await failureOf(sql`select pg_sleep(60)`.execute(boundedDb(database.db, 100)));

  expect(error).toMatchObject(SILENT);
  expect(await pid()).toEqual(before);
});

test("an environment whose server did not answer is passed over for a while, and no other is", async () => {
  const [silent, other] = [await app.addEnvironment(), await app.addEnvironment()];
  const ask = async (ctx: EnvironmentContext, text = "select 1 as one") =>
    await withinAnswer(
      ctx,
      ctx.environment.id,
      async ({ db }) => (await sql.raw(text).execute(db)).rows,
      { withinMs: 100 },
    );

  const first = await failureOf(ask(silent, "select pg_sleep(60)"));
  const second = await failureOf(ask(silent));
  const others = await ask(other);
  app.clock.advance(MINUTE);
  const later = await ask(silent);

  expect([first, second]).toMatchObject([SILENT, SILENT]);
  expect([others, later]).toEqual([[{ one: 1 }], [{ one: 1 }]]);
});

function record(ctx: EnvironmentContext): void {
  const startedAt = ctx.clock.now();
  const state = "success" as const;
  const what = { type: "admin", action: "change", message: "changed" } as const;
  recordOperation(ctx, { ...what, id: newTimeId<OperationId>(startedAt), state, startedAt });
}

async function countLogged({ environment }: EnvironmentContext): Promise<unknown> {
  const { rows } = await app.database.pool.query(
    "select count(*)::int as count from operations where environment_id = $1",
    [environment.id],
  );
  return rows[0]?.count;
}

test("log rows of an environment whose server does not answer wait, and those of others are written", async () => {
  const [silent, other] = [await app.addEnvironment(), await app.addEnvironment()];
  await flushLogs(app.ctx);
  await using lock = await lockInsertsOf(app.database.pool, "operations", silent);

  record(silent);
  record(other);
  await expect.poll(async () => await countLogged(other), { timeout: 30_000 }).toBe(1);
  const meanwhile = await countLogged(silent);
  await lock[Symbol.asyncDispose]();
  app.clock.advance(MINUTE);
  await expect.poll(async () => await countLogged(silent), { timeout: 30_000 }).toBe(1);

  expect(meanwhile).toBe(0);
});

test("log rows of many environments that did not answer hold up no other's", async () => {
  const silent = await Promise.all(
    Array.from({ length: 9 }, async () => await app.addEnvironment()),
  );
  const other = await app.addEnvironment();
  await flushLogs(app.ctx);
  for (const { environment } of silent) silence.of(app.ctx).note(environment.id, app.clock.now());
  await using lock = await lockInsertsOf(app.database.pool, "operations", ...silent);
  app.clock.advance(MINUTE);

  const before = performance.now();
  for (const ctx of [...silent, other]) record(ctx);
  await expect.poll(async () => await countLogged(other), { timeout: 30_000 }).toBe(1);
  const tookMs = performance.now() - before;
  const meanwhile = await Promise.all(silent.map(countLogged));
  await lock[Symbol.asyncDispose]();
  app.clock.advance(MINUTE);
  for (const ctx of silent) {
    await expect.poll(async () => await countLogged(ctx), { timeout: 30_000 }).toBe(1);
  }

  // All together and then one after the other they would take 12 s.
  expect(tookMs).toBeLessThan(8000);
  expect(meanwhile).toEqual(silent.map(() => 0));
});

/** Tables and functions of Citus, for a cluster of two: the second worker has these environments, and may be silent. */
async function pretendCluster(ofSecond: readonly EnvironmentContext[]): Promise<void> {
  const ids = ofSecond.map(({ environment }) => environment.id);
  await app.database.pool.query(`
    create table pg_dist_node (nodename text, nodeport integer, groupid integer, isactive boolean, noderole text);
    insert into pg_dist_node values ('one', 5432, 1, true, 'primary'), ('two', 5432, 2, true, 'primary');
    create table pg_dist_placement (shardid bigint, groupid integer);
    insert into pg_dist_placement values (101, 1), (102, 2);
    create table silent_nodes (name text);
    create function get_shard_id_for_distribution_column(table_name regclass, value uuid) returns bigint
      return case when value = any('{${ids.join()}}'::uuid[]) then 102 else 101 end;
    create function citus_check_connection_to_node(node text, port integer) returns boolean language plpgsql as $$
    begin
      if exists (select from silent_nodes where name = node) then perform pg_sleep(60); end if;
      return true;
    end $$`);
}

test("all environments of a worker that is away are passed over once one of them did not answer, until it is back", async () => {
  const silent = await Promise.all(
    Array.from({ length: 30 }, async () => await app.addEnvironment()),
  );
  const other = await app.addEnvironment();
  const isSilent = new Set(silent.map(({ environment }) => environment.id));
  await pretendCluster(silent);
  const { pool, db } = app.database;
  const ctx = { ...app.ctx, state: new ServerStates() };
  clusterWorkers.set(ctx, new WorkerWatch(db, ctx.log));
  const ask = async (text: string) => {
    const started: EnvironmentId[] = [];
    const items = [...silent, other].map(({ environment }) => [environment.id, text] as const);
    const asked = await askEach(ctx, items, async ({ db }, text, id) => {
      started.push(id);
      await sql.raw(isSilent.has(id) ? text : "select 1").execute(db);
      return id;
    });
    const answered = asked.filter(({ outcome }) => outcome.status === "fulfilled");
    return { started, answered: answered.map(({ environmentId }) => environmentId) };
  };
  await pool.query("insert into silent_nodes values ('two')");

  const first = await ask("select pg_sleep(60)");
  app.clock.advance(MINUTE);
  const second = await ask("select pg_sleep(60)");
  await pool.query("delete from silent_nodes");
  const isPassedOver = () =>
    silent.some(({ environment }) => passedOverUntil(ctx, environment.id) !== undefined);
  await expect.poll(isPassedOver, { timeout: 30_000 }).toBe(false);
  const back: EnvironmentId[] = [];
  for (let round = 0; round < 30 && back.length < 31; round += 1) {
    back.splice(0, back.length, ...(await ask("select 1")).answered);
  }

  expect(first.answered).toEqual([other.environment.id]);
  expect(first.started.length).toBeLessThan(30);
  expect(second).toEqual({ started: [other.environment.id], answered: [other.environment.id] });
  expect(back).toHaveLength(31);
});

test("an erasure and the end of a deleted environment wait where nothing answers, and those of others are done", async () => {
  const [silent, other] = [await app.addEnvironment(), await app.addEnvironment()];
  const [silentGone, otherGone] = [await app.addEnvironment(), await app.addEnvironment()];
  const { pool } = app.database;
  const erasures = [await eraseEndUser(silent, "ada"), await eraseEndUser(other, "ada")] as const;
  await pool.query("update environments set deleted_at = now() where id = any($1)", [
    [silentGone.environment.id, otherGone.environment.id],
  ]);
  const erase = async (ctx: EnvironmentContext, { id }: { readonly id: string }) => {
    const { environment: _environment, ...system } = ctx;
    // The last step waits for what other processes log.
    for (let round = 0; round < 2; round += 1) {
      const named = { environmentId: ctx.environment.id, id };
      await erasureTaskHandlers.erase(system, named, { number: 1, isLast: false });
    }
  };
  const read = async (text: string, ids: readonly string[]) =>
    (await pool.query(text, [ids])).rows.map(({ id }) => id);
  const ended = async () =>
    await read(
      "select id from erasures where id = any($1) and ended_at is not null",
      erasures.map(({ id }) => id),
    );
  const there = async () =>
    await read(
      "select id from environments where id = any($1)",
      [silentGone, otherGone].map(({ environment }) => environment.id),
    );
  await using held = await holdAnswersOf(pool, [silent, silentGone]);

  const before = performance.now();
  await erase(silent, erasures[0]);
  await erase(other, erasures[1]);
  await eraseEnvironments(app.ctx);
  const tookMs = performance.now() - before;
  const meanwhile = [await ended(), await there()];
  await held[Symbol.asyncDispose]();
  app.clock.advance(MINUTE);
  await erase(silent, erasures[0]);
  await eraseEnvironments(app.ctx);

  expect(meanwhile).toEqual([[erasures[1].id], [silentGone.environment.id]]);
  // Statements of an erasure have 20 s, those of a chore 30 s: that nothing answers is noticed before.
  expect(tookMs).toBeLessThan(15_000);
  expect(await ended()).toHaveLength(2);
  expect(await there()).toEqual([]);
});

test("data keys are replaced where servers answer, and where they do not, once they answer again", async () => {
  const [silent, other] = [await app.addEnvironment(), await app.addEnvironment()];
  const { pool } = app.database;
  const column: SealedColumn = {
    ...{ table: "webhook_payloads", column: "body", row: "t.id" },
    key: [
      ["id", "uuid"],
      ["environment_id", "uuid"],
    ],
    together: { column: "environment_id", listedIn: "environments" },
  };
  for (const ctx of [silent, other]) {
    const environmentId = ctx.environment.id;
    const row = randomUUID();
    const aad = { table: "webhook_payloads", column: "body", environmentId, row };
    await pool.query(
      "insert into webhook_payloads (id, environment_id, body, created_at) values ($1, $2, $3, now())",
      [row, environmentId, await seal(ctx, aad, Buffer.from("text"))],
    );
  }
  const keyOf = async ({ environment }: EnvironmentContext): Promise<unknown> => {
    const { rows } = await pool.query(
      "select encode(substring(body from 2 for 16), 'hex') as key from webhook_payloads where environment_id = $1",
      [environment.id],
    );
    return rows[0]?.key;
  };
  const before = [await keyOf(silent), await keyOf(other)];
  await using held = await holdRowsOf(pool, "webhook_payloads", [silent]);
  const left: number[] = [];
  let isOver = false;

  const replacing = replaceDataKeys(app.ctx, [column], {
    bounds: { wholeMs: 300, answerMs: 300, valueMs: 5000 },
    retryAfterMs: 100,
    wait: (parts) => void left.push(parts),
  }).finally(() => {
    isOver = true;
  });
  await expect.poll(async () => await keyOf(other), { timeout: 30_000 }).not.toBe(before[1]);
  await expect.poll(() => left.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const wasOver = isOver;
  await held[Symbol.asyncDispose]();
  const report = await replacing;

  expect([wasOver, left[0]]).toEqual([false, 1]);
  expect(report).toMatchObject({ resealed: { "webhook_payloads.body": 2 }, failed: {} });
  expect(await keyOf(silent)).not.toBe(before[0]);
});
