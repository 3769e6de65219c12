import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { readReplica } from "#foundation/db";
import { openCursors } from "../reading/cursor.ts";
import { type ListedRecord, listRecords } from "../reading/list-records.ts";
import type { FeedPosition } from "./feed-cursor.ts";
import { listFeedEntries, type NamedEntry } from "./store.ts";

/**
 * What a slow reader holds in memory: the records of one step. A step costs a few round trips to the database however many
 * they are, which is most of the time of a first read.
 */
const STEP_RECORDS = 1000;
const STEP_BYTES = 512 * 1024;
const ENTRIES_AT_ONCE = 500;

export interface FeedFilter {
  /** As they are stored, or without a variant for all variants; undefined: all. */
  readonly models: readonly string[] | undefined;
  readonly integrationKeys: readonly string[] | undefined;
  readonly connection: ConnectionUuid | undefined;
}

/** What comes next in a feed; `at` is where a reader that has it continues. */
export type FeedStep =
  | {
      readonly kind: "records";
      readonly entry: NamedEntry;
      readonly records: readonly ListedRecord[];
      readonly at: FeedPosition;
    }
  | { readonly kind: "removed"; readonly entry: NamedEntry; readonly at: FeedPosition };

/** Where a reader continues that has the records of an entry up to an order number. */
export function positionWithin({ position }: NamedEntry, sequence: number): FeedPosition {
  return { position: position - 1, sequence };
}

/** A reader of an environment's feed, from a position on. It holds nothing of the database between two steps. */
export class FeedReader {
  readonly #ctx: EnvironmentContext;
  readonly #filter: FeedFilter;
  #at: FeedPosition;

  constructor(ctx: EnvironmentContext, { at, filter }: { at: FeedPosition; filter: FeedFilter }) {
    this.#ctx = ctx;
    this.#at = at;
    this.#filter = filter;
  }

  /** Where a reader that has all steps so far continues. */
  get at(): FeedPosition {
    return this.#at;
  }

  /** Everything that is noted after the position, up to `until`; then it ends, and may be called again. */
  async *steps(until: number): AsyncGenerator<FeedStep, undefined, void> {
    const { environment } = this.#ctx;
    while (this.#at.position < until) {
      const page = { after: this.#at.position, limit: ENTRIES_AT_ONCE };
      const entries = await readReplica(
        this.#ctx,
        async (db) => await listFeedEntries(db, environment.id, page),
      );
      // Entries before the end may have been joined into later ones.
      if (entries.length === 0) this.#at = { position: until, sequence: 0 };
      for (const entry of entries) {
        if (entry.position > until) return;
        if (this.#isWanted(entry)) yield* this.#readEntry(entry);
        this.#at = { position: entry.position, sequence: 0 };
      }
    }
  }

  #isWanted({ connection, integrationKey, model, until, isDeleted }: NamedEntry): boolean {
    const { models, ...wanted } = this.#filter;
    // The records of a deleted connection are about to be removed, which an entry then says.
    if (isDeleted && until !== null) return false;
    if (wanted.connection !== undefined && wanted.connection !== connection) return false;
    const { integrationKeys } = wanted;
    // Of a connection that is gone for good nobody knows whose it was: who has its records has to drop them.
    if (integrationKey !== null && integrationKeys?.includes(integrationKey) === false)
      return false;
    const [base = model] = model.split("::");
    return models === undefined || models.includes(model) || models.includes(base);
  }

  async *#readEntry(entry: NamedEntry): AsyncGenerator<FeedStep, undefined, void> {
    const { position } = entry;
    if (entry.until === null || entry.after === null) {
      this.#at = { position, sequence: 0 };
      yield { kind: "removed", entry, at: this.#at };
      return;
    }
    const begun = this.#at.position === position - 1 ? this.#at.sequence : 0;
    let after = Math.max(entry.after, begun);
    // Not further, though more may be noted by now: a cursor would not say so, and the rest would come twice.
    while (after < entry.until) {
      const { records, isLast } = await this.#readRecords(entry, { after, until: entry.until });
      const last = records.at(-1)?.row.sequence;
      if (last === undefined) break;
      after = last;
      this.#at = positionWithin(entry, after);
      yield { kind: "records", entry, records, at: this.#at };
      if (isLast) break;
    }
  }

  async #readRecords(
    { connection, model }: NamedEntry,
    { after, until }: { after: number; until: number },
  ): Promise<{ records: readonly ListedRecord[]; isLast: boolean }> {
    const [cursor] = (await openCursors(this.#ctx, { connection, model })).write([after]);
    const all = { modifiedAfter: undefined, filter: undefined, ids: undefined };
    const bounds = { before: until + 1, limit: STEP_RECORDS, maxBytes: STEP_BYTES };
    const listing = { connection, model, cursor, ...all, ...bounds };
    for await (const { records, nextCursor } of listRecords(this.#ctx, listing)) {
      return { records, isLast: nextCursor === undefined };
    }
    return { records: [], isLast: true };
  }
}
