import { afterAll, expect, test } from "vitest";
import { passIdleDays } from "../../packages/server/src/connections/testing/idle-days.ts";
import { startRotatingServer } from "../../packages/server/src/connections/testing/rotating-server.ts";
import { DAY } from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  createTestDatabase,
} from "../../packages/server/src/foundation/testing/index.ts";
import { ensureLogPartitions } from "../../packages/server/src/logs/index.ts";
import { runChanges } from "../refresh/changes.ts";
import { runForced } from "../refresh/forced.ts";
import { type Harbor, startHarbor } from "../refresh/harbor.ts";
import { runKills } from "../refresh/kills.ts";
import { runOutage } from "../refresh/outage.ts";
import { runSkew } from "../refresh/skew.ts";
import { runSlow } from "../refresh/slow.ts";
import { runStampede } from "../refresh/stampede.ts";
import { runStillValid } from "../refresh/still-valid.ts";
import { runStorm } from "../refresh/storm.ts";
import type { TrialResult } from "../refresh/trial-result.ts";

const results: TrialResult[] = [];

afterAll(() => {
  const lines = results.map(
    ({ id, trials, violations, note = "" }) =>
      `${id}: ${trials} trials, ${violations.length} violations${note === "" ? "" : ` (${note})`}`,
  );
  process.stdout.write(`\n${lines.join("\n")}\n`);
});

function keep(...given: readonly TrialResult[]): void {
  results.push(...given);
  const broken = given.flatMap(({ id, violations }) => violations.map((each) => `${id}: ${each}`));
  expect(broken).toEqual([]);
}

async function inHarbor<Result>(work: (harbor: Harbor) => Promise<Result>): Promise<Result> {
  await using database = await createTestDatabase();
  await using harbor = await startHarbor(database.connectionString);
  return await work(harbor);
}

test("R1: one refresh for any number of callers", async () => {
  keep(await inHarbor(async (harbor) => await runStorm(harbor, 200)));
});

test("R2: a slow authorization server", async () => {
  const delaysMs = [1000, 9000, 11_000, 24_000, 35_000];
  keep(await inHarbor(async (harbor) => await runSlow(harbor, delaysMs)));
});

test("R3: kill -9 at every step", async () => {
  keep(...(await inHarbor(async (harbor) => await runKills(harbor, 50))));
});

test("R4: the database stops in mid-refresh", async () => {
  keep(await runOutage({ rounds: 10, perRound: 10, downMs: 5000 }));
});

test("R5: a valid token is served", async () => {
  keep(await inHarbor(async (harbor) => await runStillValid(harbor, 500)));
});

test("R7: no stampede", async () => {
  keep(await inHarbor(async (harbor) => await runStampede(harbor, 5 * 60_000)));
});

test("R8: changes during a refresh stay", async () => {
  keep(await inHarbor(async (harbor) => await runChanges(harbor, 200)));
});

test("R9: forced refreshes", async () => {
  keep(await inHarbor(async (harbor) => await runForced(harbor, 50)));
});

test("R10: a wrong clock", async () => {
  keep(await inHarbor(async (harbor) => await runSkew(harbor, [-600_000, 600_000])));
});

test("R12: 2000 connections unused for 30 days", async () => {
  await using installation = await createTestContext();
  const refreshIdleMs = 10 * DAY;
  const { ctx: plain } = installation;
  const ctx = { ...plain, settings: { ...plain.settings, refreshIdleMs } };
  await ensureLogPartitions(ctx);
  await using server = await startRotatingServer({ expiresIn: 3600 });

  const days = await passIdleDays(installation, ctx, { server, count: 2000, lastsMs: 30 * DAY });

  const ratio = days.mostPerMinute / days.meanPerMinute;
  const gapDays = days.longestGapMs / DAY;
  const violations = [
    ...(gapDays > 10 ? [`${gapDays} days without a refresh`] : []),
    ...(days.mostPerMinute > Math.max(3 * days.meanPerMinute, 3)
      ? [`${ratio} times the mean`]
      : []),
  ];
  const note = `${days.refreshes} refreshes, longest gap ${gapDays.toFixed(2)} of 10 days, at most ${days.mostPerMinute} in a minute (mean ${days.meanPerMinute.toFixed(2)})`;
  keep({ id: "R12", trials: 2000, violations, note });
});
