import { type CompiledQuery, sql } from "kysely";
import { type Db, hotStatement, inIndexOrder, runHot } from "#foundation/db";
import {
  bytesOfContent,
  type ModelId,
  momentAfter,
  plannedStatement,
  recordById,
} from "../store.ts";
import { HASH_BYTES } from "./hash-lines.ts";

/** Bytes of item n of a list that travels joined: arrays of bytea would be written as hexadecimal text. */
const hashOfItem = `substring($3::bytea from ((u.n - 1) * ${HASH_BYTES} + 1)::int for ${HASH_BYTES})`;

const recordOfItem = recordById("$1", "u.id");

// The same for what is updated. As a query, for of a long list Postgres expects as many records as it has items.
const isNamed = "r.record_id = any(array(select unnest($2::text[])))";

/** Changes that the caller made itself since it began, as ranges of order numbers. */
export interface Merging {
  /** What changed after this order number is left alone, unless the caller changed it. */
  readonly after: number;
  readonly own: readonly (readonly [after: number, until: number])[];
}

// True for every record unless `after` is given. $1, $2 and $3 are taken by the statements that use it.
const notNewer = `($4::bigint is null or r.sequence is null or r.sequence <= $4
       or exists (select from unnest($5::bigint[], $6::bigint[]) as own (after, until)
                   where r.sequence > own.after and r.sequence <= own.until))`;

function mergingValues(merging: Merging | undefined): unknown[] {
  const own = merging?.own ?? [];
  return [merging?.after ?? null, own.map(([after]) => after), own.map(([, until]) => until)];
}

const compareHashes = plannedStatement(
  `select (u.n - 1)::int as position,
          case when r.record_id is null or r.deleted_at is not null then 'added'
               when r.hash <> ${hashOfItem} then 'updated' else 'restored' end as kind,
          r.sequence, ${bytesOfContent} as bytes
     from unnest($2::text[]) with ordinality as u (id, n)
     left join ${recordOfItem} on true
    where (r.record_id is null or r.deleted_at is not null or r.pruned_at is not null
           or r.hash <> ${hashOfItem})
      and ${notNewer}
    order by u.n`,
);

export interface Difference {
  /** Index into the ids given. */
  readonly position: number;
  /** New, or deleted before; changed; the same, but its payload was pruned. */
  readonly kind: "added" | "updated" | "restored";
  /** Undefined for a record that is new. */
  readonly sequence: number | null;
  /** Of the content that is stored. */
  readonly bytes: number;
}

/** Which of the records given are not stored as they are; `hashes` are joined in the order of `ids`. */
export async function findDifferences(
  db: Db,
  model: ModelId,
  batch: { ids: readonly string[]; hashes: Buffer; merging: Merging | undefined },
): Promise<Difference[]> {
  const { ids, hashes, merging } = batch;
  const values = [model, ids, hashes, ...mergingValues(merging)];
  return await runHot<Difference>(db, compareHashes(values));
}

export interface RecordWrites {
  readonly ids: readonly string[];
  /** Joined in the order of `ids`, as the payloads are. */
  readonly hashes: Buffer;
  /** Sealed, or JSON text. */
  readonly payloads: Buffer;
  readonly sizes: readonly number[];
}

/** Whether payloads are sealed bytes or JSON that SQL can read. */
export type Storage = "sealed" | "plain";

const document = "convert_from(substring($4::bytea from u.start for u.size), 'UTF8')::jsonb";

const contentOf: Record<Storage, { columns: string; value: string }> = {
  sealed: { columns: "payload", value: "substring($4::bytea from u.start for u.size)" },
  plain: { columns: "document", value: document },
};

/** How many bytes the contents take as they are stored: Postgres writes JSON in a way of its own. */
const bytesOf: Record<Storage, string> = {
  sealed: "$7::bigint",
  plain: `(select coalesce(sum(octet_length(r.document::text)), 0) from records r
            where r.model_id = $1 and r.sequence > 0 and r.sequence > record_models.sequence)`,
};

const writtenAt = (now: string) =>
  `greatest(${now}::timestamptz, ${momentAfter("last_modified_at")})`;

// The model is locked: what is read of it here is as the next statement changes it.
function insertStatement(storage: Storage): (values: readonly unknown[]) => CompiledQuery {
  const { columns, value } = contentOf[storage];
  return hotStatement(
    `record_write_${storage}`,
    `insert into records as r (model_id, record_id, sequence, hash, ${columns}, first_seen_at, last_modified_at)
     select m.id, u.id, m.sequence + u.n, ${hashOfItem}, ${value}, m.at, m.at
       from (select id, sequence, ${writtenAt("$7")} as at from record_models where id = $1) m,
            unnest($2::text[], $5::int[], $6::int[]) with ordinality as u (id, start, size, n)
     on conflict (model_id, record_id) do update
        set sequence = excluded.sequence, hash = excluded.hash,
            payload = excluded.payload, document = excluded.document,
            first_seen_at = case when r.deleted_at is null then r.first_seen_at else excluded.first_seen_at end,
            last_modified_at = excluded.last_modified_at, deleted_at = null, pruned_at = null`,
  );
}

function countStatement(storage: Storage): (values: readonly unknown[]) => CompiledQuery {
  return hotStatement(
    `record_written_${storage}`,
    `update record_models
        set sequence = sequence + $2::int, live_count = live_count + $3, last_modified_at = ${writtenAt("$4")},
            max_bytes = greatest(max_bytes, $5), bytes = bytes + ${bytesOf[storage]} - $6,
            bytes_sequence = bytes_sequence + $2::int
      where id = $1`,
  );
}

const insertRecords = { sealed: insertStatement("sealed"), plain: insertStatement("plain") };
const countRecords = { sealed: countStatement("sealed"), plain: countStatement("plain") };

/** Inserts or replaces the records, each with the next number of the model's order. */
export async function writeRecordRows(
  db: Db,
  model: ModelId,
  change: {
    writes: RecordWrites;
    storage: Storage;
    added: number;
    /** Of the contents that are replaced. */
    replacedBytes: number;
    now: Date;
  },
): Promise<void> {
  const { writes, storage, added, replacedBytes, now } = change;
  const { ids, hashes, payloads, sizes } = writes;
  const contents = [payloads, startsOf(sizes), sizes];
  await runHot(db, insertRecords[storage]([model, ids, hashes, ...contents, now]));
  const counts = [ids.length, added, now, largest(sizes), replacedBytes];
  const bytes = storage === "sealed" ? [sizes.reduce((sum, size) => sum + size, 0)] : [];
  await runHot(db, countRecords[storage]([model, ...counts, ...bytes]));
}

/** Where each payload begins, as SQL counts. */
function startsOf(sizes: readonly number[]): number[] {
  let next = 1;
  return sizes.map((size) => {
    const start = next;
    next += size;
    return start;
  });
}

function largest(sizes: readonly number[]): number {
  return sizes.reduce((a, b) => Math.max(a, b), 0);
}

function restoreStatement(storage: Storage): (values: readonly unknown[]) => CompiledQuery {
  const { columns, value } = contentOf[storage];
  const bytes = {
    sealed: "(select coalesce(sum(u.size), 0) from unnest($6::int[]) as u (size))",
    plain: `(select coalesce(sum(octet_length((${document})::text)), 0)
               from unnest($5::int[], $6::int[]) as u (start, size))`,
  }[storage];
  return plannedStatement(
    `with restored as (
       update records r set ${columns} = ${value}, pruned_at = null
         from unnest($2::text[], $5::int[], $6::int[]) as u (id, start, size)
        where r.model_id = $1 and r.record_id = u.id and ${isNamed}
       returning r.sequence)
     update record_models m
        set pruned_through = least(pruned_through, (select min(sequence) - 1 from restored)),
            max_bytes = greatest(max_bytes, $3), bytes = bytes + ${bytes}
      where m.id = $1`,
  );
}

const restoreRecords = { sealed: restoreStatement("sealed"), plain: restoreStatement("plain") };

/** Gives pruned records their payloads back; their place in the order and their times stay. */
export async function restoreRecordRows(
  db: Db,
  model: ModelId,
  { writes, storage }: { writes: RecordWrites; storage: Storage },
): Promise<void> {
  const { ids, payloads, sizes } = writes;
  const values = [model, ids, largest(sizes), payloads, startsOf(sizes), sizes];
  await runHot(db, restoreRecords[storage](values));
}

const markDeleted = plannedStatement(
  `with gone as (
     select r.record_id, u.deleted_at, row_number() over (order by u.n) as n
       from unnest($2::text[], $7::timestamptz[]) with ordinality as u (id, deleted_at, n)
       join ${recordOfItem} on true
      where r.deleted_at is null and ${notNewer}),
   total as (select count(*)::int as count from gone),
   turn as (
     update record_models
        set sequence = sequence + total.count, live_count = live_count - total.count,
            bytes_sequence = bytes_sequence + total.count,
            last_modified_at = ${writtenAt("$3")}
       from total
      where id = $1 and total.count > 0
     returning sequence - total.count as base, last_modified_at as at)
   update records r
      set sequence = turn.base + gone.n, last_modified_at = turn.at,
          deleted_at = coalesce(gone.deleted_at, turn.at)
     from gone, turn
    where r.model_id = $1 and r.record_id = gone.record_id and ${isNamed}
   returning 1`,
);

/** Marks live records as deleted and keeps their payloads; answers how many there were. */
export async function markRecordsDeleted(
  db: Db,
  model: ModelId,
  wanted: {
    ids: readonly string[];
    deletedAt: readonly (string | null)[];
    now: Date;
    merging: Merging | undefined;
  },
): Promise<number> {
  const { ids, deletedAt, now, merging } = wanted;
  const values = [model, ids, now, ...mergingValues(merging), deletedAt];
  return (await runHot(db, markDeleted(values))).length;
}

const removeRows = plannedStatement(
  `with page as materialized (
     select record_id from records where model_id = $1 and record_id > $2
      order by record_id limit $3),
   gone as (
     delete from records where model_id = $1 and record_id = any(array(select record_id from page)))
   select count(*)::int as count, max(record_id) as last from page`,
);

/** Records that were removed; `last` is undefined when there was none to remove. */
export interface RemovedPage {
  readonly count: number;
  readonly last: string | undefined;
}

/** Removes the first records after an id for good. From page to page, so that none walks over what is gone already. */
export async function removeRecordRows(
  db: Db,
  model: ModelId,
  { after, limit }: { after: string; limit: number },
): Promise<RemovedPage> {
  const remove = removeRows([model, after, limit]);
  const [page] = await inIndexOrder(
    db,
    async (db) => await runHot<{ count: number; last: string | null }>(db, remove),
  );
  return { count: page?.count ?? 0, last: page?.last ?? undefined };
}

/** Ids after one, of records that were added within a time and not changed after it. */
export async function listAddedIds(
  db: Db,
  model: ModelId,
  { from, until, after, limit }: { from: Date; until: Date; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select record_id as id from records
     where model_id = ${model} and record_id > ${after} and deleted_at is null
       and first_seen_at >= ${from} and last_modified_at <= ${until}
     order by record_id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
