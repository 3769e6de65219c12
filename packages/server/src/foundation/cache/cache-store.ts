import { LRUCache } from "lru-cache";

/** How much a cache may hold. */
export interface Bounds {
  readonly maxEntries: number;
  /** For entries that differ much in size; one that is heavier by itself is not cached. */
  readonly maxWeight?: number;
}

/** For entries of which no change may be missed, without a listening connection. */
const UNHEARD_MS = 500;
/** How long silence of the listening connection is taken for peace: a change must hold within a second. */
const HEARD_MS = 900;

interface Entry {
  readonly value: unknown;
  readonly rows: readonly string[];
  readonly weight?: number;
  /** By `performance.now()`, before it was read. */
  readonly loadedAt: number;
}

/** The caches of one server. An entry is dropped when one of its rows changes. */
export class CacheStore {
  readonly #heardUntil: () => number;
  readonly #caches = new Map<symbol, CacheEntries>();
  /** How many changes have been announced. */
  changes = 0;

  /** `heardUntil`: time up to which all announced changes have arrived. */
  constructor(heardUntil: () => number) {
    this.#heardUntil = heardUntil;
  }

  entriesOf(id: symbol, bounds: Bounds): CacheEntries {
    let entries = this.#caches.get(id);
    if (entries === undefined) {
      entries = new CacheEntries(bounds, this.#heardUntil);
      this.#caches.set(id, entries);
    }
    return entries;
  }

  /** Drops what was made from the row; all there is when changes may have been missed. */
  forget(row: string | undefined): void {
    this.changes += 1;
    for (const entries of this.#caches.values()) entries.forget(row);
  }
}

/** The entries of one cache. */
export class CacheEntries {
  readonly #heardUntil: () => number;
  readonly #entries: LRUCache<string, Entry>;
  readonly #namesByRow = new Map<string, Set<string>>();

  constructor({ maxEntries, maxWeight }: Bounds, heardUntil: () => number) {
    this.#heardUntil = heardUntil;
    const byWeight = {
      maxSize: maxWeight ?? 0,
      sizeCalculation: ({ weight = 1 }: Entry) => Math.max(1, weight),
    };
    this.#entries = new LRUCache({
      max: maxEntries,
      ...(maxWeight === undefined ? {} : byWeight),
      dispose: (entry, name) => this.#forgetRows(name, entry),
    });
  }

  get(name: string): Entry | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const now = performance.now();
    if (now <= this.#heardUntil() + HEARD_MS || now <= entry.loadedAt + UNHEARD_MS) return entry;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    if (!this.#entries.has(name)) return;
    for (const row of entry.rows) {
      const names = this.#namesByRow.get(row) ?? new Set();
      this.#namesByRow.set(row, names.add(name));
    }
  }

  forget(row: string | undefined): void {
    if (row === undefined) this.#entries.clear();
    else for (const name of [...(this.#namesByRow.get(row) ?? [])]) this.#entries.delete(name);
  }

  #forgetRows(name: string, entry: Entry): void {
    for (const row of entry.rows) {
      const names = this.#namesByRow.get(row);
      names?.delete(name);
      if (names?.size === 0) this.#namesByRow.delete(row);
    }
  }
}
