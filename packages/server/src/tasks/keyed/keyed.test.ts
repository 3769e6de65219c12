import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addMs, type EnvironmentContext, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { defineTask } from "../task.ts";
import { completeKeyed, enqueueKeyed, enqueueManyKeyed, postponeKeyed } from "./keyed-task.ts";
import { createKeyedWork, type KeyedTaskLimits } from "./keyed-work.ts";
import { returnLost } from "./store.ts";

const task = defineTask<{ name: string }>({ name: "greet", queue: "runs", maxAttempts: 3 });
const limits: KeyedTaskLimits = { task, perSlot: 1, limitOf: async () => 3 };

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
});
beforeEach(async () => {
  await sql`delete from lane_tasks`.execute(app.database.db);
  await sql`delete from graphile_worker._private_jobs`.execute(app.database.db);
  ctx = await app.addEnvironment();
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function enter(queueKey: string, name: string, inside = ctx): Promise<string> {
  const id = randomUUID();
  const environmentId = inside.environment.id;
  await enqueueKeyed(inside, task, { id, environmentId, queueKey, payload: { name } });
  return id;
}

async function enterMany(pairs: readonly (readonly [string, string])[], inside = ctx) {
  const environmentId = inside.environment.id;
  const works = pairs.map(([queueKey, name]) => ({
    ...{ id: randomUUID(), environmentId, queueKey, payload: { name } },
  }));
  await enqueueManyKeyed(inside, task, works);
  return works.map(({ id }) => id);
}

/** Names that were handed out now, in the order in which they were queued. */
async function handOut(runSlots = 100): Promise<string[]> {
  const slots = { ...ctx, settings: { ...ctx.settings, runSlots } };
  await createKeyedWork([limits]).claim(slots, () => {});
  const { rows } = await sql<{ name: string }>`
    with taken as (delete from graphile_worker._private_jobs returning id, payload)
    select payload ->> 'name' as name from taken order by id`.execute(ctx.db);
  return rows.map(({ name }) => name);
}

test("work of one key runs one after the other, keys in parallel", async () => {
  const first = await enter("a", "a1");
  await enter("a", "a2");
  const other = await enter("b", "b1");

  expect(await handOut()).toEqual(["a1", "b1"]);
  expect(await handOut()).toEqual([]);
  await completeKeyed(ctx, first);
  await completeKeyed(ctx, other);
  expect(await handOut()).toEqual(["a2"]);
});

test("what runs again later stays first of its key", async () => {
  const first = await enter("a", "a1");
  await enter("a", "a2");
  await handOut();

  await postponeKeyed(ctx, first, addMs(app.clock.now(), 10 * SECOND));
  expect(await handOut()).toEqual([]);
  app.clock.advance(10 * SECOND);

  expect(await handOut()).toEqual(["a1"]);
});

test("an environment has as much at once as it may, and the least busy comes first", async () => {
  const other = await app.addEnvironment();
  for (const name of ["1", "2", "3", "4", "5"]) await enter(name, name);
  await enter("x", "x", other);
  await enter("y", "y", other);

  expect(await handOut(4)).toEqual(expect.arrayContaining(["1", "2", "x", "y"]));
  expect(await handOut(100)).toEqual(["3"]);
});

test("work whose transaction is undone was never there", async () => {
  const undone = withTransaction(ctx, async (inner) => {
    const environmentId = ctx.environment.id;
    await enqueueKeyed(inner, task, {
      id: randomUUID(),
      environmentId,
      queueKey: "a",
      payload: { name: "no" },
    });
    throw new Error("undone");
  });

  await expect(undone).rejects.toThrow("undone");
  expect(await handOut()).toEqual([]);
});

test("many are queued and completed under one key at the same time and none is forgotten", async () => {
  const names = Array.from({ length: 20 }, (_, number) => `n${number}`);
  const ids = await Promise.all(names.map(async (name) => ({ name, id: await enter("a", name) })));
  const idOf = new Map(ids.map(({ name, id }) => [name, id]));

  const served: string[] = [];
  while (served.length < names.length) {
    const [name = "", ...more] = await handOut();
    expect(more).toEqual([]);
    served.push(name);
    await Promise.all([completeKeyed(ctx, idOf.get(name) ?? ""), handOut()]).then(([, handed]) => {
      for (const next of handed) {
        served.push(next);
        return completeKeyed(ctx, idOf.get(next) ?? "");
      }
      return undefined;
    });
  }

  expect(served.toSorted()).toEqual(names.toSorted());
});

test("work whose job has gone from the queue is handed out again", async () => {
  await enter("a", "a1");
  await handOut();

  expect(await returnLost(ctx.db)).toHaveLength(1);

  expect(await handOut()).toEqual(["a1"]);
});

test("queueing waits for no other that queues, and completing passes nobody over", async () => {
  const first = await enter("a", "a1");
  await handOut();
  const entered = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();

  const slow = withTransaction(ctx, async (inside) => {
    await enter("a", "a2", inside);
    entered.resolve();
    await commit.promise;
  });
  await entered.promise;
  // Would wait for the commit that comes below.
  await enter("a", "a3");
  const left = completeKeyed(ctx, first);
  commit.resolve();
  await Promise.all([slow, left]);

  expect(await handOut()).toEqual(["a2"]);
});

test("of those that are queued under an idle key together, one is handed out", async () => {
  const names = Array.from({ length: 8 }, (_, n) => `a${n}`);

  await Promise.all(names.map(async (name) => await enter("a", name)));

  expect(await handOut()).toHaveLength(1);
});

test("many that are queued at once keep their order with others, and take no lock for each key", async () => {
  const first = await enter("a", "a1");
  let ids: string[] = [];
  const locks = await withTransaction(ctx, async (inside) => {
    ids = await enterMany(
      [
        ["a", "a2"],
        ["b", "b1"],
        ["b", "b2"],
      ],
      inside,
    );
    const { rows } = await sql`
      select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`.execute(
      inside.db,
    );
    return rows.length;
  });
  await enter("b", "b3");
  const [, b1 = "", b2 = ""] = ids;

  expect(locks).toBe(0);
  expect(await handOut()).toEqual(["a1", "b1"]);
  await completeKeyed(ctx, b1);
  expect(await handOut()).toEqual(["b2"]);
  await completeKeyed(ctx, b2);
  await completeKeyed(ctx, first);
  expect((await handOut()).toSorted()).toEqual(["a2", "b3"]);
});

test("work that came with many is passed over by nobody who leaves before its turn is decided", async () => {
  const first = await enter("a", "a1");
  await handOut();
  await enterMany([["a", "a2"]]);

  await completeKeyed(ctx, first);

  expect(await handOut()).toEqual(["a2"]);
});

test("whose key another has at this moment is decided later, and waits for nobody", async () => {
  const first = await enter("a", "a1");
  await handOut();
  const left = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const slow = withTransaction(ctx, async (inside) => {
    await completeKeyed(inside, first);
    left.resolve();
    await commit.promise;
  });
  await left.promise;
  await enterMany([
    ["a", "a2"],
    ["b", "b1"],
  ]);

  expect(await handOut()).toEqual(["b1"]);
  commit.resolve();
  await slow;
  expect(await handOut()).toEqual(["a2"]);
});

test("environments take turns, however many one has queued at once", async () => {
  const other = await app.addEnvironment();
  await enterMany(Array.from({ length: 350 }, (_, n) => [`k${n}`, `k${n}`]));
  await enterMany([["x", "x"]], other);
  const work = createKeyedWork([{ task, perSlot: 1000, limitOf: async () => 1000 }]);

  for (let round = 0; round < 2; round += 1) await work.claim(ctx, () => {});

  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*)::int as count from lane_tasks group by state order by state`.execute(
    ctx.db,
  );
  expect(rows).toEqual([
    { state: "entered", count: 250 },
    { state: "handed", count: 101 },
  ]);
});
