import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ActionId,
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  MINUTE,
  newRandomId,
  newTimeId,
} from "#foundation";
import { ensureDays } from "#foundation/db/day-partitions";
import { createTestContext, listScanned, type TestContext } from "#foundation/testing";
import { enqueuingKeyed } from "#tasks";
import { actionDayTables, deleteOldResults } from "./delete-old-results.ts";
import {
  awaitAttempt,
  beginAsyncAction,
  endAsyncAction,
  findAsyncAction,
  giveBack,
  insertAsyncAction,
  noteEffect,
} from "./store.ts";
import { actionTasks } from "./tasks.ts";

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
  ctx = app.ctx;
});
afterAll(async () => await app[Symbol.asyncDispose]());

/** As an installation that runs: the days ahead are made on each. */
async function passDays(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    app.clock.advance(DAY);
    await ensureDays(ctx, actionDayTables);
  }
}

async function accept(id: string = newTimeId<ActionId>(app.clock.now())): Promise<string> {
  const environmentId = ctx.environment.id;
  const connectionUuid = newRandomId<ConnectionUuid>();
  const row = {
    id,
    functionId: 1,
    connectionUuid,
    input: Buffer.from("input"),
    maxRetries: 1,
    createdAt: app.clock.now(),
  };
  const work = { id, environmentId, queueKey: connectionUuid, payload: { environmentId, id } };
  await insertAsyncAction(ctx.db, environmentId, row, enqueuingKeyed(ctx, actionTasks.run, work));
  return id;
}

async function end(id: string): Promise<void> {
  const begun = await beginAsyncAction(ctx.db, ctx.environment.id, id);
  if (begun === undefined) throw new Error("the action has ended");
  const ended = { id, fence: begun.fence, endedAt: app.clock.now() };
  const outcome = Buffer.from("outcome");
  const done = await endAsyncAction(ctx.db, ctx.environment.id, {
    ...ended,
    state: "success",
    outcome,
  });
  expect(done).toBe(true);
}

async function listPlaces(): Promise<Record<string, string>> {
  const { rows } = await sql<{ id: string; place: string }>`
    select id, tableoid::regclass::text as place from async_actions`.execute(ctx.db);
  return Object.fromEntries(
    rows.map(({ id, place }) => [id, place.slice("async_actions_".length)]),
  );
}

function today(): string {
  return app.clock.now().toISOString().slice(0, 10).replaceAll("-", "");
}

test("outcomes go with their day; an action that waits, or has ended late, outlives it", async () => {
  await passDays(1);
  const [ended, waiting, late] = [await accept(), await accept(), await accept()];
  await end(ended);
  await passDays(6);
  await end(late);
  await passDays(2);
  const before = await listPlaces();

  await passDays(1);
  await deleteOldResults(ctx);
  const after = await listPlaces();
  await end(waiting);
  const found = await findAsyncAction(ctx.db, ctx.environment.id, waiting);
  await passDays(10);
  await deleteOldResults(ctx);

  expect(Object.keys(before).toSorted()).toEqual([ended, late, waiting].toSorted());
  expect(after).toEqual({ [waiting]: "default", [late]: "default" });
  expect(found?.state).toBe("success");
  expect(await listPlaces()).toEqual({});
});

test("an action is looked up in its day alone, by its id; one of the release before in every day", async () => {
  await passDays(1);
  const [id, old] = [await accept(), await accept(randomUUID())];
  const day = `async_actions_${today()}`;
  await passDays(4);
  app.clock.advance(MINUTE);
  const { db, environment } = ctx;

  const scanned = await listScanned({ db }, "async_actions%", async ({ db }) => {
    const begun = await beginAsyncAction(db, environment.id, id);
    const attempt = { id, fence: begun?.fence ?? 0 };
    await noteEffect(db, environment.id, attempt);
    await giveBack(db, environment.id, attempt);
    await awaitAttempt(db, environment.id, { ...attempt, failures: 1 });
    await findAsyncAction(db, environment.id, id);
    const ending = { ...attempt, state: "failed" as const, endedAt: addMs(app.clock.now(), 1) };
    await endAsyncAction(db, environment.id, { ...ending, outcome: Buffer.from("outcome") });
  });
  await end(old);

  expect(scanned).toEqual([day]);
  expect((await findAsyncAction(db, environment.id, old))?.state).toBe("success");
});
