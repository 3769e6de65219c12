import { CompiledQuery, sql } from "kysely";
import { type Db, runHot } from "#foundation/db";
import type { SealedColumn, Together } from "../sealed-column.ts";
import type { DataKeyName, NewDataKey, Wrap } from "../store.ts";

// Any number that no other program of the operator's is likely to lock in the same database.
const VAULT_LOCK = 7_263_894_417;

/** Makes those who change master keys take turns, until the transaction ends. */
export async function lockMasterKeys(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${VAULT_LOCK})`.execute(db);
}

// Holders that were silent for longer have ended.
const ALIVE = sql`seen_at > now() - interval '30 seconds'`;

/** Notes which master key a serving process wraps with. */
export async function saveHolder(
  db: Db,
  holder: { processId: string; masterKeyId: string },
): Promise<void> {
  await sql`
    insert into master_key_holders (process_id, master_key_id, seen_at)
    values (${holder.processId}, ${holder.masterKeyId}, now())
    on conflict (process_id)
      do update set master_key_id = excluded.master_key_id, seen_at = excluded.seen_at`.execute(db);
  await sql`delete from master_key_holders where seen_at < now() - interval '1 hour'`.execute(db);
}

export async function deleteHolder(db: Db, processId: string): Promise<void> {
  await sql`delete from master_key_holders where process_id = ${processId}`.execute(db);
}

/** Data keys that the master key does not wrap yet, each with a wrap that one of the ring opens. */
export async function listUnwrapped(
  db: Db,
  { masterKeyId, ringIds, limit }: { masterKeyId: string; ringIds: string[]; limit: number },
): Promise<(DataKeyName & Wrap)[]> {
  const { rows } = await sql<DataKeyName & Wrap>`
    select distinct on (k.id) k.id, k.environment_id, k.purpose, w.master_key_id, w.wrapped
      from data_keys k
      join wrapped_data_keys w on w.data_key_id = k.id and w.master_key_id = any(${ringIds})
     where not exists (select from wrapped_data_keys own
                        where own.data_key_id = k.id and own.master_key_id = ${masterKeyId})
     order by k.id limit ${limit}`.execute(db);
  return rows;
}

export async function insertWraps(
  db: Db,
  rows: readonly (Wrap & { readonly dataKeyId: string })[],
): Promise<void> {
  await sql`
    insert into wrapped_data_keys (data_key_id, master_key_id, wrapped)
    select w.id, w.master_key_id, w.wrapped
      from unnest(${rows.map((row) => row.dataKeyId)}::uuid[], ${rows.map((row) => row.masterKeyId)}::text[],
                  ${rows.map((row) => row.wrapped)}::bytea[]) as w (id, master_key_id, wrapped)
      join data_keys k on k.id = w.id
    on conflict do nothing`.execute(db);
}

/**
 * Removes the wraps by other master keys, once every process that serves wraps with this one; answers
 * how many. No data key ever loses its last wrap.
 */
export async function deleteOtherWraps(db: Db, masterKeyId: string): Promise<number> {
  const { rows } = await sql`
    delete from wrapped_data_keys w
     where w.master_key_id <> ${masterKeyId}
       and exists (select from wrapped_data_keys own
                    where own.data_key_id = w.data_key_id and own.master_key_id = ${masterKeyId})
       and not exists (select from master_key_holders
                        where ${ALIVE} and master_key_id <> ${masterKeyId})
    returning 1`.execute(db);
  return rows.length;
}

export interface MasterKeyCounts {
  readonly dataKeys: number;
  /** Data keys that some other master key still opens. */
  readonly underOthers: number;
  /** Serving processes that wrap with another master key. */
  readonly otherHolders: number;
}

export async function countMasterKeyUse(db: Db, masterKeyId: string): Promise<MasterKeyCounts> {
  const { rows } = await sql<MasterKeyCounts>`
    select (select count(*) from data_keys) as data_keys,
           (select count(distinct data_key_id) from wrapped_data_keys
             where master_key_id <> ${masterKeyId}) as under_others,
           (select count(*) from master_key_holders
             where ${ALIVE} and master_key_id <> ${masterKeyId}) as other_holders`.execute(db);
  const [counts] = rows;
  return counts ?? { dataKeys: 0, underOthers: 0, otherHolders: 0 };
}

export interface Progress {
  /** Primary key of the last row that was looked at, by `table.column`. */
  readonly after: Readonly<Record<string, readonly string[]>>;
  /** Rows sealed again, by `table.column`. */
  readonly resealed: Readonly<Record<string, number>>;
}

export interface Rotation {
  readonly id: string;
  readonly progress: Partial<Progress>;
}

export async function findRunningRotation(db: Db): Promise<Rotation | undefined> {
  const { rows } = await sql<Rotation>`
    select id, progress from vault_rotations where finished_at is null`.execute(db);
  return rows[0];
}

export async function insertRotation(db: Db, id: string): Promise<void> {
  await sql`insert into vault_rotations (id, started_at) values (${id}, now())`.execute(db);
}

export async function saveProgress(
  db: Db,
  { id, progress }: { id: string; progress: Progress },
): Promise<void> {
  await sql`
    update vault_rotations set progress = ${JSON.stringify(progress)}::jsonb where id = ${id}`.execute(
    db,
  );
}

export async function finishRotation(db: Db, id: string): Promise<void> {
  await sql`update vault_rotations set finished_at = now() where id = ${id}`.execute(db);
}

/** The keys that seal now, locked until the transaction ends. */
export async function lockSealKeys(db: Db): Promise<DataKeyName[]> {
  const { rows } = await sql<DataKeyName>`
    select id, environment_id, purpose from data_keys
     where purpose = 'seal' and replaced_at is null for update`.execute(db);
  return rows;
}

export async function replaceDataKey(db: Db, oldId: string, key: NewDataKey): Promise<void> {
  await sql`update data_keys set replaced_at = now() where id = ${oldId}`.execute(db);
  await sql`
    insert into data_keys (id, environment_id, purpose, created_at)
    values (${key.id}, ${key.environmentId}, ${key.purpose}, ${key.createdAt})`.execute(db);
  await insertWraps(
    db,
    key.wraps.map((wrap) => ({ ...wrap, dataKeyId: key.id })),
  );
}

export interface ReplacedKeys {
  readonly ids: readonly string[];
  /** Since when the last of them is replaced, by the database's clock. */
  readonly forMs: number;
}

export async function listReplacedKeys(db: Db): Promise<ReplacedKeys> {
  const { rows } = await sql<{ id: string; forMs: number }>`
    select id, (extract(epoch from now() - replaced_at) * 1000)::float8 as for_ms
      from data_keys where replaced_at is not null`.execute(db);
  return { ids: rows.map(({ id }) => id), forMs: Math.min(...rows.map(({ forMs }) => forMs)) };
}

/** Removes keys that were replaced long ago; `inUse` are those that some row still names. */
export async function deleteReplacedKeys(db: Db, inUse: readonly string[]): Promise<void> {
  await sql`
    delete from data_keys
     where replaced_at < now() - interval '30 days' and id <> all(${inUse}::uuid[])`.execute(db);
}

export interface SealedRow {
  readonly key: readonly string[];
  readonly environmentId: string | null;
  readonly row: string;
  readonly sealed: Buffer;
}

export interface SealedPage {
  /** Primary key of the row before the page. */
  readonly after: readonly string[] | undefined;
  /** Only texts that these data keys sealed; ids as they are written in a text. */
  readonly sealedBy: readonly Buffer[] | undefined;
  /** Only rows of this value, which lie together. */
  readonly value?: string | undefined;
}

const VALUES_AT_ONCE = 10_000;
const PAGE_ROWS = 500;
const PAGE_BYTES = 8 * 1024 * 1024;

/** The next rows of a column in the order of its primary key; a page ends by count or by bytes. */
export async function listSealedRows(
  db: Db,
  of: SealedColumn,
  { after, sealedBy, value }: SealedPage,
): Promise<SealedRow[]> {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const names = of.key.map(([name]) => `t.${name}`).join(", ");
  const conditions = [
    `t.${of.column} is not null`,
    ...(of.emptied === undefined ? [] : [`not (${of.emptied})`]),
    ...(value === undefined || of.together === undefined
      ? []
      : [`t.${of.together.column} = ${parameter(value)}::${typeOf(of, of.together)}`]),
    ...(after === undefined
      ? []
      : [`(${names}) > (${of.key.map(([, type], n) => `${parameter(after[n])}::${type}`)})`]),
    ...(sealedBy === undefined
      ? []
      : [`substring(t.${of.column} from 2 for 16) = any(${parameter(sealedBy)}::bytea[])`]),
  ];
  const text = `
    select key, "environmentId", "row", sealed from (
      select array[${of.key.map(([name]) => `t.${name}::text`)}] as key,
             (${of.environment ?? "t.environment_id"})::text as "environmentId",
             (${of.row})::text as "row", t.${of.column} as sealed,
             sum(octet_length(t.${of.column})) over (order by ${names}) - octet_length(t.${of.column}) as before
        from (select * from ${of.table} t where ${conditions.join(" and ")}
               order by ${names} limit ${PAGE_ROWS}) t
        ${of.join ?? ""}) page
     where before < ${PAGE_BYTES} order by before`;
  return await runHot<SealedRow>(db, CompiledQuery.raw(text, values));
}

function typeOf({ key }: SealedColumn, { column }: Together): string {
  return key.find(([name]) => name === column)?.[1] ?? "text";
}

/** Values by which rows of the column lie together, in pages; the first server knows them. */
export async function listValues(
  db: Db,
  { listedIn }: Together,
  after: string | undefined,
): Promise<string[]> {
  const type = listedIn === "environments" ? "uuid" : "bigint";
  const from = after === undefined ? "true" : `id > $1::${type}`;
  const text = `select id::text as value from ${listedIn} where ${from} order by id limit ${VALUES_AT_ONCE}`;
  const rows = await runHot<{ value: string }>(
    db,
    CompiledQuery.raw(text, after === undefined ? [] : [after]),
  );
  return rows.map(({ value }) => value);
}

/** Fails where the server of a value's rows is away or does not answer. */
export async function requireRowsOf(
  db: Db,
  of: SealedColumn,
  together: Together,
  value: string,
): Promise<void> {
  const text = `select from ${of.table} where ${together.column} = $1::${typeOf(of, together)} limit 1`;
  await runHot(db, CompiledQuery.raw(text, [value]));
}

/** The row with its key as it is now; undefined when it was removed, or has no text any more. */
export async function findSealedRow(
  db: Db,
  of: SealedColumn,
  key: readonly string[],
): Promise<SealedRow | undefined> {
  const conditions = [
    `t.${of.column} is not null`,
    ...(of.emptied === undefined ? [] : [`not (${of.emptied})`]),
    ...of.key.map(([name, type], n) => `t.${name} = $${n + 1}::${type}`),
  ];
  const text = `
    select array[${of.key.map(([name]) => `t.${name}::text`)}] as key,
           (${of.environment ?? "t.environment_id"})::text as "environmentId",
           (${of.row})::text as "row", t.${of.column} as sealed
      from ${of.table} t ${of.join ?? ""}
     where ${conditions.join(" and ")}`;
  const [row] = await runHot<SealedRow>(db, CompiledQuery.raw(text, [...key]));
  return row;
}

/** Version, data key and nonce, which no other sealed text has. */
const HEAD_BYTES = 29;

/**
 * Puts new texts in the place of those that were read, where these still stand; answers how many. It never
 * waits for a row, so that it cannot be part of a deadlock: a row that is being written is left out.
 */
export async function replaceSealedRows(
  db: Db,
  of: SealedColumn,
  rows: readonly ReplacedRow[],
): Promise<number> {
  const at = of.key.findIndex(([name]) => name === of.together?.column);
  if (at === -1) return await replaceTogether(db, of, rows);
  const groups = Map.groupBy(rows, ({ old }) => old.key[at] ?? "");
  let count = 0;
  for (const [value, group] of groups) count += await replaceTogether(db, of, group, { at, value });
  return count;
}

interface ReplacedRow {
  readonly old: SealedRow;
  readonly sealed: Buffer;
}

/** All rows have the `value` in the column of the key that is given. */
async function replaceTogether(
  db: Db,
  of: SealedColumn,
  rows: readonly ReplacedRow[],
  together?: { readonly at: number; readonly value: string },
): Promise<number> {
  const keys = of.key.map((_, n) => rows.map(({ old }) => old.key[n]));
  const heads = rows.map(({ old }) => old.sealed.subarray(0, HEAD_BYTES));
  const values: unknown[] = [...keys, heads, rows.map(({ sealed }) => sealed)];
  const arrays = [...of.key.map(([, type]) => type), "bytea", "bytea"];
  const [column, type] = of.key[together?.at ?? -1] ?? [];
  const isOfValue =
    together === undefined ? "true" : `t.${column} = $${values.push(together.value)}::${type}`;
  const isSame = (left: string, right: string) =>
    of.key.map(([name]) => `${left}.${name} = ${right}.${name}`).join(" and ");
  const names = of.key.map(([name]) => name);
  const text = `
    with wanted as (
      select * from unnest(${arrays.map((type, n) => `$${n + 1}::${type}[]`)})
                 as w (${[...names, "head", "sealed"]})),
    locked as (
      select ${names.map((name) => `t.${name}`)}, wanted.sealed
        from ${of.table} t join wanted on ${isSame("t", "wanted")}
       where substring(t.${of.column} from 1 for ${HEAD_BYTES}) = wanted.head and ${isOfValue}
         for update of t skip locked)
    update ${of.table} t set ${of.column} = locked.sealed from locked where ${isSame("t", "locked")} and ${isOfValue}
    returning 1`;
  return (await runHot(db, CompiledQuery.raw(text, values))).length;
}
