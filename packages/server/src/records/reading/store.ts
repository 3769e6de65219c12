import { sql } from "kysely";
import { copyRows, type Db, IN_INDEX_ORDER, inIndexOrder, literal, runHot } from "#foundation/db";
import { type ModelId, plannedStatement, recordById } from "../store.ts";

/** Kinds of last change to list; undefined lists all. */
export type RecordFilter = ReadonlySet<"added" | "updated" | "deleted">;

/** A record as it is stored; times are microseconds since 2000, as Postgres counts. */
export interface RecordRow {
  readonly id: string;
  readonly sequence: number;
  readonly firstSeen: number;
  readonly lastModified: number;
  readonly deleted: number | null;
  readonly pruned: number | null;
  /** Sealed. */
  readonly payload: Buffer | null;
  /** JSON text, where records are stored for SQL. */
  readonly document: Buffer | null;
}

export interface RowSelection {
  readonly order: "asc" | "desc";
  /** Order number before the first record. */
  readonly after: number;
  /** Order number behind the last record; undefined where nothing bounds it. */
  readonly before: number | undefined;
  readonly modifiedAfter: string | undefined;
  readonly filter: RecordFilter | undefined;
  readonly ids: readonly string[] | undefined;
  /** The records as they were at that time; undefined: as they are. */
  readonly asOf?: string | undefined;
}

export interface PageLimits {
  readonly limit: number;
  /** Of stored payloads; the record that passes it still belongs to the page. */
  readonly maxBytes: number;
  /** Whether so many records can be larger than that: then they are measured first. */
  readonly mayExceed: boolean;
}

const COLUMNS =
  "record_id, sequence, first_seen_at, last_modified_at, deleted_at, pruned_at, payload, document";

/** Records of a page that have arrived. */
export interface PagePart {
  readonly rows: readonly RecordRow[];
  /** In the last part, whether another page follows. */
  readonly hasMore: boolean;
}

const findStart = plannedStatement(
  `with recursive search (low, high) as (
     select $2::bigint, $3::bigint
     union all
     select case when next.is_before then next.sequence else low end,
            case when next.is_before then high else (low + high) / 2 end
       from search
       left join lateral (
         select sequence, last_modified_at < $4::timestamptz as is_before from records
          where model_id = $1 and sequence > 0 and sequence > (low + high) / 2 and sequence <= high
          order by sequence limit 1) next on true
      where low < high)
   select max(low) as start from search`,
);

/**
 * Order number before the first record that was modified at a time or later, within a range. Times never go back along
 * the order: so it is found by halving, and what is older is not read.
 */
export async function findModifiedAfter(
  db: Db,
  model: ModelId,
  { after, until, modifiedAfter }: { after: number; until: number; modifiedAfter: string },
): Promise<number> {
  const search = findStart([model, after, until, modifiedAfter]);
  const [row] = await inIndexOrder(db, async (db) => await runHot<{ start: number }>(db, search));
  return row?.start ?? after;
}

/** A page of records in their order, part by part as they arrive. */
export async function* listRecordRows(
  db: Db,
  model: ModelId,
  selection: RowSelection & PageLimits & { readonly isApart: boolean },
): AsyncGenerator<PagePart, undefined, void> {
  const { limit, mayExceed, ids, order, isApart } = selection;
  const matching = matchingRows(model, selection);
  const measured = mayExceed ? await measurePage(db, matching, selection) : undefined;
  // One row more than the page tells whether another page follows.
  const bounds =
    measured === undefined
      ? `order by sequence ${order} limit ${limit + 1}`
      : `and sequence between ${measured.first} and ${measured.last} order by sequence ${order}`;
  let count = 0;
  const query = `select ${COLUMNS} ${matching} ${bounds}`;
  // Named records are few, and have to be sorted.
  const settings = ids === undefined ? IN_INDEX_ORDER : "";
  for await (const tuples of copyRows(db, query, { settings, isApart })) {
    const rows = tuples.slice(0, limit - count).map(readRow);
    count += tuples.length;
    yield { rows, hasMore: measured?.hasMore ?? count > limit };
  }
}

/** Sizes are known without reading large payloads, so that what passes the limit never leaves the database. */
async function measurePage(
  db: Db,
  matching: string,
  { limit, maxBytes, order }: PageLimits & Pick<RowSelection, "order">,
): Promise<{ first: number; last: number; hasMore: boolean }> {
  const measuring = sql.raw<{ first: number | null; last: number | null; hasMore: boolean }>(
    `select min(sequence) filter (where fits) as first, max(sequence) filter (where fits) as last, coalesce(bool_or(not fits), false) as "hasMore"
         from (select sequence, row_number() over page <= ${limit}
                        and sum(size) over page - size < ${maxBytes} as fits
                 from (select sequence, coalesce(octet_length(payload), pg_column_size(document), 0) as size
                         ${matching} order by sequence ${order} limit ${limit + 1}) sized
               window page as (order by sequence ${order} rows unbounded preceding)) measured`,
  );
  const { rows } = await inIndexOrder(
    db,
    async (db) => await measuring.execute(db.withoutPlugins()),
  );
  const [page] = rows;
  return { first: page?.first ?? 0, last: page?.last ?? 0, hasMore: page?.hasMore ?? false };
}

const conditionOf = {
  added: "deleted_at is null and first_seen_at = last_modified_at",
  updated: "deleted_at is null and first_seen_at <> last_modified_at",
  deleted: "deleted_at is not null",
};

function matchingRows(model: ModelId, selection: RowSelection): string {
  const { after, before, filter, modifiedAfter, ids, asOf } = selection;
  const kinds = [...(filter ?? [])].map((kind) => `(${conditionOf[kind]})`);
  const named = ids?.map(literal).join(", ");
  const source =
    asOf !== undefined
      ? versionsAt(model, asOf)
      : named === undefined
        ? "records"
        : `(select r.* from (select distinct unnest(array[${named}]::text[]) as id) u
            join ${recordById(`${model}`, "u.id")} on true) named`;
  const conditions = [
    `model_id = ${model}`,
    `sequence > 0 and sequence > ${after}`,
    ...(asOf === undefined || named === undefined
      ? []
      : [`record_id = any(array[${named}]::text[])`]),
    ...(before === undefined ? [] : [`sequence < ${before}`]),
    ...(kinds.length === 0 ? [] : [`(${kinds.join(" or ")})`]),
    ...(modifiedAfter === undefined
      ? []
      : [`last_modified_at >= ${literal(modifiedAfter)}::timestamptz`]),
  ];
  return `from ${source} where ${conditions.join(" and ")}`;
}

/** One version of each record that there was: what has not changed since, and what was replaced later. */
function versionsAt(model: ModelId, asOf: string): string {
  const known = `model_id = ${model} and last_modified_at <= ${literal(asOf)}::timestamptz`;
  return `(select model_id, ${COLUMNS} from records where ${known}
            union all
           select model_id, ${COLUMNS} from record_versions
            where ${known} and replaced_at > ${literal(asOf)}::timestamptz) versions`;
}

/** The binary form of `COLUMNS`; see `copyRows`. */
function readRow(tuple: Buffer): RecordRow {
  const fields = new FieldReader(tuple);
  return {
    id: fields.text(),
    sequence: fields.number(),
    firstSeen: fields.number(),
    lastModified: fields.number(),
    deleted: fields.numberOrNull(),
    pruned: fields.numberOrNull(),
    payload: fields.bytesOrNull(),
    // jsonb is sent as a version byte and its text.
    document: fields.bytesOrNull()?.subarray(1) ?? null,
  };
}

const FIELD_COUNT_BYTES = 2;
const TWO_TO_32 = 0x1_0000_0000;

class FieldReader {
  readonly #tuple: Buffer;
  #at = FIELD_COUNT_BYTES;

  constructor(tuple: Buffer) {
    this.#tuple = tuple;
  }

  bytesOrNull(): Buffer | null {
    const size = this.#tuple.readInt32BE(this.#at);
    const start = this.#at + 4;
    this.#at = start + Math.max(size, 0);
    return size === -1 ? null : this.#tuple.subarray(start, this.#at);
  }

  text(): string {
    const size = this.#tuple.readInt32BE(this.#at);
    const start = this.#at + 4;
    this.#at = start + size;
    return this.#tuple.toString("utf8", start, this.#at);
  }

  /** int8 and timestamptz below 2^53. */
  number(): number {
    const start = this.#at + 4;
    this.#at = start + 8;
    return this.#tuple.readInt32BE(start) * TWO_TO_32 + this.#tuple.readUInt32BE(start + 4);
  }

  numberOrNull(): number | null {
    if (this.#tuple.readInt32BE(this.#at) !== -1) return this.number();
    this.#at += 4;
    return null;
  }
}
