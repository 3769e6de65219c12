import { kinds } from "../../tests/fairness/kinds.ts";
import { measureKind } from "../../tests/fairness/measure.ts";
import { startNeighbours } from "../../tests/fairness/neighbours.ts";
import type { BenchRow } from "./row.ts";

const PROBES = 20;
/** Of what takes seconds by itself. */
const PROBES_OF_WORK = 6;

/** How late an environment's work begins while another floods with the same kind, next to the same without a flood. */
export async function benchFairness(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const kind of kinds) {
    // What one flood leaves behind is nothing for the next.
    await using all = await startNeighbours();
    const probes = kind.isWork === true ? PROBES_OF_WORK : PROBES;
    const { alone, flooded } = await measureKind(all, kind, probes);
    const failed = flooded.errors.length;
    rows.push({
      name: `start delay p95 in a flood of ${kind.name}`,
      value: flooded.p95Ms,
      unit: "ms",
      baseline: { name: "the same without a flood", value: alone.p95Ms },
      note: `p50 ${Math.round(flooded.p50Ms)} ms; ${failed} of ${probes} failed${failed > 0 ? `: ${flooded.errors[0]}` : ""}`,
    });
  }
  return rows;
}
