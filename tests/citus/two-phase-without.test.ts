import { sql } from "kysely";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newRandomId } from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { failAtCommit, TABLES_OF_RIVALS } from "./fail-at-commit.ts";
import { readDeployed } from "./prepared-database.ts";
import { openWorker, type Worker } from "./worker.ts";

// Promise U10 without Citus: what the guard changes. Triggers do what Citus does with a transaction that writes one worker:
// before the local commit the worker commits, or, where a table that Citus knows was changed here too, it prepares, and
// what it has prepared ends as the local transaction did. That Citus takes the guard for such a change, only a cluster can show.

let app: TestContext;
let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
  app = await createTestContext();
  const { hostname, port, pathname, username, password } = worker.url;
  const way = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`;
  await app.database.pool.query(await readDeployed("prepare.sql"));
  await worker.pool.query(await readDeployed("prepare.sql"));
  await app.database.pool.query(`
    ${TABLES_OF_RIVALS};
    create extension dblink;
    -- As pg_dist_transaction: which prepared transactions are to be committed.
    create table worker_transactions (name text);
    create table worker_writes (id bigint);
    create function note_guard() returns trigger language plpgsql as $$
    begin
      perform set_config('test.guarded', txid_current()::text, false);
      return null;
    end $$;
    create trigger guard after delete on two_phase_guard for each statement execute function note_guard();
    create function write_worker() returns trigger language plpgsql as $$
    begin
      perform dblink_connect('worker', '${way}');
      perform dblink_exec('worker', 'begin');
      perform dblink_exec('worker', format(
        'insert into record_models (id, environment_id, connection_uuid, model, last_modified_at) values (%L, %L, %L, %L, %L)',
        new.id, new.environment_id, new.connection_uuid, new.model, new.last_modified_at));
      insert into worker_writes values (new.id);
      return null;
    end $$;
    create trigger worker before insert on record_models for each row execute function write_worker();
    create function end_worker() returns trigger language plpgsql as $$
    begin
      if current_setting('test.guarded', true) = txid_current()::text then
        perform dblink_exec('worker', format('prepare transaction %L', 'model-' || new.id));
        perform dblink_disconnect('worker');
        insert into worker_transactions values ('model-' || new.id);
      else
        perform dblink_exec('worker', 'commit');
        perform dblink_disconnect('worker');
      end if;
      return null;
    end $$;
    create constraint trigger before_commit after insert on worker_writes
      deferrable initially deferred for each row execute function end_worker()`);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await worker[Symbol.asyncDispose]();
});

/** As Citus does after each transaction, and its maintenance where a server went away in between. */
async function endPrepared(coordinator: pg.Pool): Promise<number> {
  const prepared = await worker.pool.query<{ gid: string }>(
    "select gid from pg_prepared_xacts where database = current_database()",
  );
  for (const { gid } of prepared.rows) {
    const known = "select from worker_transactions where name = $1";
    const hasCommitted = (await coordinator.query(known, [gid])).rowCount === 1;
    await worker.pool.query(`${hasCommitted ? "commit" : "rollback"} prepared '${gid}'`);
  }
  return prepared.rows.length;
}

async function isOnWorker(id: number): Promise<boolean> {
  const { rowCount } = await worker.pool.query("select from record_models where id = $1", [id]);
  return rowCount === 1;
}

test("without the guard the worker keeps what was written when the local commit fails, and with it not", async () => {
  const { ctx, database } = app;
  const { connectionString, pool } = database;
  const given = { connectionString, environmentId: ctx.environment.id };
  const [without, guarded] = [2 ** 32 + 1, 2 ** 32 + 2];

  const first = await failAtCommit(ctx.db, { ...given, id: without });
  const preparedWithout = await endPrepared(pool);
  database.guardCommits();
  const second = await failAtCommit(ctx.db, { ...given, id: guarded });
  const preparedWith = await endPrepared(pool);

  const failure = { error: { code: "40001" }, hasReachedCommit: true };
  expect([first, second]).toMatchObject([failure, failure]);
  expect([preparedWithout, preparedWith]).toEqual([0, 1]);
  expect(await isOnWorker(without)).toBe(true);
  expect(await isOnWorker(guarded)).toBe(false);
});

test("with the guard both keep what was written when the local commit succeeds", async () => {
  const { ctx, database } = app;
  database.guardCommits();
  const id = 2 ** 32 + 3;

  await ctx.db.transaction().execute(async (db) => {
    await sql`
      insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
      values (${id}, ${ctx.environment.id}, ${newRandomId()}, 'Contact', now())`.execute(db);
  });
  const before = await isOnWorker(id);
  await endPrepared(database.pool);

  expect([before, await isOnWorker(id)]).toEqual([false, true]);
});
