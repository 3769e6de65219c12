import { sql } from "kysely";
import type { Db } from "#platform/db";
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
