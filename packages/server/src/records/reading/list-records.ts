import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { isPreparedSchema, readReplica } from "#foundation/db";
import { scanJson } from "#foundation/json";
import { openMany } from "#vault";
import { payloadAad } from "../model.ts";
import { findModel } from "../models/known-model.ts";
import type { KnownModel } from "../store.ts";
import { type Cursors, openCursors } from "./cursor.ts";
import {
  findModifiedAfter,
  listRecordRows,
  type PagePart,
  type RecordFilter,
  type RecordRow,
  type RowSelection,
} from "./store.ts";

/** Held at once: a chunk of records travels on while the next is read. */
const CHUNK_RECORDS = 1000;
const CHUNK_BYTES = 2 * 1024 * 1024;

/** More than records may have now: what was stored before the limit can be read. */
const MAX_DEPTH = 4096;

/** Opened together, in a thread where there is one: enough to be worth the way there. */
const PART_RECORDS = 200;

export interface RecordListing {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
  /** Default `asc`: in the order of changes; `desc` begins with the last change. */
  readonly order?: "asc" | "desc" | undefined;
  readonly cursor: string | undefined;
  /** With `asc`, order number behind the last record; default: none. */
  readonly before?: number;
  readonly modifiedAfter: string | undefined;
  readonly filter: RecordFilter | undefined;
  readonly ids: readonly string[] | undefined;
  /** The records as they were at that time. */
  readonly asOf?: string | undefined;
  /** Undefined for all that there are. */
  readonly limit: number | undefined;
  /** Stored bytes of all records, however large each is; the last one may pass it. */
  readonly maxBytes: number | undefined;
  /** Called when nothing was ever saved of the model; throws when the model does not exist. */
  readonly requireModel?: () => Promise<void>;
}

export interface ListedRecord {
  readonly row: RecordRow;
  /** The record as JSON; undefined when its payload was pruned, or is damaged. */
  readonly line: Buffer | undefined;
  /** Whether what is stored cannot be opened, or is no JSON object, which an older release did not refuse. */
  readonly isDamaged: boolean;
  readonly cursor: string;
}

export interface RecordChunk {
  readonly records: readonly ListedRecord[];
  /** Where the listing continues after this chunk; undefined when nothing follows. */
  readonly nextCursor: string | undefined;
  readonly isLast: boolean;
}

/**
 * Records in the order in which they last changed, chunk by chunk, so that memory stays flat however many and
 * large they are. There is at least one chunk. A record that changes meanwhile moves to the end and may come twice.
 */
export async function* listRecords(
  ctx: EnvironmentContext,
  listing: RecordListing,
): AsyncGenerator<RecordChunk, undefined, void> {
  const cursors = await openCursors(ctx, listing);
  const { order = "asc" } = listing;
  const known = listing.cursor === undefined ? undefined : cursors.read(listing.cursor);
  let before = order === "desc" ? known : listing.before;
  let after = await skipOlder(ctx, listing, order === "asc" ? (known ?? 0) : 0);
  let limit = listing.limit ?? Number.POSITIVE_INFINITY;
  let maxBytes = listing.maxBytes ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const range = { ...listing, order, after, before, limit, maxBytes };
    const { parts, hasMore } = await readReplica(
      ctx,
      async (db) => await readChunk({ ...ctx, db }, range, cursors),
    );
    const records = (await Promise.all(parts)).flat();
    const last = records.at(-1)?.row.sequence;
    if (order === "asc") after = last ?? after;
    else before = last ?? before;
    limit -= records.length;
    maxBytes -= records.reduce((bytes, { row }) => bytes + storedBytes(row), 0);
    const isLast = !hasMore || limit <= 0 || maxBytes <= 0;
    yield { records, nextCursor: hasMore ? records.at(-1)?.cursor : undefined, isLast };
    if (isLast) return;
  }
}

type WantedChunk = Omit<RecordListing, "order" | "before" | "limit" | "maxBytes"> &
  Pick<RowSelection, "order" | "after" | "before"> & { limit: number; maxBytes: number };

/** The next rows, which are opened while Postgres still sends the rest. */
async function readChunk(
  ctx: EnvironmentContext,
  wanted: WantedChunk,
  cursors: Cursors,
): Promise<{ parts: Promise<ListedRecord[]>[]; hasMore: boolean }> {
  const model = await findModel(ctx, wanted);
  if (model === undefined) await wanted.requireModel?.();
  const parts: Promise<ListedRecord[]>[] = [];
  let rows: RecordRow[] = [];
  let hasMore = false;
  const openPart = (): void => {
    const part = openRows(ctx, { listing: wanted, rows, cursors });
    // Waited for by the caller, also when reading fails before.
    part.catch(() => {});
    parts.push(part);
    rows = [];
  };
  for await (const arrived of readRows(ctx, model, wanted)) {
    rows.push(...arrived.rows);
    hasMore = arrived.hasMore;
    if (rows.length >= PART_RECORDS) openPart();
  }
  openPart();
  return { parts, hasMore };
}

/** Where to begin, for what was modified before need not be read. */
async function skipOlder(
  ctx: EnvironmentContext,
  { modifiedAfter, ids, asOf, ...key }: RecordListing,
  after: number,
): Promise<number> {
  // Of a moment, records may have moved on, by which the search would be led.
  if (modifiedAfter === undefined || ids !== undefined || asOf !== undefined) return after;
  return await readReplica(ctx, async (db) => {
    const model = await findModel({ ...ctx, db }, key);
    if (model === undefined) return after;
    const range = { after, until: model.sequence, modifiedAfter };
    return await findModifiedAfter(db, model.id, range);
  });
}

async function* readRows(
  ctx: EnvironmentContext,
  model: KnownModel | undefined,
  wanted: WantedChunk,
): AsyncGenerator<PagePart, undefined, void> {
  if (model === undefined) return;
  const limit = Math.min(wanted.limit, CHUNK_RECORDS);
  const maxBytes = Math.min(wanted.maxBytes, CHUNK_BYTES);
  const mayExceed = (limit + 1) * model.maxBytes > maxBytes;
  // Citus takes no setting in one message with a query.
  const isApart = await isPreparedSchema(ctx);
  yield* listRecordRows(ctx.db, model.id, { ...wanted, limit, maxBytes, mayExceed, isApart });
}

function storedBytes({ payload, document }: RecordRow): number {
  return payload?.byteLength ?? document?.byteLength ?? 0;
}

async function openRows(
  ctx: EnvironmentContext,
  {
    listing,
    rows,
    cursors,
  }: {
    listing: Pick<RecordListing, "connection" | "model">;
    rows: readonly RecordRow[];
    cursors: Cursors;
  },
): Promise<ListedRecord[]> {
  const environmentId = ctx.environment.id;
  const aad = { environmentId, ...payloadAad(listing.connection, listing.model) };
  const sealed = rows.flatMap(({ id, payload }) =>
    payload === null ? [] : [{ rest: id, sealed: payload }],
  );
  const lines = (await openMany(ctx, aad, sealed)).values();
  const texts = cursors.write(rows.map(({ sequence }) => sequence));
  return rows.map((row, index) => {
    const cursor = texts[index] ?? "";
    // What Postgres holds as jsonb is JSON.
    if (row.payload === null) {
      return { row, line: row.document ?? undefined, isDamaged: false, cursor };
    }
    const line = lines.next().value;
    const isDamaged = line === undefined || !isObject(line);
    return { row, line: isDamaged ? undefined : line, isDamaged, cursor };
  });
}

function isObject(line: Uint8Array): boolean {
  return scanJson(line, { maxDepth: MAX_DEPTH })?.isObject === true && line.byteLength > 2;
}
