import { LRUCache } from "lru-cache";

/** For entries of which no change may be missed, without a listening connection. */
const UNHEARD_MS = 500;
/** How long silence of the listening connection is taken for peace: a change must hold within a second. */
const HEARD_MS = 900;

interface Entry {
  readonly value: unknown;
  readonly rows: readonly string[];
  /** By `performance.now()`, before it was read. */
  readonly loadedAt: number;
}

/** What a server remembers of the database. Entries go when one of their rows changes. */
export class LookupStore {
  readonly #heardUntil: () => number;
  readonly #shelves = new Map<symbol, Shelf>();
  /** How many changes have been announced. */
  changes = 0;

  /** `heardUntil`: time up to which all announced changes have arrived. */
  constructor(heardUntil: () => number) {
    this.#heardUntil = heardUntil;
  }

  shelf(id: symbol, maxEntries: number): Shelf {
    let shelf = this.#shelves.get(id);
    if (shelf === undefined) {
      shelf = new Shelf(maxEntries, this.#heardUntil);
      this.#shelves.set(id, shelf);
    }
    return shelf;
  }

  /** Drops what was made from the row; all there is when changes may have been missed. */
  forget(row: string | undefined): void {
    this.changes += 1;
    for (const shelf of this.#shelves.values()) shelf.forget(row);
  }
}

/** The entries of one look-up. */
export class Shelf {
  readonly #heardUntil: () => number;
  readonly #entries: LRUCache<string, Entry>;
  readonly #namesByRow = new Map<string, Set<string>>();

  constructor(maxEntries: number, heardUntil: () => number) {
    this.#heardUntil = heardUntil;
    this.#entries = new LRUCache({
      max: maxEntries,
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
