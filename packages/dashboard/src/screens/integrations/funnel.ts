import type { ConnectFunnel } from "../../data/integrations.ts";

/** Steps of connecting, in their order. */
const steps = ["sessions", "opened", "chosen", "started", "completed"] as const;

type FunnelStep = (typeof steps)[number];

interface FunnelRow {
  readonly step: FunnelStep;
  /** Sessions that reached it. */
  readonly reached: number;
  /** Of the step before, those that did not; 0 for the first. */
  readonly lost: number;
  /** The same as a part of 1. */
  readonly lostShare: number;
}

/** How many sessions reached each step, and how many left before it. */
export function toFunnel(counts: Pick<ConnectFunnel, FunnelStep>): readonly FunnelRow[] {
  return steps.map((step, place) => {
    const reached = counts[step];
    const earlier = steps[place - 1];
    const before = earlier === undefined ? reached : counts[earlier];
    const lost = Math.max(0, before - reached);
    return { step, reached, lost, lostShare: before === 0 ? 0 : lost / before };
  });
}
