import { sql } from "kysely";
import type { Db } from "#foundation/db";

/** `seal` keys encrypt; `lookup` keys make hashes and MACs and are never changed. */
export type KeyPurpose = "seal" | "lookup";

export interface Wrap {
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
}

export interface DataKeyName {
  readonly id: string;
  readonly environmentId: string | null;
  readonly purpose: KeyPurpose;
}

/** A data key under one of the master keys that were asked for; without one the key cannot be opened. */
export interface DataKeyRow extends DataKeyName {
  readonly wrap: Wrap | undefined;
}

interface ReadRow extends DataKeyName {
  readonly masterKeyId: string | null;
  readonly wrapped: Buffer | null;
}

const selectKeys = (masterKeyIds: readonly string[]) => sql`
  select k.id, k.environment_id, k.purpose, w.master_key_id, w.wrapped
    from data_keys k
    left join wrapped_data_keys w on w.data_key_id = k.id and w.master_key_id = any(${masterKeyIds})`;

function toDataKey({ masterKeyId, wrapped, ...name }: ReadRow): DataKeyRow {
  const isOpenable = masterKeyId !== null && wrapped !== null;
  return { ...name, wrap: isOpenable ? { masterKeyId, wrapped } : undefined };
}

/** The key in use for a purpose of an environment. */
export async function findDataKey(
  db: Db,
  environmentId: string | null,
  { purpose, masterKeyIds }: { purpose: KeyPurpose; masterKeyIds: readonly string[] },
): Promise<DataKeyRow | undefined> {
  const { rows } = await sql<ReadRow>`${selectKeys(masterKeyIds)}
    where k.environment_id is not distinct from ${environmentId}::uuid and k.purpose = ${purpose}
      and k.replaced_at is null limit 1`.execute(db);
  return rows[0] === undefined ? undefined : toDataKey(rows[0]);
}

export async function findDataKeyById(
  db: Db,
  { id, masterKeyIds }: { id: string; masterKeyIds: readonly string[] },
): Promise<DataKeyRow | undefined> {
  const { rows } = await sql<ReadRow>`
    ${selectKeys(masterKeyIds)} where k.id = ${id} limit 1`.execute(db);
  return rows[0] === undefined ? undefined : toDataKey(rows[0]);
}

export interface NewDataKey extends DataKeyName {
  /** Not empty. */
  readonly wraps: readonly Wrap[];
  readonly createdAt: Date;
}

/** Adds the key with its wraps, unless another process has added one meanwhile. */
export async function insertDataKey(db: Db, row: NewDataKey): Promise<void> {
  const { id, environmentId, purpose, createdAt, wraps } = row;
  await sql`
    with added as (
      insert into data_keys (id, environment_id, purpose, created_at)
      values (${id}, ${environmentId}, ${purpose}, ${createdAt}) on conflict do nothing returning id)
    insert into wrapped_data_keys (data_key_id, master_key_id, wrapped)
    select added.id, w.master_key_id, w.wrapped
      from added, unnest(${wraps.map((wrap) => wrap.masterKeyId)}::text[],
                         ${wraps.map((wrap) => wrap.wrapped)}::bytea[]) as w (master_key_id, wrapped)
  `.execute(db);
}

/** Removes every key of the environment; what they sealed is unreadable from then on. */
export async function deleteDataKeys(db: Db, environmentId: string): Promise<void> {
  await sql`delete from data_keys where environment_id = ${environmentId}`.execute(db);
}

/** Master keys that serving processes wrap with: those that were silent for 30 seconds have ended. */
export async function listHeldMasterKeys(db: Db): Promise<string[]> {
  const { rows } = await sql<{ masterKeyId: string }>`
    select distinct master_key_id from master_key_holders
     where seen_at > now() - interval '30 seconds'`.execute(db);
  return rows.map(({ masterKeyId }) => masterKeyId);
}

/** False also before the first migration. */
export async function hasDataKeys(db: Db): Promise<boolean> {
  const table = await sql<{ exists: boolean }>`
    select to_regclass('wrapped_data_keys') is not null as exists`.execute(db);
  if (table.rows[0]?.exists !== true) return false;
  const keys = await sql<{ any: boolean }>`
    select exists (select from data_keys) as any`.execute(db);
  return keys.rows[0]?.any === true;
}

/** A wrap by each of the master keys that wraps anything. */
export async function listSampleWraps(db: Db): Promise<(DataKeyName & Wrap)[]> {
  const { rows } = await sql<DataKeyName & Wrap>`
    select distinct on (w.master_key_id) k.id, k.environment_id, k.purpose, w.master_key_id, w.wrapped
      from wrapped_data_keys w join data_keys k on k.id = w.data_key_id
     order by w.master_key_id`.execute(db);
  return rows;
}

/** Master keys of data keys that none of the given ones opens. */
export async function listMissingMasterKeys(
  db: Db,
  masterKeyIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ masterKeyId: string }>`
    select distinct w.master_key_id from wrapped_data_keys w
     where not exists (select from wrapped_data_keys known
                        where known.data_key_id = w.data_key_id
                          and known.master_key_id = any(${masterKeyIds}))
     order by w.master_key_id`.execute(db);
  return rows.map(({ masterKeyId }) => masterKeyId);
}
