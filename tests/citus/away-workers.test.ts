import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  clusterWorkers,
  type Db,
  WorkerWatch,
} from "../../packages/server/src/foundation/db/index.ts";
import { AppError } from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  createTestDatabase,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { findDegraded } from "../../packages/server/src/process/find-unreadiness.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { openWorker, toForeign, type Worker } from "./worker.ts";

// Promise U10: a worker of a cluster that is away. postgres_fdw stands for Citus: its server is a PostgreSQL behind a line
// that can be cut, and it reports what it does not reach as a connection exception of one statement, as Citus does. The
// functions and tables of Citus that `/ready` asks are made here, over the same line. The rest only a cluster can show.

let app: TestContext;
let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
  app = await createTestContext();
  const { hostname, port, pathname, username, password } = worker.url;
  const way = `host=${hostname} dbname=${pathname.slice(1)} user=${username} password=${password}`;
  await app.database.pool.query(`
    ${toForeign(worker, ["record_sightings"])};
    create extension dblink;
    create table pg_dist_node (nodename text, nodeport integer, groupid integer, isactive boolean, noderole text);
    insert into pg_dist_node values ('${hostname}', 1, 0, true, 'primary'), ('${hostname}', ${port}, 1, true, 'primary'),
                                    ('${hostname}', 2, 2, false, 'primary'), ('${hostname}', 3, 1, true, 'secondary');
    create function citus_check_connection_to_node(nodename text, nodeport integer) returns boolean language plpgsql as $$
    begin
      return (select ok from dblink(format('${way} port=%s', nodeport), 'select true') as t (ok boolean));
    exception when connection_exception then return false; end $$`);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await worker[Symbol.asyncDispose]();
});
beforeEach(() => worker.line.resume());

const readWorker = sql<{ count: number }>`select count(*)::int as count from record_sightings`;

async function failureOf(db: Db, query: RawBuilder<unknown> = readWorker): Promise<unknown> {
  return await query.execute(db).then(
    () => undefined,
    (error: unknown) => error,
  );
}

function answerOf(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  return [error.name, error.code, error.status, error.message, error.headers["Retry-After"]];
}

const AWAY = [
  "WorkerAway",
  "overloaded",
  503,
  "The database server that holds these data cannot be reached at the moment; try again shortly.",
  "2",
];

test("what lies on a worker that is away is answered with 503, and the session continues", async () => {
  await app.ctx.db.connection().execute(async (db) => {
    const { rows: before } = await sql`select pg_backend_pid() as pid`.execute(db);
    expect(await failureOf(db)).toBeUndefined();

    worker.line.refuse();
    const lost = answerOf(await failureOf(db));
    const refused = answerOf(await failureOf(db));
    const { rows: after } = await sql`select pg_backend_pid() as pid`.execute(db);

    expect([lost, refused]).toEqual([AWAY, AWAY]);
    expect(after).toEqual(before);
  });
});

test("a transaction that meets it is undone, and the next one works", async () => {
  const { db, environment } = app.ctx;
  const insert = sql`
    insert into webhook_sequences (connection_uuid, environment_id, last) values (${randomUUID()}, ${environment.id}, 1)`;
  worker.line.refuse();

  const failing = db.transaction().execute(async (db) => {
    await insert.execute(db);
    await readWorker.execute(db);
  });

  expect(answerOf(await failing.catch((error: unknown) => error))).toEqual(AWAY);
  worker.line.resume();
  const rows = await db.transaction().execute(async (db) => {
    await readWorker.execute(db);
    return (await sql`select from webhook_sequences`.execute(db)).rows;
  });
  expect(rows).toEqual([]);
});

test.each(["08006", "08001", "08003", "57P01", "57P03", "53300"])(
  "an error %s that the coordinator passes on is the worker's",
  async (code) => {
    const raise = sql.raw(
      `do $$ begin raise exception 'connection to the remote node failed' using errcode = '${code}'; end $$`,
    );

    expect(answerOf(await failureOf(app.ctx.db, raise))).toEqual(AWAY);
  },
);

test("a session that ends by itself is the coordinator's", async () => {
  const error = await failureOf(app.ctx.db, sql`select pg_terminate_backend(pg_backend_pid())`);

  expect(error).toMatchObject({ name: "DatabaseAway", code: "overloaded" });
});

test("/ready names the workers that the coordinator does not reach, also one that is silent", async () => {
  const { ctx, database } = app;
  // What is known for two seconds is not asked again.
  const look = async () => {
    clusterWorkers.set(ctx, new WorkerWatch(database.db, ctx.log));
    return await findDegraded(ctx);
  };

  const whole = await look();
  worker.line.refuse();
  const refused = await look();
  worker.line.resume();
  worker.line.stall();
  const began = performance.now();
  const silent = await look();
  const took = performance.now() - began;

  expect(whole).toEqual({ parts: [], workers: 0 });
  expect(refused).toEqual({ parts: ["workers"], workers: 1 });
  expect(silent).toEqual({ parts: ["workers"], workers: 1 });
  expect(took).toBeLessThan(3000);
});

test("a server with a worker away answers 503 for what lies there, and all else as ever", async () => {
  await using stack = new AsyncDisposableStack();
  const lost = stack.use(await openWorker());
  const database = stack.use(await createTestDatabase());
  await database.pool.query(toForeign(lost, ["failed_deliveries"]));
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: stack.use(await makeDataFolder()).path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  stack.defer(async () => await platform.kill());
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${platform.url}${path}`, { headers });
    return { status: answer.status, body: await answer.json() };
  };
  const list = async () => await get("/webhooks/deliveries?state=failed");
  const before = await list();

  lost.line.refuse();
  const away = await list();
  const others = await get("/webhooks/deliveries?state=delivered");
  const ready = await get("/ready");
  lost.line.resume();
  const after = await list();

  expect([before.status, after.status]).toEqual([200, 200]);
  expect(away).toMatchObject({
    status: 503,
    body: { error: { code: "overloaded", message: expect.stringContaining("holds these data") } },
  });
  expect([others.status, ready.status]).toEqual([200, 200]);
});
