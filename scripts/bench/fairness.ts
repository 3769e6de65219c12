import { kinds } from "../../tests/fairness/kinds.ts";
import { measureKind } from "../../tests/fairness/measure.ts";
import { startNeighbours } from "../../tests/fairness/neighbours.ts";
import type { BenchRow } from "./meters/row.ts";

// biome-ignore lint/style/noProcessEnv: one kind alone, such as `BENCH_KIND=syncs npm run bench fairness`
const ONLY = process.env["BENCH_KIND"] ?? "";
const PROBES = 20;
/** Of what takes seconds by itself. */
const PROBES_OF_WORK = 12;

/** How late an environment's work begins while another floods with the same kind, next to the same without a flood. */
export async function benchFairness(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const kind of kinds.filter(({ name }) => name.includes(ONLY))) {
    // What one flood leaves behind is nothing for the next.
    await using all = await startNeighbours();
    const probes = kind.isSlow === true ? PROBES_OF_WORK : PROBES;
    const { alone, flooded } = await measureKind(all, kind, probes);
    const failed = flooded.errors.length;
    rows.push({
      name: `start delay p95 in a flood of ${kind.name}`,
      value: flooded.p95Ms,
      unit: "ms",
      baseline: { name: "the same without a flood", value: alone.p95Ms },
      note: `p50 ${Math.round(flooded.p50Ms)} ms${done(flooded.doneP95Ms, alone.doneP95Ms)}; ${failed} of ${probes} failed${failed > 0 ? `: ${flooded.errors[0]}` : ""}`,
    });
  }
  return rows;
}

function done(flooded: number | undefined, alone: number | undefined): string {
  if (flooded === undefined || alone === undefined) return "";
  return `, done p95 ${Math.round(flooded)} ms (${Math.round(alone)} ms without a flood)`;
}
