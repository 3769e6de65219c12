/** To have waited so long counts like one place fewer. */
export const AGEING_MS = 10_000;
/** What is left of places that are held, however long somebody has waited: nobody passes the first of those with none. */
export const HELD_AT_LEAST = 0.5;

export interface Turn {
  /** Places that the environment holds. */
  readonly held: number;
  /** From 1 on: how many of its own go before, and itself. */
  readonly nth: number;
  readonly waitedMs: number;
}

/** Who goes first: the lowest. Environments go round, those with few places before those with many. */
export function turnOf({ held, nth, waitedMs }: Turn): number {
  return nth + Math.max(held - waitedMs / AGEING_MS, Math.min(held, HELD_AT_LEAST));
}

export interface Waiting {
  readonly owner: string;
  /** Of `performance.now()`. */
  readonly since: number;
}

/** All in the order of their turns; `waiting` is in the order of arrival. */
export function inTurn<Item extends Waiting>(
  waiting: readonly Item[],
  heldBy: (owner: string) => number,
  now: number,
): Item[] {
  const counts = new Map<string, number>();
  const turns = waiting.map((item) => {
    const nth = (counts.get(item.owner) ?? 0) + 1;
    counts.set(item.owner, nth);
    return { item, turn: turnOf({ held: heldBy(item.owner), nth, waitedMs: now - item.since }) };
  });
  // The sort is stable: among equals who came first.
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ item }) => item);
}
