import { CompiledQuery } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";

declare const modelBrand: unique symbol;

/** Number of one model of one connection; only the look-ups by environment below give one out. */
export type ModelId = number & { readonly [modelBrand]: true };

export interface ModelKey {
  readonly connection: ConnectionUuid;
  readonly model: string;
}

export const HASH_BYTES = 32;

/** Planned at each call: a plan kept from when a partition was small would read all of it when it has grown. */
function plannedStatement(text: string): (values: readonly unknown[]) => CompiledQuery {
  return (values) => CompiledQuery.raw(text, [...values]);
}

const lockRow = hotStatement(
  "record_model_lock",
  `select id from record_models
    where environment_id = $1 and connection_uuid = $2 and model = $3 for update`,
);

const addRow = hotStatement(
  "record_model_add",
  `insert into record_models (environment_id, connection_uuid, model, last_modified_at)
   values ($1, $2, $3, $4::timestamptz - interval '1 microsecond') on conflict do nothing`,
);

/**
 * Makes the writers of one model take turns until they commit. The order numbers are handed out inside,
 * so that none ever becomes visible after a higher one, and a reader's cursor skips nothing (J15).
 */
export async function lockModel(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model }: ModelKey,
  now: Date,
): Promise<ModelId> {
  const key = [environmentId, connection, model];
  const [known] = await runHot<{ id: ModelId }>(db, lockRow(key));
  if (known !== undefined) return known.id;
  await runHot(db, addRow([...key, now]));
  const [added] = await runHot<{ id: ModelId }>(db, lockRow(key));
  if (added === undefined) throw new Error(`the row of model ${model} was removed meanwhile`);
  return added.id;
}

const findRow = hotStatement(
  "record_model_find",
  `select id from record_models
    where environment_id = $1 and connection_uuid = $2 and model = $3`,
);

/** Undefined when nothing has been saved yet. */
export async function findModel(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model }: ModelKey,
): Promise<ModelId | undefined> {
  const [row] = await runHot<{ id: ModelId }>(db, findRow([environmentId, connection, model]));
  return row?.id;
}

const compareHashes = plannedStatement(
  `select (u.n - 1)::int as position, r.record_id is null or r.deleted_at is not null as added
     from unnest($2::text[]) with ordinality as u (id, n)
     left join records r on r.model_id = $1 and r.record_id = u.id
    where r.record_id is null or r.deleted_at is not null
       or r.hash <> substring($3::bytea from ((u.n - 1) * ${HASH_BYTES} + 1)::int for ${HASH_BYTES})
    order by u.n`,
);

export interface Difference {
  /** Index into the ids given. */
  readonly position: number;
  /** New, or deleted before; otherwise changed. */
  readonly added: boolean;
}

/** Which of the records given are not stored as they are; `hashes` are joined in the order of `ids`. */
export async function findDifferences(
  db: Db,
  model: ModelId,
  { ids, hashes }: { ids: readonly string[]; hashes: Buffer },
): Promise<Difference[]> {
  return await runHot<Difference>(db, compareHashes([model, ids, hashes]));
}

// Hashes and payloads travel as one binary value each: arrays of bytea would be written as hex text.
const writeRecords = hotStatement(
  "record_write",
  `with turn as (
     update record_models
        set sequence = sequence + cardinality($2::text[]), live_count = live_count + $7,
            last_modified_at = greatest($8::timestamptz, last_modified_at + interval '1 microsecond')
      where id = $1
     returning sequence - cardinality($2::text[]) as base, last_modified_at as at)
   insert into records as r (model_id, record_id, sequence, hash, payload, first_seen_at, last_modified_at)
   select $1, u.id, turn.base + u.n,
          substring($3::bytea from ((u.n - 1) * ${HASH_BYTES} + 1)::int for ${HASH_BYTES}),
          substring($4::bytea from u.start for u.size), turn.at, turn.at
     from turn, unnest($2::text[], $5::int[], $6::int[]) with ordinality as u (id, start, size, n)
   on conflict (model_id, record_id) do update
      set sequence = excluded.sequence, hash = excluded.hash, payload = excluded.payload,
          first_seen_at = case when r.deleted_at is null then r.first_seen_at else excluded.first_seen_at end,
          last_modified_at = excluded.last_modified_at, deleted_at = null, pruned_at = null`,
);

export interface RecordWrite {
  readonly id: string;
  readonly hash: Buffer;
  readonly payload: Buffer;
}

/** Inserts or replaces the records, each with the next number of the model's order. */
export async function writeRecordRows(
  db: Db,
  model: ModelId,
  { rows, added, now }: { rows: readonly RecordWrite[]; added: number; now: Date },
): Promise<void> {
  const sizes = rows.map(({ payload }) => payload.byteLength);
  let next = 1;
  const starts = sizes.map((size) => {
    const start = next;
    next += size;
    return start;
  });
  const hashes = Buffer.concat(rows.map(({ hash }) => hash));
  const payloads = Buffer.concat(rows.map(({ payload }) => payload));
  const ids = rows.map(({ id }) => id);
  await runHot(db, writeRecords([model, ids, hashes, payloads, starts, sizes, added, now]));
}

const markDeleted = plannedStatement(
  `with gone as (
     select r.record_id, row_number() over (order by u.n) as n
       from unnest($2::text[]) with ordinality as u (id, n)
       join records r on r.model_id = $1 and r.record_id = u.id
      where r.deleted_at is null),
   total as (select count(*)::int as count from gone),
   turn as (
     update record_models
        set sequence = sequence + total.count, live_count = live_count - total.count,
            last_modified_at = greatest($3::timestamptz, last_modified_at + interval '1 microsecond')
       from total
      where id = $1 and total.count > 0
     returning sequence - total.count as base, last_modified_at as at)
   update records r
      set sequence = turn.base + gone.n, last_modified_at = turn.at, deleted_at = turn.at
     from gone, turn
    where r.model_id = $1 and r.record_id = gone.record_id
   returning 1`,
);

/** Marks live records as deleted and keeps their payloads; answers how many there were. */
export async function markRecordsDeleted(
  db: Db,
  model: ModelId,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<number> {
  return (await runHot(db, markDeleted([model, ids, now]))).length;
}

const counts = hotStatement(
  "record_counts",
  `select id, connection_uuid as connection, model, live_count as count from record_models
    where environment_id = $1 and connection_uuid = any($2::uuid[]) order by model`,
);

export interface ModelCount {
  readonly id: ModelId;
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly count: number;
}

export async function listCounts(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<ModelCount[]> {
  return await runHot<ModelCount>(db, counts([environmentId, connections]));
}

const removeRows = plannedStatement(
  `delete from records where model_id = $1
      and record_id = any(array(select record_id from records where model_id = $1 limit $2))
   returning 1`,
);

/** Removes up to `limit` records for good; answers how many. */
export async function removeRecordRows(db: Db, model: ModelId, limit: number): Promise<number> {
  return (await runHot(db, removeRows([model, limit]))).length;
}

const resetCount = plannedStatement(
  `update record_models set live_count = (
     select count(*) from records where model_id = $1 and deleted_at is null)
    where id = $1`,
);

/** Counts a model anew; its order goes on, so that older cursors stay behind what comes. */
export async function recountModel(db: Db, model: ModelId): Promise<void> {
  await runHot(db, resetCount([model]));
}

const removeModel = hotStatement("record_model_remove", "delete from record_models where id = $1");

export async function removeModelRow(db: Db, model: ModelId): Promise<void> {
  await runHot(db, removeModel([model]));
}

/** Kinds of last change to list; undefined lists all. */
export type RecordFilter = ReadonlySet<"added" | "updated" | "deleted">;

export interface RecordRow {
  readonly id: string;
  readonly sequence: number;
  readonly payload: Buffer | null;
  readonly action: "ADDED" | "UPDATED" | "DELETED";
  /** ISO 8601 with microseconds and `+00:00`, as the other times. */
  readonly firstSeenAt: string;
  readonly lastModifiedAt: string;
  readonly deletedAt: string | null;
  readonly prunedAt: string | null;
}

export interface PageQuery {
  /** Order number of the last record that is known. */
  readonly after: number;
  readonly modifiedAfter: string | undefined;
  readonly filter: RecordFilter | undefined;
  readonly ids: readonly string[] | undefined;
  readonly limit: number;
  readonly maxBytes: number;
}

function isoText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`;
}

const action = `case when deleted_at is not null then 'DELETED'
                     when first_seen_at = last_modified_at then 'ADDED' else 'UPDATED' end`;

// One row more than the page is counted, to know whether another page follows. Sizes are known without
// reading a payload, so that rows past the byte limit never leave the database.
function pageStatement(condition: string) {
  return plannedStatement(
    `select record_id as id, sequence, payload, ${action} as action,
            ${isoText("first_seen_at")} as "firstSeenAt",
            ${isoText("last_modified_at")} as "lastModifiedAt",
            ${isoText("deleted_at")} as "deletedAt", ${isoText("pruned_at")} as "prunedAt",
            total as "found"
       from (select *, count(*) over () as total, row_number() over page as n,
                    sum(coalesce(octet_length(payload), 0)) over page
                      - coalesce(octet_length(payload), 0) as bytes_before
               from (select * from records
                      where model_id = $1 and sequence > $2 and ${condition}
                      order by sequence limit $3 + 1) found
             window page as (order by sequence rows unbounded preceding)) paged
      where n <= $3 and bytes_before < $4
      order by sequence`,
  );
}

const plainPage = pageStatement("true");
const filteredPage = pageStatement(
  `(${action}) = any($5::text[]) and ($6::timestamptz is null or last_modified_at >= $6)`,
);
const pageOfIds =
  pageStatement(`(${action}) = any($5::text[]) and ($6::timestamptz is null or last_modified_at >= $6)
   and record_id = any($7::text[])`);

const allActions = ["added", "updated", "deleted"];

/** A page of records in their order, and whether more follow. */
export async function listRecordRows(
  db: Db,
  model: ModelId,
  query: PageQuery,
): Promise<{ rows: RecordRow[]; hasMore: boolean }> {
  const { after, limit, maxBytes, modifiedAfter, filter, ids } = query;
  const page = [model, after, limit, maxBytes];
  const actions = [...(filter ?? allActions)].map((word) => word.toUpperCase());
  const conditions = [...page, actions, modifiedAfter ?? null];
  const isPlain = filter === undefined && modifiedAfter === undefined;
  const statement =
    ids !== undefined
      ? pageOfIds([...conditions, ids])
      : isPlain
        ? plainPage(page)
        : filteredPage(conditions);
  const rows = await runHot<RecordRow & { found: number }>(db, statement);
  return { rows, hasMore: (rows[0]?.found ?? 0) > rows.length };
}
