import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { isOf } from "../store.ts";

/** Bytes that the environment's inbox keeps; folds the counts that have come together. */
export async function readUsage(db: Db, environmentId: EnvironmentId): Promise<number> {
  await sql`
    with folded as (
      delete from inbox_usage where id in (
        select id from inbox_usage where environment_id = ${environmentId} for update skip locked)
      returning bytes)
    insert into inbox_usage (environment_id, bytes)
    select ${environmentId}, sum(bytes) from folded having count(*) > 0`.execute(db);
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from inbox_usage
     where environment_id = ${environmentId}`.execute(db);
  return rows[0]?.bytes ?? 0;
}

// Each statement is short, so that making room holds up nobody.
const DELETED_AT_ONCE = 500;

export interface DeletedRequests {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Deletes requests that were handled, of those that nothing proved before the others, oldest first, until so many
 * bytes are free; a part of them each time. What waits, or has failed, stays. The caller counts what went.
 */
export async function deleteHandledRequests(
  db: Db,
  environmentId: EnvironmentId,
  { bytes, isPrepared }: { bytes: number; isPrepared: boolean },
): Promise<DeletedRequests> {
  const { rows } = await sql<DeletedRequests>`
    with oldest as (
      select id, octet_length(request) as bytes, is_verified, received_at from inbound_webhooks
       where environment_id = ${environmentId} and request is not null and state in ('handled', 'duplicate')
       order by is_verified, received_at limit ${DELETED_AT_ONCE}),
    counted as (
      select id, bytes, sum(bytes) over (order by is_verified, received_at, id) - bytes as before from oldest),
    deleted as (
      update inbound_webhooks w set request = null from counted c
       where ${isOf(environmentId, isPrepared)} and w.id = c.id and c.before < ${bytes} and w.request is not null
      returning c.bytes)
    select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from deleted`.execute(
    db,
  );
  return rows[0] ?? { count: 0, bytes: 0 };
}

// Each statement is short, so that deleting a day of a busy inbox holds up nobody.
export const ROWS_AT_ONCE = 5000;

/** Deletes a part of the webhooks that came before a time, or of all; at most `ROWS_AT_ONCE`. */
export async function deleteWebhooksBefore(
  db: Db,
  environmentId: EnvironmentId,
  before: Date | undefined,
): Promise<DeletedRequests> {
  const { rows } = await sql<DeletedRequests>`
    with gone as (
      delete from inbound_webhooks where environment_id = ${environmentId} and id in (
        select id from inbound_webhooks
         where environment_id = ${environmentId}
           and ${before === undefined ? sql`true` : sql`received_at < ${before}`}
         order by received_at limit ${ROWS_AT_ONCE})
      returning octet_length(request) as bytes)
    select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from gone`.execute(db);
  return rows[0] ?? { count: 0, bytes: 0 };
}

/** Deletes a part of the events that were handled before a time, or of all; resolves to how many. */
export async function deleteEventsBefore(
  db: Db,
  environmentId: EnvironmentId,
  before: Date | undefined,
): Promise<number> {
  const events = await sql`
    delete from inbound_events where environment_id = ${environmentId} and (integration_id, hash) in (
      select integration_id, hash from inbound_events
       where environment_id = ${environmentId}
         and ${before === undefined ? sql`true` : sql`handled_at < ${before}`}
       order by handled_at limit ${ROWS_AT_ONCE})`.execute(db);
  return Number(events.numAffectedRows);
}
