import type { EnvironmentId } from "#foundation";

/** Rows of one environment that are taken before those of the next. */
const ROWS_PER_BATCH = 50;
const CHARACTERS_PER_BATCH = 128 * 1024;

export interface Entry<Item> {
  readonly environmentId: EnvironmentId;
  readonly item: Item;
  /** Characters, about. */
  readonly size: number;
  readonly number: number;
}

interface Queue<Item> {
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
 * Rows that wait, in a queue for each environment. A full queue drops its own rows; when all are full, the longest queue
 * makes room for those that have less than their share.
 */
export class FairBuffer<Item> {
  readonly #limits: BufferLimits;
  readonly #onDrop: (entry: Omit<Entry<Item>, "number">) => void;
  /** The next to be served first. */
  readonly #queues = new Map<EnvironmentId, Queue<Item>>();
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
    return [...this.#queues.values()].reduce(
      (sum, queue) => sum + queue.entries.length - queue.head,
      0,
    );
  }

  /** The number of the last entry so far. */
  get pushed(): number {
    return this.#pushed;
  }

  push(entry: Omit<Entry<Item>, "number">): void {
    const { environmentId, item, size } = entry;
    const known = this.#queues.get(environmentId);
    const queue = known ?? { entries: [], head: 0, size: 0 };
    const { total, each } = this.#limits;
    const wanted = queue.size + size;
    const isFull = this.#size + size > total;
    const share = total / (this.#queues.size + 1);
    if (wanted > each || (isFull && (wanted > share || !this.#shorten(size)))) {
      this.#onDrop(entry);
      return;
    }
    this.#pushed += 1;
    // Field by field: a spread would take longer than all the rest.
    queue.entries.push({ environmentId, item, size, number: this.#pushed });
    this.#grow(queue, size);
    if (known === undefined) this.#queues.set(environmentId, queue);
  }

  /**
   * Up to so many rows and characters, alternating between environments; at least one row where there is one. Those that
   * `isLeft` names keep theirs.
   */
  take(
    rows: number,
    characters: number,
    isLeft: (environmentId: EnvironmentId) => boolean = () => false,
  ): Entry<Item>[] {
    const taken: Entry<Item>[] = [];
    let left = characters;
    while (taken.length < rows && left > 0) {
      const next = this.#queues.entries().find(([id]) => !isLeft(id));
      if (next === undefined) break;
      const batch = this.#takeBatch(next[1], Math.min(rows - taken.length, ROWS_PER_BATCH), left);
      this.#endBatch(...next);
      for (const entry of batch) left -= entry.size;
      taken.push(...batch);
    }
    return taken;
  }

  /** Takes back what could not be written; it comes first again. */
  putBack(entries: readonly Entry<Item>[]): void {
    for (const [environmentId, own] of Map.groupBy(entries, (entry) => entry.environmentId)) {
      const queue = this.#queues.get(environmentId) ?? { entries: [], head: 0, size: 0 };
      queue.entries = [...own, ...queue.entries.slice(queue.head)];
      queue.head = 0;
      for (const { size } of own) this.#grow(queue, size);
      this.#queues.set(environmentId, queue);
    }
  }

  /** Whether an entry up to this number waits, of one environment or of any. */
  hasUpTo(number: number, environmentId: EnvironmentId | undefined): boolean {
    const queues =
      environmentId === undefined ? [...this.#queues.values()] : [this.#queues.get(environmentId)];
    return queues.some((queue) => (queue?.entries[queue.head]?.number ?? Infinity) <= number);
  }

  #takeBatch(queue: Queue<Item>, rows: number, characters: number): Entry<Item>[] {
    const batch: Entry<Item>[] = [];
    let left = Math.min(characters, CHARACTERS_PER_BATCH);
    while (batch.length < rows && left > 0) {
      const entry = queue.entries[queue.head];
      if (entry === undefined) break;
      queue.head += 1;
      left -= entry.size;
      this.#grow(queue, -entry.size);
      batch.push(entry);
    }
    return batch;
  }

  /** To the end of the row, or out of it when nothing is left. */
  #endBatch(environmentId: EnvironmentId, queue: Queue<Item>): void {
    this.#queues.delete(environmentId);
    if (queue.head === queue.entries.length) return;
    if (queue.head > 1000 && queue.head * 2 > queue.entries.length) {
      queue.entries = queue.entries.slice(queue.head);
      queue.head = 0;
    }
    this.#queues.set(environmentId, queue);
  }

  #grow(queue: Queue<Item>, size: number): void {
    queue.size += size;
    this.#size += size;
  }

  /** Drops the newest half of the longest queue; false when that makes no room. */
  #shorten(size: number): boolean {
    let longest: Queue<Item> | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.size > (longest?.size ?? 0)) longest = queue;
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
