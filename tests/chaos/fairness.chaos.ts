import { afterAll, expect, test } from "vitest";
import { kinds } from "../fairness/kinds.ts";
import { measureKind } from "../fairness/measure.ts";
import { startNeighbours } from "../fairness/neighbours.ts";

// biome-ignore lint/style/noProcessEnv: the size of a run, such as `CHAOS_PROBES=10 npm run test:chaos`
const PROBES = Number(process.env["CHAOS_PROBES"] ?? 40);
const WITHIN_MS = 2000;
const lines: string[] = [];

afterAll(() => {
  process.stdout.write(`\n${lines.join("\n")}\n`);
});

test.each(kinds)(
  "J8: a flood of $name delays another environment's by 2 s at most and fails none",
  async (kind) => {
    await using all = await startNeighbours();

    const { alone, flooded } = await measureKind(all, kind, PROBES);

    const round = (ms: number) => Math.round(ms);
    lines.push(
      `${kind.name}: p50 ${round(flooded.p50Ms)} ms, p95 ${round(flooded.p95Ms)} ms, most ${round(flooded.maxMs)} ms (${round(alone.p95Ms)} ms without); ${flooded.errors.length} of ${PROBES} failed`,
    );
    expect(flooded.errors).toEqual([]);
    expect(flooded.p95Ms).toBeLessThanOrEqual(WITHIN_MS);
  },
);
