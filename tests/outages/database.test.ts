import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  allowLongStatements,
  copyRows,
  type Database,
  DatabaseAway,
  type Db,
  openDatabase,
  Patience,
  withPatience,
} from "../../packages/server/src/foundation/db/index.ts";
import {
  createEmptyDatabase,
  createTestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { ingressLimiter } from "../../packages/server/src/gateway/index.ts";
import { type Line, openLineTo } from "./line.ts";

let home: Awaited<ReturnType<typeof createEmptyDatabase>>;
let line: Line;
let url: string;
beforeAll(async () => {
  home = await createEmptyDatabase();
});
beforeEach(async () => {
  const opened = await openLineTo(home.connectionString);
  line = opened.line;
  url = opened.url;
  return async () => await line[Symbol.asyncDispose]();
});
afterAll(async () => await home[Symbol.asyncDispose]());

function open(
  options: { url?: string; askAfterMs?: number; maxConnections?: number } = {},
): Database {
  return openDatabase({
    connectionString: options.url ?? url,
    maxConnections: options.maxConnections ?? 1,
    pooled: false,
    onError: () => {},
    ...(options.askAfterMs === undefined ? {} : { askAfterMs: options.askAfterMs }),
  });
}

async function readOne(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
  return rows[0]?.one;
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );

async function timed(work: Promise<unknown>): Promise<{ error: unknown; tookMs: number }> {
  const startedAt = performance.now();
  return { error: await failure(work), tookMs: performance.now() - startedAt };
}

test("nobody listens: it is tried once more, then the error is 503 with the cause for the operator", async () => {
  const nowhere = new URL(url);
  nowhere.port = "1";
  await using database = open({ url: nowhere.href });

  const { error, tookMs } = await timed(readOne(database.db));

  expect(error).toBeInstanceOf(DatabaseAway);
  expect(error).toMatchObject({
    ...{ code: "overloaded", status: 503, headers: { "Retry-After": "2" }, didNotRun: true },
    cause: { code: "ECONNREFUSED" },
  });
  expect(tookMs).toBeGreaterThan(450);
  expect(tookMs).toBeLessThan(3000);
});

test("a server that is back within half a second is not missed", async () => {
  await using database = open();
  line.refuse();
  setTimeout(() => line.resume(), 200);

  expect(await readOne(database.db)).toBe(1);
});

test("a write that a standby refuses goes to the next server, but not from within a transaction", async () => {
  await using database = open();
  // As on a standby; a new connection is to the primary.
  const demote = async () =>
    await sql`set session characteristics as transaction read only`.execute(database.db);
  const write = async (db: Db) => await sql`create table if not exists t ()`.execute(db);

  await demote();
  await write(database.db);
  await demote();
  const error = await failure(database.db.transaction().execute(write));

  expect(error).toBeInstanceOf(DatabaseAway);
  expect(await failure(write(database.db))).toBeUndefined();
});

test("a statement that was under way is not repeated", async () => {
  await using database = open();
  await sql`create table if not exists runs (at timestamptz default now())`.execute(database.db);
  const dying = sql`with one as (insert into runs default values returning 1)
    select pg_terminate_backend(pg_backend_pid()) from one`.execute(database.db);

  const error = await failure(dying);
  const { rows } = await sql`select * from runs`.execute(database.db);

  expect(error).toMatchObject({ name: "DatabaseAway", didNotRun: false });
  expect(rows).toEqual([]);
});

test("an error of the statement stays what it is", async () => {
  await using database = open();

  const error = await failure(sql`select no_such_column`.execute(database.db));

  expect(error).toMatchObject({ code: "42703" });
  expect(error).not.toBeInstanceOf(DatabaseAway);
});

test("a request gives up a silent network when its patience is spent, for all of its waits together", async () => {
  await using database = open();
  await readOne(database.db);
  const patience = new Patience(2000);
  line.stall();

  const first = await withPatience(patience, async () => await timed(readOne(database.db)));
  const second = await withPatience(patience, async () => await timed(readOne(database.db)));
  line.resume();

  expect([first.error, second.error]).toEqual([expect.any(DatabaseAway), expect.any(DatabaseAway)]);
  expect(first.tookMs).toBeGreaterThan(1900);
  // One of their own for each would take 4 s.
  expect(first.tookMs + second.tookMs).toBeLessThan(3700);
  expect(await readOne(database.db)).toBe(1);
});

test("requests that come together share one idle connection's luck, and none waits longer for a new one", async () => {
  await using database = open({ maxConnections: 4 });
  await readOne(database.db);
  line.stall();

  const waits = Array.from(
    { length: 4 },
    async () =>
      await withPatience(new Patience(1000), async () => await timed(readOne(database.db))),
  );
  const ends = await Promise.all(waits);
  line.resume();

  expect(ends.map(({ error }) => error)).toEqual(Array(4).fill(expect.any(DatabaseAway)));
  expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(3000);
});

test("a webhook that waits for what another has asked the database spends its own patience", async () => {
  await using app = await createTestContext();
  await using away = await openLineTo(app.database.connectionString).then(({ line, url }) => ({
    url,
    line,
    [Symbol.asyncDispose]: async () => await line[Symbol.asyncDispose](),
  }));
  await using database = open({ url: away.url, maxConnections: 4 });
  await readOne(database.db);
  const ctx = { ...app.ctx, db: database.db };
  const limiter = ingressLimiter.of(ctx);
  const limited = { accountId: "a", bucket: "webhooks", whose: "integration", limit: 50 } as const;
  away.line.stall();

  const ends = await Promise.all(
    Array.from(
      { length: 4 },
      async () =>
        await withPatience(
          new Patience(1000),
          async () => await timed(limiter.admit(ctx, limited)),
        ),
    ),
  );
  away.line.resume();

  expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(3000);
});

test("long work of a request continues, and a silent network ends it before its caller's patience does", async () => {
  await using database = open();
  const copy = async (seconds: number) => {
    const rows = copyRows(database.db, `select 1 from pg_sleep(${seconds})`);
    for await (const _ of rows);
  };

  const long = await withPatience(new Patience(1500), async () => await timed(copy(2.5)));
  line.stall();
  const silent = await withPatience(new Patience(5500), async () => await timed(copy(0)));
  line.resume();

  expect(long.error).toBeUndefined();
  expect(silent.error).toBeInstanceOf(DatabaseAway);
  expect(silent.tookMs).toBeLessThan(6500);
});

test("statements of a request that writes much take as long as the database is at them", async () => {
  await using database = open();
  const sleepOnce = async () => await sql`select pg_sleep(1.5)`.execute(database.db);
  const write = async () => {
    allowLongStatements();
    await sleepOnce();
    await sleepOnce();
  };

  const long = await withPatience(new Patience(1000), async () => await timed(write()));
  const ordinary = await withPatience(new Patience(1000), async () => await timed(sleepOnce()));

  expect(long.error).toBeUndefined();
  expect(ordinary.error).toMatchObject({
    message: "The database did not answer in time; try again shortly.",
  });
});

test("elsewhere long work continues as long as the database is at it, and a silent network ends it", async () => {
  await using database = open({ askAfterMs: 200 });

  await sql`select pg_sleep(1.2)`.execute(database.db);
  line.stall();
  const silent = await timed(readOne(database.db));
  line.resume();

  expect(silent.error).toBeInstanceOf(DatabaseAway);
  expect(silent.tookMs).toBeLessThan(5000);
  expect(await readOne(database.db)).toBe(1);
});

test("closing does not wait for a network that is silent", async () => {
  const database = open();
  await readOne(database.db);
  line.stall();

  const { tookMs } = await timed(Promise.resolve(database[Symbol.asyncDispose]()));

  expect(tookMs).toBeLessThan(6000);
});

test("patience is spent while waiting, once for waits that overlap, and comes back", async () => {
  const patience = new Patience(300);

  const ends = [patience.wait(), patience.wait()];
  await sleep(120);
  for (const end of ends) end();
  const left = patience.leftMs;
  await sleep(150);

  expect(left).toBeGreaterThan(120);
  expect(left).toBeLessThan(200);
  expect(patience.leftMs).toBeGreaterThan(250);
});
