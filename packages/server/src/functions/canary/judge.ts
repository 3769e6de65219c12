import type { CanaryLimits } from "@jackfield/contract";
import { countAbove, type Histogram, quantileOf } from "./histogram.ts";

/** How runs of one version ended. */
export interface Side {
  readonly runs: number;
  readonly failures: number;
  readonly duration: Histogram;
  readonly added: Histogram;
  readonly updated: Histogram;
  readonly deleted: Histogram;
  /** Successful runs of syncs that changed no record. */
  readonly idle: number;
}

/** The new version, and what is known of the old one; one of no runs says nothing. */
export interface Comparison {
  readonly canary: Side;
  readonly outside: Side;
  readonly before: Side;
  readonly history: Pick<Side, "runs" | "failures">;
}

export type Verdict = "good" | "unclear" | "worse";

export interface Judgement {
  readonly verdict: Verdict;
  readonly findings: readonly string[];
}

/** A canary is looked at again and again: one look must hardly ever be wrong. */
const WORSE = 0.001;
const UNCLEAR = 0.05;
/** Of the old version; fewer runs say nothing of how long they take or what they change. */
const ENOUGH = { median: 10, tail: 20 };
/** Few runs of the old version prove little, but not that it fails more often than this. */
const UNPROVEN_FAILURES = 0.2;
/** Differences below this are noise. */
const FLOOR = { duration: 100, records: 20 };

/** Whether the new version is worse than the old one by more than the limits allow, and not by chance. */
export function judge(comparison: Comparison, limits: CanaryLimits): Judgement {
  const durations = (share: 0.5 | 0.95) =>
    exceeds(comparison, "duration", { share, factor: limits.slowdown, floor: FLOOR.duration });
  const records = (measure: "added" | "updated" | "deleted") =>
    exceeds(comparison, measure, {
      ...{ share: 0.95, factor: limits[`${measure}_factor`], floor: FLOOR.records },
    });
  const found = [
    failsMore(comparison, limits),
    durations(0.5),
    durations(0.95),
    records("added"),
    records("updated"),
    records("deleted"),
    changesNothing(comparison),
  ].flatMap((finding) => finding ?? []);
  const worst = Math.min(1, ...found.map(({ chance }) => chance));
  return {
    verdict: worst < WORSE ? "worse" : worst < UNCLEAR ? "unclear" : "good",
    findings: found.filter(({ chance }) => chance < UNCLEAR).map(({ message }) => message),
  };
}

interface Finding {
  /** How likely it is where the new version is within the limit. */
  readonly chance: number;
  readonly message: string;
}

function failsMore(
  { canary, outside, before, history }: Comparison,
  { failure_increase: increase }: CanaryLimits,
): Finding | undefined {
  if (canary.failures === 0) return undefined;
  const known = [outside, before, history].filter(({ runs }) => runs > 0);
  const shares = known.map(({ runs, failures }) =>
    Math.min(upperShare(failures, runs), Math.max(failures / runs, UNPROVEN_FAILURES)),
  );
  const usual = shares.length === 0 ? UNPROVEN_FAILURES : Math.max(...shares);
  const allowed = Math.min(1, usual + increase);
  const old = known.map(({ runs, failures }) => `${failures} of ${runs}`).join(" and ");
  return {
    chance: chanceOf(canary.failures, canary.runs, allowed),
    message: `${canary.failures} of ${canary.runs} runs failed${old === "" ? "" : `; of the old version ${old}`}.`,
  };
}

type Measure = "duration" | "added" | "updated" | "deleted";
const words: Readonly<Record<Measure, string>> = {
  duration: "took longer than",
  added: "added more records than",
  updated: "updated more records than",
  deleted: "deleted more records than",
};

/** Runs beyond the limit that is set by a quantile of the old version, of which there may be as many as beyond the quantile itself. */
function exceeds(
  { canary, outside, before }: Comparison,
  measure: Measure,
  { share, factor, floor }: { share: 0.5 | 0.95; factor: number | null; floor: number },
): Finding | undefined {
  if (factor === null) return undefined;
  const enough = share === 0.5 ? ENOUGH.median : ENOUGH.tail;
  const own = canary[measure];
  const found = [outside[measure], before[measure]].flatMap((old) => {
    const usual = old.count < enough ? undefined : quantileOf(old, share);
    if (usual === undefined) return [];
    const limit = Math.max(usual * factor, usual + floor);
    const beyond = countAbove(own, limit);
    return [{ limit, beyond, chance: chanceOf(beyond, own.count, 1 - share) }];
  });
  // Connections differ: it has to be worse than others now, and than the same ones before.
  const least = found.toSorted((a, b) => b.chance - a.chance)[0];
  if (least === undefined || least.beyond === 0) return undefined;
  const limit = `${Math.round(least.limit)}${measure === "duration" ? " ms" : ""}`;
  const name = share === 0.5 ? "median" : "95th percentile";
  return {
    chance: least.chance,
    message: `${least.beyond} of ${own.count} runs ${words[measure]} ${limit}: ${factor} times the ${name} of the old version.`,
  };
}

/** A sync that suddenly finds nothing does not fail. */
function changesNothing({ canary, outside, before }: Comparison): Finding | undefined {
  const runs = canary.added.count;
  const known = [outside, before].filter(({ added }) => added.count >= ENOUGH.median);
  if (runs === 0 || canary.idle === 0 || known.length === 0) return undefined;
  const shares = known.map(({ idle, added }) => upperShare(idle, added.count));
  const usual = Math.max(...shares);
  const old = known.map(({ idle, added }) => `${idle} of ${added.count}`).join(" and ");
  return {
    chance: chanceOf(canary.idle, runs, usual),
    message: `${canary.idle} of ${runs} runs changed no record; of the old version ${old}.`,
  };
}

/** Probability of `found` or more among `runs`, where each is found with probability `share`. */
export function chanceOf(found: number, runs: number, share: number): number {
  if (found === 0) return 1;
  if (share >= 1) return 1;
  if (share <= 0) return 0;
  const [log, rest] = [Math.log(share), Math.log1p(-share)];
  let sum = 0;
  let choose = logChoose(runs, found);
  for (let k = found; k <= runs; k += 1) {
    const term = Math.exp(choose + k * log + (runs - k) * rest);
    sum += term;
    // Past its peak the tail shrinks faster than any sum of it matters.
    if (k > runs * share && term < sum * 1e-12) break;
    choose += Math.log(runs - k) - Math.log(k + 1);
  }
  return Math.min(1, sum);
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  const least = Math.min(k, n - k);
  for (let i = 1; i <= least; i += 1) sum += Math.log(n - least + i) - Math.log(i);
  return sum;
}

/** Upper end of Wilson's interval of 95 %: how large the true share may be. https://doi.org/10.1080/01621459.1927.10502953 */
function upperShare(found: number, runs: number): number {
  const z = 1.96;
  const share = found / runs;
  const spread = Math.sqrt((share * (1 - share)) / runs + z ** 2 / (4 * runs ** 2));
  return Math.min(1, (share + z ** 2 / (2 * runs) + z * spread) / (1 + z ** 2 / runs));
}
