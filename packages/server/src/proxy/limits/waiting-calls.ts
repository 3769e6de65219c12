/** Who is served first: people who wait for an answer, then actions and agents, then syncs. */
export const ranks = ["person", "action", "sync"] as const;
export type Rank = (typeof ranks)[number];

interface WaitingCall {
  readonly rank: Rank;
  /** Whose share of the quota it uses: calls of different owners take turns. */
  readonly share: string;
  /** When it began to wait, in milliseconds since 1970. */
  readonly since: number;
  readonly go: () => void;
}

// Syncs progress too, however many people ask.
const LAST_RANK_FIRST = 10;

/** How many calls of each rank wait, and since when the oldest of them does. */
export type WaitingState = Readonly<
  Record<Rank, { readonly calls: number; readonly since: number | undefined }>
>;

/** Calls that wait for one quota, in the order in which they are sent. */
export class WaitingCalls {
  readonly #byRank: Readonly<Record<Rank, Map<string, WaitingCall[]>>> = {
    person: new Map(),
    action: new Map(),
    sync: new Map(),
  };
  readonly #counts: Record<Rank, number> = { person: 0, action: 0, sync: 0 };
  #served = 0;

  get size(): number {
    return ranks.reduce((sum, rank) => sum + this.#counts[rank], 0);
  }

  /** Calls that are served before a new one of the rank. */
  countAhead(rank: Rank): number {
    return ranks
      .slice(0, ranks.indexOf(rank) + 1)
      .reduce((sum, each) => sum + this.#counts[each], 0);
  }

  describe(): WaitingState {
    const of = (rank: Rank) => {
      const firsts = [...this.#byRank[rank].values()].flatMap(([first]) => first?.since ?? []);
      const since = firsts.length === 0 ? undefined : firsts.reduce((a, b) => Math.min(a, b));
      return { calls: this.#counts[rank], since };
    };
    return { person: of("person"), action: of("action"), sync: of("sync") };
  }

  /** Calls that wait by whose share they use. */
  countByShare(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const rank of ranks) {
      for (const [share, { length }] of this.#byRank[rank]) {
        counts.set(share, (counts.get(share) ?? 0) + length);
      }
    }
    return counts;
  }

  add(call: WaitingCall): void {
    const shares = this.#byRank[call.rank];
    const waiting = shares.get(call.share);
    if (waiting === undefined) shares.set(call.share, [call]);
    else waiting.push(call);
    this.#counts[call.rank] += 1;
  }

  remove(call: WaitingCall): void {
    const shares = this.#byRank[call.rank];
    const waiting = shares.get(call.share) ?? [];
    const index = waiting.indexOf(call);
    if (index < 0) return;
    waiting.splice(index, 1);
    if (waiting.length === 0) shares.delete(call.share);
    this.#counts[call.rank] -= 1;
  }

  /** The call that is sent next, which no longer waits. */
  take(): WaitingCall | undefined {
    this.#served += 1;
    const order = this.#served % LAST_RANK_FIRST === 0 ? ranks.toReversed() : ranks;
    for (const rank of order) {
      const shares = this.#byRank[rank];
      const [first] = shares;
      if (first === undefined) continue;
      const [share, waiting] = first;
      const call = waiting.shift();
      // Its owner's next call is behind those of all other owners.
      shares.delete(share);
      if (waiting.length > 0) shares.set(share, waiting);
      this.#counts[rank] -= 1;
      if (call !== undefined) return call;
    }
    return undefined;
  }
}
