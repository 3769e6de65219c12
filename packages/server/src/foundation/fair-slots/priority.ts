/** To have waited so long counts like one slot fewer. */
export const AGEING_MS = 10_000;
/** The least that held slots count, however long somebody has waited: a waiter without a slot is never overtaken by one with slots. */
export const HELD_AT_LEAST = 0.5;

export interface Claimant {
  /** Slots that the environment holds. */
  readonly held: number;
  /** From 1 on: how many of its own go before, and itself. */
  readonly nth: number;
  readonly waitedMs: number;
}

/** Lowest first: environments alternate, those that hold few slots before those that hold many. */
export function priorityOf({ held, nth, waitedMs }: Claimant): number {
  return nth + Math.max(held - waitedMs / AGEING_MS, Math.min(held, HELD_AT_LEAST));
}

export interface Waiting {
  readonly owner: string;
  /** Of `performance.now()`. */
  readonly since: number;
}

/** All by priority; `waiting` is in the order of arrival. */
export function byPriority<Item extends Waiting>(
  waiting: readonly Item[],
  heldBy: (owner: string) => number,
  now: number,
): Item[] {
  const counts = new Map<string, number>();
  const ordered = waiting.map((item) => {
    const nth = (counts.get(item.owner) ?? 0) + 1;
    counts.set(item.owner, nth);
    return {
      item,
      priority: priorityOf({ held: heldBy(item.owner), nth, waitedMs: now - item.since }),
    };
  });
  // The sort is stable: among equals who came first.
  return ordered.toSorted((a, b) => a.priority - b.priority).map(({ item }) => item);
}
