import type { EnvironmentContext } from "#foundation";
import type { Canary, CanaryFunction } from "./canary.ts";
import { flushCanaryCounts } from "./counts/count-canary-run.ts";
import {
  type CanaryCount,
  listCanaryCounts,
  type MeasureName,
  type SideName,
} from "./counts/store.ts";
import { toHistogram } from "./histogram.ts";
import { type Comparison, type Judgement, judge, type Side, type Verdict } from "./judge.ts";
import { listCanaryFunctions } from "./store.ts";

export interface ComparedFunction extends Judgement {
  readonly fn: CanaryFunction;
  readonly sides: Comparison;
}

export interface ComparedCanary {
  readonly functions: readonly ComparedFunction[];
  readonly verdict: Verdict;
  /** Of the new version. */
  readonly runs: number;
}

const order: readonly Verdict[] = ["worse", "unclear", "good"];

/** Both versions of each function, by the runs that were counted so far. */
export async function compareCanary(
  ctx: EnvironmentContext,
  { id, settings }: Canary,
): Promise<ComparedCanary> {
  await flushCanaryCounts(ctx);
  const counts = new Map<string, CanaryCount[]>();
  for (const count of await listCanaryCounts(ctx.db, [id])) {
    const key = keyOf(count.functionId, count.side);
    counts.set(key, [...(counts.get(key) ?? []), count]);
  }
  const functions = (await listCanaryFunctions(ctx.db, id)).map((fn) => {
    const sideOf = (side: SideName) => toSide(counts.get(keyOf(fn.functionId, side)) ?? []);
    const sides = {
      canary: sideOf("canary"),
      outside: sideOf("outside"),
      before: sideOf("before"),
      history: sideOf("history"),
    };
    return { fn, sides, ...judge(sides, settings.limits) };
  });
  const sorted = functions.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return {
    functions: sorted,
    verdict: sorted[0]?.verdict ?? "good",
    runs: functions.reduce((sum, { sides }) => sum + sides.canary.runs, 0),
  };
}

function keyOf(functionId: number | null, side: SideName): string {
  return `${functionId} ${side}`;
}

function toSide(counts: readonly CanaryCount[]): Side {
  const of = (measure: MeasureName) => counts.filter((count) => count.measure === measure);
  const outcomes = toHistogram(of("outcome")).buckets;
  const failures = outcomes.get(1) ?? 0;
  return {
    runs: (outcomes.get(0) ?? 0) + failures,
    failures,
    idle: outcomes.get(2) ?? 0,
    duration: toHistogram(of("duration")),
    added: toHistogram(of("added")),
    updated: toHistogram(of("updated")),
    deleted: toHistogram(of("deleted")),
  };
}
