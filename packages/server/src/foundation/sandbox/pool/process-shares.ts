import { ceilingOf } from "../../fair-slots/index.ts";
import type { FunctionChild } from "../child/function-child.ts";
import type { PendingRun } from "../child/pending-run.ts";

/** Processes for each further depth of nested runs, as a share of those for the first. */
const NESTED_SHARE = 0.25;
/** One for each of two environments. */
const NESTED_AT_LEAST = 2;

/** What keeps a run from one more process: its kind has all it may have, or its environment has. */
export type Bar = "kind" | "environment";

/** How many processes each depth, each environment and long runs may have. */
export class ProcessShares {
  readonly maxChildren: number;
  readonly #share: number;

  constructor({ maxChildren, share }: { maxChildren: number; share: number }) {
    this.maxChildren = maxChildren;
    this.#share = share;
  }

  // Runs of one depth wait for deeper ones only: with a share for each depth nobody waits in a circle.
  slotsAt(depth: number): number {
    if (depth === 0) return this.maxChildren;
    const nested = Math.max(NESTED_AT_LEAST, Math.ceil(this.maxChildren * NESTED_SHARE));
    return Math.min(nested, this.maxChildren);
  }

  ceilingAt(depth: number): number {
    return ceilingOf(this.slotsAt(depth), this.#share);
  }

  /** Why the run may not have a process of its own, even if one is free. */
  barOf(
    { depth, exclusive, environmentId }: PendingRun,
    busy: readonly FunctionChild[],
  ): Bar | undefined {
    const own = busy.filter(
      (child) => child.depth === depth && child.environmentId === environmentId,
    );
    const ceiling = this.ceilingAt(depth);
    if (own.length >= ceiling) return "environment";
    if (depth > 0 || !exclusive) return undefined;
    // Long runs leave one process to short ones, of all and of those that the environment may have.
    const isLong = (child: FunctionChild) => child.hasExclusiveRun;
    const isFull = busy.filter(isLong).length >= Math.max(1, this.maxChildren - 1);
    return isFull || own.filter(isLong).length >= Math.max(1, ceiling - 1) ? "kind" : undefined;
  }
}
