import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, HOUR, type RunId } from "#foundation";
import { ensureDays } from "#foundation/db/day-partitions";
import { listScanned } from "#foundation/testing";
import { claimDueSyncs, runSync } from "./index.ts";
import { beginRun } from "./runs/begin-run.ts";
import { addRunChanges, findRun, holdsRun, isStillWanted, updateRun } from "./runs/store.ts";
import { forgetOldRuns, runDayTables, sweepRuns } from "./sweeping/sweep-runs.ts";
import { noChanges } from "./sync.ts";
import { listRuns, takeJobs } from "./testing/index.ts";
import {
  app,
  ctx,
  deploy,
  pause,
  readStatus,
  runDue,
  start,
  twoContacts,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

/** As an installation that runs: the days ahead are made on each. */
async function passDays(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    app.clock.advance(DAY);
    await ensureDays(app.ctx, runDayTables);
  }
}

/** So that hours that pass stay within a day. */
function reachNoon(): void {
  const intoDay = app.clock.now().getTime() % DAY;
  app.clock.advance((DAY + DAY / 2 - intoDay) % DAY);
}

async function placesOf(ids: readonly string[]): Promise<(string | undefined)[]> {
  const { rows } = await sql<{ id: string; place: string }>`
    select id, tableoid::regclass::text as place from runs where id = any(${ids}::uuid[])`.execute(
    ctx.db,
  );
  return ids.map((id) => rows.find((row) => row.id === id)?.place);
}

function today(): string {
  return `runs_${app.clock.now().toISOString().slice(0, 10).replaceAll("-", "")}`;
}

test("runs go with their day; the latest of a sync outlives it, until there is a later one", async () => {
  await passDays(1);
  reachNoon();
  await deploy(twoContacts, { runs: "every hour" });
  await runDue();
  app.clock.advance(HOUR);
  await runDue();
  await pause();
  const [first, latest] = (await listRuns(ctx)).map(({ id }) => id);
  if (first === undefined || latest === undefined) throw new Error("no runs");
  const day = today();
  const before = await placesOf([first, latest]);

  await passDays(9);
  await forgetOldRuns(app.ctx);
  const after = await placesOf([first, latest]);
  const status = await readStatus();
  await start();
  await runDue();
  await forgetOldRuns(app.ctx);

  expect(before).toEqual([day, day]);
  expect(after).toEqual([undefined, "runs_default"]);
  expect(status.latestResult).toBeDefined();
  expect(await placesOf([first, latest])).toEqual([undefined, undefined]);
  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["success"]);
});

test("a run that has not ended outlives its day, and runs", async () => {
  await passDays(1);
  await deploy(twoContacts, { runs: "every hour" });
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("no run");

  await passDays(9);
  await forgetOldRuns(app.ctx);
  const places = await placesOf([job.runId]);
  // It still holds its sync, and is known to wait.
  const swept = await sweepRuns(app.ctx);
  await takeJobs(ctx);
  await runSync(ctx, job);

  expect(places).toEqual(["runs_default"]);
  expect(swept).toEqual({ queued: 1, freed: 0 });
  expect((await listRuns(ctx)).map(({ state }) => state)).toEqual(["success"]);
});

test("a run is looked up in its day alone, by its id", async () => {
  await passDays(1);
  await deploy(twoContacts, { runs: "every hour" });
  await claimDueSyncs(ctx);
  const [job] = await takeJobs(ctx);
  if (job === undefined) throw new Error("no run");
  const day = today();
  await passDays(4);
  const { environment } = ctx;

  const scanned = await listScanned(ctx, "runs_%", async (ctx) => {
    const { db } = ctx;
    const lease = await beginRun(ctx, job.runId);
    if (lease === undefined) throw new Error("the run did not begin");
    const { run } = lease;
    expect(await isStillWanted(db, environment.id, run)).toBe(true);
    expect(await holdsRun(db, environment.id, run)).toBe(true);
    expect(await addRunChanges(db, environment.id, run, "Contact", noChanges)).toBe(true);
    expect(await updateRun(db, environment.id, run, { attempts: 1 })).toBeDefined();
    expect((await findRun(db, environment.id, run.id))?.id).toBe(run.id);
  });

  expect(scanned).toEqual([day]);
});

test("runs whose ids tell no time are found too", async () => {
  await passDays(1);
  await deploy(twoContacts, { runs: "every hour" });
  await runDue();
  const [run] = await listRuns(ctx);
  const { rows } = await sql<{ id: RunId }>`
    update runs set id = gen_random_uuid() where id = ${run?.id} returning id`.execute(ctx.db);
  await passDays(2);

  const id = rows[0]?.id;
  if (id === undefined) throw new Error("no run");
  expect(await findRun(ctx.db, ctx.environment.id, id)).toMatchObject({ id, state: "success" });
});
