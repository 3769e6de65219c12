import type { EnvironmentId } from "#platform";

/** Rows of one environment that are taken before the next one has its turn. */
const ROWS_PER_TURN = 50;
const CHARACTERS_PER_TURN = 128 * 1024;

export interface Entry<Item> {
  readonly environmentId: EnvironmentId;
  readonly item: Item;
  /** Characters, about. */
  readonly size: number;
  readonly number: number;
}

interface Lane<Item> {
  entries: Entry<Item>[];
  /** Entries before it have been taken. */
  head: number;
  size: number;
}

export interface BufferLimits {
  /** Of all environments, and of one. */
  readonly total: number;
  readonly each: number;
}

/**
 * Rows that wait, in a lane for each environment. A full lane drops its own rows; when all is full, the longest lane
 * makes room for those that have less than their share.
 */
export class FairBuffer<Item> {
  readonly #limits: BufferLimits;
  readonly #onDrop: (entry: Omit<Entry<Item>, "number">) => void;
  /** In the order of their turns. */
  readonly #lanes = new Map<EnvironmentId, Lane<Item>>();
  #size = 0;
  #pushed = 0;

  constructor(limits: BufferLimits, onDrop: (entry: Omit<Entry<Item>, "number">) => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.#size;
  }

  /** Entries that wait. */
  get count(): number {
    return [...this.#lanes.values()].reduce(
      (sum, lane) => sum + lane.entries.length - lane.head,
      0,
    );
  }

  /** The number of the last entry so far. */
  get pushed(): number {
    return this.#pushed;
  }

  push(entry: Omit<Entry<Item>, "number">): void {
    const { environmentId, item, size } = entry;
    const known = this.#lanes.get(environmentId);
    const lane = known ?? { entries: [], head: 0, size: 0 };
    const { total, each } = this.#limits;
    const wanted = lane.size + size;
    const isFull = this.#size + size > total;
    const share = total / (this.#lanes.size + 1);
    if (wanted > each || (isFull && (wanted > share || !this.#shorten(size)))) {
      this.#onDrop(entry);
      return;
    }
    this.#pushed += 1;
    // Field by field: a spread would take longer than all the rest.
    lane.entries.push({ environmentId, item, size, number: this.#pushed });
    this.#grow(lane, size);
    if (known === undefined) this.#lanes.set(environmentId, lane);
  }

  /** Up to so many rows and characters, in turns; at least one row where there is one. */
  take(rows: number, characters: number): Entry<Item>[] {
    const taken: Entry<Item>[] = [];
    let left = characters;
    while (taken.length < rows && left > 0) {
      const [next] = this.#lanes;
      if (next === undefined) break;
      const turn = this.#takeTurn(next[1], Math.min(rows - taken.length, ROWS_PER_TURN), left);
      this.#endTurn(...next);
      for (const entry of turn) left -= entry.size;
      taken.push(...turn);
    }
    return taken;
  }

  /** Takes back what could not be written; it comes first again. */
  putBack(entries: readonly Entry<Item>[]): void {
    for (const [environmentId, own] of Map.groupBy(entries, (entry) => entry.environmentId)) {
      const lane = this.#lanes.get(environmentId) ?? { entries: [], head: 0, size: 0 };
      lane.entries = [...own, ...lane.entries.slice(lane.head)];
      lane.head = 0;
      for (const { size } of own) this.#grow(lane, size);
      this.#lanes.set(environmentId, lane);
    }
  }

  /** Whether an entry up to this number waits, of one environment or of any. */
  hasUpTo(number: number, environmentId: EnvironmentId | undefined): boolean {
    const lanes =
      environmentId === undefined ? [...this.#lanes.values()] : [this.#lanes.get(environmentId)];
    return lanes.some((lane) => (lane?.entries[lane.head]?.number ?? Infinity) <= number);
  }

  #takeTurn(lane: Lane<Item>, rows: number, characters: number): Entry<Item>[] {
    const turn: Entry<Item>[] = [];
    let left = Math.min(characters, CHARACTERS_PER_TURN);
    while (turn.length < rows && left > 0) {
      const entry = lane.entries[lane.head];
      if (entry === undefined) break;
      lane.head += 1;
      left -= entry.size;
      this.#grow(lane, -entry.size);
      turn.push(entry);
    }
    return turn;
  }

  /** To the end of the row, or out of it when nothing is left. */
  #endTurn(environmentId: EnvironmentId, lane: Lane<Item>): void {
    this.#lanes.delete(environmentId);
    if (lane.head === lane.entries.length) return;
    if (lane.head > 1000 && lane.head * 2 > lane.entries.length) {
      lane.entries = lane.entries.slice(lane.head);
      lane.head = 0;
    }
    this.#lanes.set(environmentId, lane);
  }

  #grow(lane: Lane<Item>, size: number): void {
    lane.size += size;
    this.#size += size;
  }

  /** Drops the newest half of the longest lane; false when that makes no room. */
  #shorten(size: number): boolean {
    let longest: Lane<Item> | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.size > (longest?.size ?? 0)) longest = lane;
    }
    if (longest === undefined) return false;
    const waiting = longest.entries.length - longest.head;
    const dropped = longest.entries.splice(longest.head + Math.floor(waiting / 2));
    for (const entry of dropped) {
      this.#grow(longest, -entry.size);
      this.#onDrop(entry);
    }
    return this.#size + size <= this.#limits.total;
  }
}
