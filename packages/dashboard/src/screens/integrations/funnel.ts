import type { StageCount } from "../../data/integrations.ts";

/** Stages of connecting, in their order; those after it, such as a token refresh, are not part of it. */
const connecting = [
  "authorization",
  "callback",
  "token",
  "after_connect",
  "verification",
] as const satisfies readonly StageCount["stage"][];

export type FunnelStage = (typeof connecting)[number];

export interface FunnelStep {
  readonly stage: FunnelStage;
  readonly reached: number;
  readonly succeeded: number;
  readonly failed: number;
  /** End users who were sent to the provider and did not come back; 0 for other stages. */
  readonly lost: number;
}

/** How far end users came, over all days; without stages that nobody reached. */
export function toFunnel(counts: readonly StageCount[]): readonly FunnelStep[] {
  const sumOf = (stage: FunnelStage, outcome: "succeeded" | "failed") =>
    counts.reduce((sum, count) => (count.stage === stage ? sum + count[outcome] : sum), 0);
  return connecting
    .map((stage) => {
      const [succeeded, failed] = [sumOf(stage, "succeeded"), sumOf(stage, "failed")];
      const reached = succeeded + failed;
      // Other stages are not one after the other for every provider: some need no redirect.
      const isReturn = stage === "callback";
      const sent = isReturn ? sumOf("authorization", "succeeded") : 0;
      return { stage, reached, succeeded, failed, lost: Math.max(0, sent - reached) };
    })
    .filter(({ reached, lost }) => reached > 0 || lost > 0);
}

export interface Loss {
  readonly stage: FunnelStage;
  readonly kind: "failed" | "lost";
  readonly count: number;
}

/** Where most attempts end; undefined when none does. */
export function findLargestLoss(steps: readonly FunnelStep[]): Loss | undefined {
  return steps
    .flatMap(({ stage, failed, lost }): Loss[] => [
      { stage, kind: "failed", count: failed },
      { stage, kind: "lost", count: lost },
    ])
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)[0];
}
