import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { createLogger } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import {
  bindTasks,
  defineTask,
  enqueueTask,
  startWorkers,
  type TaskHandler,
  type TaskHandlers,
  type WorkersOptions,
} from "./index.ts";
import { type CheckedPool, PoolCheck } from "./pool-check.ts";

const tasks = {
  greet: defineTask<{ name: string }>({ name: "greet", queue: "chores", maxAttempts: 3 }),
  compute: defineTask<{ input: number }>({ name: "compute", queue: "chores", maxAttempts: 3 }),
};

let app: TestContext;
const started: AsyncDisposable[] = [];
beforeAll(async () => {
  app = await createTestContext();
});
afterEach(async () => {
  for (const workers of started.splice(0)) await workers[Symbol.asyncDispose]();
  await sql`delete from graphile_worker._private_jobs`.execute(app.database.db);
});
afterAll(async () => await app[Symbol.asyncDispose]());

const ignore = async () => {};

async function start(
  handlers: Partial<TaskHandlers<typeof tasks>>,
  options: Partial<WorkersOptions> = {},
): Promise<AsyncDisposable> {
  const workers = await startWorkers({
    connectionString: app.database.connectionString,
    pooled: false,
    log: createLogger("silent"),
    makeContext: (signal) => ({ ...app.ctx, signal }),
    tasks: bindTasks(tasks, { greet: ignore, compute: ignore, ...handlers }),
    due: [],
    daily: [],
    ...options,
  });
  started.push(workers);
  return workers;
}

/** Resolves with the payload of the first call that `accept`s. */
function caught<Payload>(): {
  handler: TaskHandler<Payload>;
  first: Promise<Payload>;
} {
  const { promise: first, resolve } = Promise.withResolvers<Payload>();
  return { first, handler: async (_ctx, payload) => resolve(payload) };
}

async function listJobs(): Promise<{ attempts: number; lastError: string | null }[]> {
  const result = await sql<{ attempts: number; lastError: string | null }>`
    select attempts, last_error from graphile_worker.jobs
  `.execute(app.database.db);
  return result.rows;
}

test("a task without a handler, or with one for another payload, is a type error", () => {
  type Handlers = TaskHandlers<typeof tasks>;

  expectTypeOf<{ greet: Handlers["greet"] }>().not.toExtend<Handlers>();
  expectTypeOf<Parameters<Handlers["compute"]>[1]>().toEqualTypeOf<{ input: number }>();
  expectTypeOf<TaskHandler<{ other: string }>>().not.toExtend<Handlers["greet"]>();
});

test.each(["greet", "compute"] as const)("runs %s once its transaction commits", async (name) => {
  const call = caught<unknown>();
  await start({ [name]: call.handler });

  await withTransaction(app.ctx, async (ctx) => {
    await enqueueTask(ctx, tasks.greet, { name: "Ada" });
    await enqueueTask(ctx, tasks.compute, { input: 7 });
  });

  expect(await call.first).toEqual(name === "greet" ? { name: "Ada" } : { input: 7 });
  await expect.poll(listJobs).toEqual([]);
});

test("a task is gone when its transaction is undone", async () => {
  const undone = withTransaction(app.ctx, async (ctx) => {
    await enqueueTask(ctx, tasks.greet, { name: "nobody" });
    throw new Error("undone");
  });

  await expect(undone).rejects.toThrow("undone");
  expect(await listJobs()).toEqual([]);
});

test("a waiting task of the same key is replaced", async () => {
  await enqueueTask(app.ctx, tasks.greet, { name: "first" }, { key: "one" });
  await enqueueTask(app.ctx, tasks.greet, { name: "second" }, { key: "one" });
  const call = caught<{ name: string }>();

  await start({ greet: call.handler });

  expect(await call.first).toEqual({ name: "second" });
  await expect.poll(listJobs).toEqual([]);
});

test("a failed attempt stays in the queue with its message", async () => {
  await start({
    greet: async () => {
      throw new Error("no such person");
    },
  });

  await enqueueTask(app.ctx, tasks.greet, { name: "Ada" });

  await expect.poll(listJobs).toEqual([{ attempts: 1, lastError: "no such person" }]);
});

test("a stop tells running jobs, gives them back and waits for them", async () => {
  const { promise: running, resolve } = Promise.withResolvers<void>();
  let ended = false;
  const workers = await start(
    {
      compute: async (ctx) => {
        resolve();
        await once(ctx.signal, "abort");
        ended = true;
        throw new Error("stopped");
      },
    },
    { stopGraceMs: 10 },
  );
  await enqueueTask(app.ctx, tasks.compute, { input: 1 });
  await running;

  started.splice(0);
  await workers[Symbol.asyncDispose]();

  expect(ended).toBe(true);
  const locked = await sql`
    select 1 from graphile_worker.jobs where locked_by is not null
  `.execute(app.database.db);
  expect(locked.rows).toEqual([]);
  const beats = await sql`select 1 from worker_heartbeats`.execute(app.database.db);
  expect(beats.rows).toEqual([]);
});

// A worker as another process has it: takes the job, says so and never ends it.
const stuckWorker = `
  import { run } from "graphile-worker";
  const taskList = {
    compute: async () => {
      console.log("taken");
      await new Promise(() => {});
    },
  };
  await run({ connectionString: process.env.CONNECTION, taskList, parsedCronItems: [] });
`;

test("jobs of a killed worker are taken over, those of a living one are not", async () => {
  const { db, connectionString } = app.database;
  await enqueueTask(app.ctx, tasks.compute, { input: 42 });
  const victim = spawn(process.execPath, ["--input-type=module", "--eval", stuckWorker], {
    cwd: new URL(".", import.meta.url),
    env: { CONNECTION: connectionString },
    stdio: ["ignore", "pipe", "pipe"],
  });
  victim.stderr.pipe(process.stderr);
  onTestFinished(() => void victim.kill("SIGKILL"));
  // The queue itself writes lines there too.
  for await (const line of createInterface(victim.stdout)) if (line === "taken") break;
  victim.kill("SIGKILL");
  await once(victim, "exit");
  const held = await listJobs();
  await enqueueTask(app.ctx, tasks.compute, { input: 43 });
  await sql`
    update graphile_worker._private_jobs
       set locked_by = 'pool-alive', locked_at = now() - interval '1 minute'
     where locked_by is null`.execute(db);
  await sql`
    insert into worker_heartbeats (pool_id, process, seen_at)
    values ('pool-alive', 'elsewhere', now() + interval '1 minute')`.execute(db);
  const inputs: number[] = [];
  const compute: TaskHandler<{ input: number }> = async (_ctx, { input }) => {
    inputs.push(input);
  };

  await start({ compute }, { heartbeatMs: 100, silentMs: 300 });

  expect(held).toEqual([{ attempts: 1, lastError: null }]);
  await expect.poll(() => inputs).toEqual([42]);
  await expect.poll(listJobs).toHaveLength(1);
});

test("a job whose end could not be written is done again, although its process lives on", async () => {
  const { db } = app.database;
  await sql`
    create sequence failures;
    create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('failures') = 1 then raise exception 'no space left on device'; end if;
      return coalesce(new, old);
    end $$;
    create trigger fail_once before update or delete on graphile_worker._private_jobs
      for each row when (old.locked_by is not null) execute function fail_once()`.execute(db);
  onTestFinished(async () => {
    await sql`drop trigger fail_once on graphile_worker._private_jobs;
      drop function fail_once(); drop sequence failures`.execute(db);
  });
  const inputs: number[] = [];
  await start(
    { compute: async (_ctx, { input }) => void inputs.push(input) },
    { heartbeatMs: 100, silentMs: 300, stopGraceMs: 10 },
  );

  await enqueueTask(app.ctx, tasks.compute, { input: 7 });

  await expect.poll(() => inputs, { timeout: 15_000 }).toEqual([7, 7]);
  await expect.poll(listJobs).toEqual([]);
}, 30_000);

/** Completions fail while `isBroken`, late enough for several to be under way together. */
async function breakCompletions(): Promise<{ mend(): Promise<void> }> {
  const { db } = app.database;
  await sql`
    create function break_completion() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(0.3);
      raise exception 'the database is going away';
    end $$;
    create trigger break_completion before update or delete on graphile_worker._private_jobs
      for each row when (old.locked_by is not null) execute function break_completion()`.execute(
    db,
  );
  let isMended = false;
  const mend = async () => {
    if (isMended) return;
    isMended = true;
    await sql`drop trigger break_completion on graphile_worker._private_jobs;
      drop function break_completion()`.execute(db);
  };
  onTestFinished(mend);
  return { mend };
}

test("a queue works again after several completions failed together", async () => {
  const broken = await breakCompletions();
  const inputs: number[] = [];
  const workers = await start(
    {
      compute: async (_ctx, { input }) => {
        await sleep(input * 50);
        inputs.push(input);
      },
    },
    { heartbeatMs: 100, silentMs: 300, stopGraceMs: 3000 },
  );
  // The last one still runs when the library begins to end the pool.
  for (const input of [1, 2, 3, 30]) await enqueueTask(app.ctx, tasks.compute, { input });
  await expect.poll(() => inputs.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
  await broken.mend();

  await enqueueTask(app.ctx, tasks.compute, { input: 5 });

  await expect.poll(() => inputs, { timeout: 15_000 }).toContain(5);
  await expect.poll(listJobs, { timeout: 15_000 }).toEqual([]);
  started.splice(0);
  await workers[Symbol.asyncDispose]();
}, 60_000);

test("a job that its pool has locked and does not know is given back; one that runs for long is not", async () => {
  const inputs: number[] = [];
  const compute: TaskHandler<{ input: number }> = async (_ctx, { input }) => {
    inputs.push(input);
    if (input === 8) await sleep(1500);
  };
  await start({ compute }, { heartbeatMs: 100, silentMs: 300, lostAfterMs: 200 });
  await enqueueTask(app.ctx, tasks.compute, { input: 8 });
  await expect.poll(() => inputs).toEqual([8]);
  await withTransaction(app.ctx, async (ctx) => {
    await enqueueTask(ctx, tasks.compute, { input: 9 });
    // As when the answer to the statement that fetched it is lost.
    await sql`
      update graphile_worker._private_jobs as lost
         set locked_by = held.locked_by, locked_at = now() - interval '1 minute', attempts = 1
        from graphile_worker._private_jobs as held
       where held.locked_by is not null and lost.locked_by is null`.execute(ctx.db);
  });

  await expect.poll(listJobs, { timeout: 15_000 }).toEqual([]);

  expect(inputs).toEqual([8, 9]);
});

test("a pool that asks for no job while some are due is replaced, a busy one is not", async () => {
  const { db } = app.database;
  await enqueueTask(app.ctx, tasks.compute, { input: 1 });
  await sql`update graphile_worker._private_jobs set run_at = now() - interval '1 minute'`.execute(
    db,
  );
  const replaced: string[] = [];
  const toPool = (queue: string, idleMs: number, taskName: string): CheckedPool => ({
    queue,
    taskNames: [taskName],
    facts: () => ({ poolId: undefined, heldJobIds: [], idleMs }),
    replace: (reason) => replaced.push(`${queue}: ${reason}`),
  });
  const check = new PoolCheck({
    db,
    log: createLogger("silent"),
    pools: [
      toPool("stuck", 60_000, "compute"),
      toPool("busy", 0, "compute"),
      toPool("other", 60_000, "greet"),
    ],
    overdueMs: 300,
    lostAfterMs: 300,
  });
  started.push(check);

  await expect.poll(() => check.stalledQueues).toEqual(["stuck"]);
  expect(new Set(replaced)).toEqual(new Set(["stuck: 1 due jobs waited while it asked for none"]));
  await sql`delete from graphile_worker._private_jobs`.execute(db);
  await expect.poll(() => check.stalledQueues).toEqual([]);
});

test("daily chores run at the start, and one that fails stops no other", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const failing = async () => {
    throw new Error("chore failed");
  };

  await start({}, { daily: [failing, async () => resolve()] });

  await expect(promise).resolves.toBeUndefined();
});
