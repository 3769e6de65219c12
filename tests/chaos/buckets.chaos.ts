import { expect, test } from "vitest";
import { runBucketKills } from "../syncs/bucket-kills.ts";

/** A size that the environment may set, such as `CHAOS_CONNECTIONS=5 npm run test:chaos`. */
function sizeOf(name: string, usual: number): number {
  // biome-ignore lint/style/noProcessEnv: sizes of a run, and the seed of a plan that is to be repeated
  return Number(process.env[`CHAOS_${name}`] ?? usual);
}

test("J28: a million changes of 20 models reach a bucket once and in order, while everything is killed", async () => {
  const victims = Array.from({ length: sizeOf("BLOWS", 40) }, (_, index) => {
    if (index % 8 === 7) return "postgres";
    return (["worker", "bucket", "answers"] as const)[index % 3] ?? "worker";
  });
  const result = await runBucketKills({
    seed: sizeOf("SEED", Date.now() % 100_000),
    victims,
    connections: sizeOf("CONNECTIONS", 20),
    pages: sizeOf("PAGES", 50),
    perPage: 1000,
    pauseMs: [300, 3000],
    settledWithinMs: 10 * 60_000,
  });

  process.stdout.write(
    `\n${result.id}: ${result.trials} changes, ${result.violations.length} violations (${result.note})\n`,
  );
  expect(result.violations, result.note).toEqual([]);
}, 3_600_000);
