import { sql } from "kysely";
import type { Db } from "#foundation/db";
import type { Part } from "./digest.ts";

export interface DetailRow {
  readonly eventId: string;
  readonly part: Part;
  readonly data: object;
  readonly salt: Buffer;
  readonly lookups: readonly string[];
}

export async function insertDetails(db: Db, rows: readonly DetailRow[]): Promise<void> {
  for (const { eventId, part, data, salt, lookups } of rows) {
    await sql`
      insert into audit_details (event_id, part, data, salt, lookups)
      values (${eventId}, ${part}, ${JSON.stringify(data)}, ${salt}, ${lookups}::text[])`.execute(
      db,
    );
  }
}

/** How many there were. */
export async function deleteDetails(db: Db, lookups: readonly string[]): Promise<number> {
  if (lookups.length === 0) return 0;
  const { numAffectedRows } = await sql`
    delete from audit_details where lookups && ${lookups}::text[]`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export async function listDetails(db: Db, eventIds: readonly string[]): Promise<DetailRow[]> {
  if (eventIds.length === 0) return [];
  const { rows } = await sql<DetailRow>`
    select event_id, part, data, salt, lookups from audit_details
     where event_id = any(${eventIds}::uuid[])`.execute(db);
  return rows;
}

/** Some of the details of an account's events, but of one action; how many there were. */
export async function deleteDetailsOfAccount(
  db: Db,
  accountId: string,
  { except, limit }: { except: string; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_details d using (
      select d.event_id, d.part from audit_events e join audit_details d on d.event_id = e.id
       where e.account_id = ${accountId} and e.action <> ${except} limit ${limit}) found
     where d.event_id = found.event_id and d.part = found.part`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/**
 * What an account was called in the events that made, changed and deleted it; how many details there were. The event
 * that made it does not have its id: it is the one with a name of the account in the minute of its beginning.
 */
export async function deleteNamesOfAccount(
  db: Db,
  { id, name, createdAt }: { id: string; name: string; createdAt: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    with changes as (
      select d.event_id, d.data from audit_events e join audit_details d on d.event_id = e.id
       where d.part = 'subject' and e.action in ('updateAccount', 'deleteAccount')
         and e.target ->> 'account_id' = ${id}
    ), names as (
      select ${name} as name
      union select data -> 'fields' ->> 'name' from changes
      union select data -> 'before' ->> 'name' from changes
    ), made as (
      select d.event_id from audit_events e join audit_details d on d.event_id = e.id
       where d.part = 'subject' and e.action = 'createAccount'
         and e.at between ${createdAt}::timestamptz and ${createdAt}::timestamptz + interval '1 minute'
         and d.data -> 'fields' ->> 'name' in (select name from names))
    delete from audit_details
     where part = 'subject'
       and event_id in (select event_id from changes union select event_id from made)`.execute(db);
  return Number(numAffectedRows ?? 0);
}
