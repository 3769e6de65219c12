import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { BenchRow } from "../meters/row.ts";
import { readCounts } from "./table-facts.ts";

/** Two looks of what looks each minute. */
const RESTED_MS = 120_000;
const NAMED = 3;

/** What the database reads while nobody asks for anything: loops that look for due work, sweeps, gauges. */
export async function measureRest(client: pg.Client): Promise<BenchRow[]> {
  const before = await readCounts(client);
  await sleep(RESTED_MS);
  const after = await readCounts(client);
  const reads = [...after]
    .map(([table, count]) => ({ table, perSecond: perSecond(count - (before.get(table) ?? 0)) }))
    .toSorted((a, b) => b.perSecond - a.perSecond);
  const most = reads.slice(0, NAMED).map(({ table, perSecond }) => `${table} ${format(perSecond)}`);
  return [
    {
      name: "scale: rows read at rest",
      value: reads.reduce((sum, each) => sum + each.perSecond, 0),
      unit: "rows/s",
      note: `most of them of ${most.join(", ")}`,
    },
  ];
}

const perSecond = (count: number) => (count * 1000) / RESTED_MS;
const format = (value: number) => value.toFixed(value < 10 ? 1 : 0);
