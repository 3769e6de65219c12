import { afterAll, expect, test } from "vitest";
import type { TrialResult } from "../refresh/trial-result.ts";
import { runAcceptedActions, runCrowd, runStandstill } from "../syncs/crowds.ts";
import { makeRandom, runSyncStorm, type Victim } from "../syncs/storm.ts";
import { runTakeovers } from "../syncs/takeover.ts";

/** A size that the environment may set, such as `CHAOS_CONNECTIONS=200 npm run test:chaos`. */
function sizeOf(name: string, usual: number): number {
  // biome-ignore lint/style/noProcessEnv: sizes of a run, and the seed of a plan that is to be repeated
  return Number(process.env[`CHAOS_${name}`] ?? usual);
}

const results: TrialResult[] = [];

afterAll(() => {
  const lines = results.map(
    ({ id, trials, violations, note = "" }) =>
      `${id}: ${trials} trials, ${violations.length} violations (${note})`,
  );
  process.stdout.write(`\n${lines.join("\n")}\n`);
});

function keep(result: TrialResult): void {
  results.push(result);
  expect(result.violations, result.note).toEqual([]);
}

const victims: readonly Victim[] = [
  ...(["worker", "worker", "function", "function", "frozen-worker", "api", "postgres"] as const),
];

test("J1: every process and the database are struck by a seeded plan, and the history is whole", async () => {
  const seed = sizeOf("SEED", Date.now() % 100_000);
  const random = makeRandom(seed + 1);
  const blows = sizeOf("BLOWS", 40);
  const plan = Array.from({ length: blows }, (): Victim => {
    return victims[Math.floor(random() * victims.length)] ?? "worker";
  });

  const result = await runSyncStorm({
    seed,
    victims: plan,
    workers: 3,
    connections: sizeOf("CONNECTIONS", 100),
    pages: sizeOf("PAGES", 10),
    perPage: 50,
    actions: sizeOf("ACTIONS", 200),
    pauseMs: [1000, 4000],
    settledWithinMs: 5 * 60_000,
  });

  keep(result);
});

test("J2: runs of a dead worker are taken over within 30 s at the defaults", async () => {
  keep(await runTakeovers(sizeOf("TAKEOVERS", 4)));
});

test("J7: three hours of standstill are made up with one run of each schedule", async () => {
  keep(await runStandstill(sizeOf("SCHEDULES", 2000)));
});

test("J8: 10 000 waiting runs of one environment hardly delay another's", async () => {
  const seconds = sizeOf("SECONDS", 60);
  keep(await runCrowd({ crowd: sizeOf("CROWD", 10_000), seconds, withinMs: 2000 }));
});

test("J10: every accepted action has an outcome, although all processes die", async () => {
  keep(await runAcceptedActions(sizeOf("ACCEPTED", 1000)));
});
