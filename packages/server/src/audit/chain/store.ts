import { sql } from "kysely";
import type { Db } from "#foundation/db";
import { type AuditRow, eventColumns } from "../store.ts";

export interface Seal {
  readonly id: number;
  readonly events: number;
  readonly digest: Buffer;
  readonly seal: Buffer;
  readonly sealedAt: Date;
}

export interface Head {
  readonly lastSeal: number;
  readonly prunedUntil: number;
  readonly mac: Buffer;
}

export type SealableRow = AuditRow & { readonly mac: Buffer };

/** One sealer at a time, until the caller's transaction ends; false while another one is at work. */
export async function lockChain(db: Db): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('audit_seals', 0)) as taken`.execute(db);
  return rows[0]?.taken ?? false;
}

export async function findHead(db: Db): Promise<Head | undefined> {
  const { rows } = await sql<Head>`
    select last_seal::int, pruned_until::int, mac from audit_head`.execute(db);
  return rows[0];
}

export async function saveHead(db: Db, { lastSeal, prunedUntil, mac }: Head): Promise<void> {
  await sql`
    insert into audit_head (last_seal, pruned_until, mac) values (${lastSeal}, ${prunedUntil}, ${mac})
    on conflict (only_row) do update
       set last_seal = excluded.last_seal, pruned_until = excluded.pruned_until, mac = excluded.mac`.execute(
    db,
  );
}

/** The last seal, once in a time and where there is a new one; undefined otherwise. */
export async function claimAnnouncement(
  db: Db,
  { now, before }: { now: Date; before: Date },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    update audit_head set announced_at = ${now}, announced_seal = last_seal
     where last_seal > announced_seal and (announced_at is null or announced_at <= ${before})
    returning last_seal::int as id`.execute(db);
  return rows[0]?.id;
}

export async function listUnsealed(db: Db, limit: number): Promise<SealableRow[]> {
  const { rows } = await sql<SealableRow>`
    select ${eventColumns}, mac from audit_events where seal_id is null
     order by sequence limit ${limit}`.execute(db);
  return rows;
}

export async function findSeal(db: Db, id: number): Promise<Seal | undefined> {
  return (await listSeals(db, { from: id, limit: 1 })).find((seal) => seal.id === id);
}

/** From an id on, in their order. */
export async function listSeals(
  db: Db,
  { from, limit }: { from: number; limit: number },
): Promise<Seal[]> {
  const { rows } = await sql<Seal>`
    select id::int, events, digest, seal, sealed_at from audit_seals where id >= ${from}
     order by id limit ${limit}`.execute(db);
  return rows;
}

export async function insertSeal(db: Db, seal: Seal, sequences: readonly number[]): Promise<void> {
  await sql`
    insert into audit_seals (id, events, digest, seal, sealed_at)
    values (${seal.id}, ${seal.events}, ${seal.digest}, ${seal.seal}, ${seal.sealedAt})`.execute(
    db,
  );
  await sql`
    update audit_events set seal_id = ${seal.id} where sequence = any(${sequences}::bigint[])`.execute(
    db,
  );
}

export async function listSealed(db: Db, sealId: number): Promise<SealableRow[]> {
  const { rows } = await sql<SealableRow>`
    select ${eventColumns}, mac from audit_events where seal_id = ${sealId} order by sequence`.execute(
    db,
  );
  return rows;
}

/** Events of seals beyond those that there are. */
export async function listStray(db: Db, head: Pick<Head, "lastSeal">): Promise<SealableRow[]> {
  const { rows } = await sql<SealableRow>`
    select ${eventColumns}, mac from audit_events where seal_id > ${head.lastSeal} or seal_id < 1
     order by sequence limit 100`.execute(db);
  return rows;
}

/** Whether an event was ever recorded, so far as the counter of their numbers still knows. */
export async function hasRecorded(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isCalled: boolean }>`
    select is_called from audit_events_sequence_seq`.execute(db);
  return rows[0]?.isCalled ?? false;
}

/** The last seal made before a time, from which on nothing is older; undefined without one. */
export async function findSealBefore(db: Db, time: Date): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id::int from audit_seals where sealed_at < ${time} order by sealed_at desc, id desc limit 1`.execute(
    db,
  );
  return rows[0]?.id;
}

export async function deleteSealed(
  db: Db,
  { after, until }: { after: number; until: number },
): Promise<void> {
  await sql`
    with gone as (
      delete from audit_events where seal_id > ${after} and seal_id <= ${until} returning id
    )
    delete from audit_details where event_id in (select id from gone)`.execute(db);
}
