import { type RawBuilder, sql } from "kysely";
import type { FailingReceiver } from "#environments";
import type { EnvironmentId } from "#foundation";
import { type Db, inIndexOrder } from "#foundation/db";
import { isOwn } from "../store.ts";

/** Not failing from here on; what waits for it is due. False when there is no such receiver. */
export async function openReceiver(
  db: Db,
  environmentId: EnvironmentId,
  { id, now, isPrepared }: { id: string; now: Date; isPrepared: boolean },
): Promise<boolean> {
  const result = await sql`
    update webhook_receivers set failing_since = null, disabled_at = null
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
  if (result.numAffectedRows !== 1n) return false;
  await sql`
    update webhook_deliveries d set next_attempt_at = ${now}
      from delivery_turns t
     where ${isOwn("t", environmentId, isPrepared)} and t.receiver_id = ${id}
       and t.next_attempt_at > '-infinity' and t.next_attempt_at > ${now}
       and d.id = t.delivery_id and d.created_at = t.created_at
       and d.environment_id = ${environmentId} and d.state = 'waiting'`.execute(db);
  return true;
}

/** The longest failing first. */
export async function listFailingReceivers(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<FailingReceiver[]> {
  const result = await sql<FailingReceiver>`
    select url, failing_since, disabled_at from webhook_receivers
     where environment_id = ${environmentId} and failing_since is not null
     order by failing_since limit ${limit}`.execute(db);
  return result.rows;
}

export interface ReceiverRow {
  readonly url: string;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly id: string;
  /** Waiting, counted up to 1,000. */
  readonly held: number;
  /** When the oldest of them was queued. */
  readonly waitingSince: Date | null;
  /** Of the latest 20. */
  readonly sent: number;
  readonly delivered: number;
  readonly lastAt: Date | null;
  readonly lastStatus: number | null;
  /** Of all attempts. */
  readonly durationP95Ms: number | null;
  readonly nextAttemptAt: Date | null;
  /** The last failed attempt to one that fails, with its sealed answer. */
  readonly failureId: string | null;
  readonly failureDelivery: string | null;
  readonly failureStatus: number | null;
  readonly failureError: string | null;
  readonly failureAnswer: Buffer | null;
  readonly failedAt: Date | null;
}

/** By id; of what waits and what was sent only so much is looked at, however much there is. */
export async function listReceiverRows(
  db: Db,
  environmentId: EnvironmentId,
  {
    only,
    after,
    limit,
    isPrepared,
  }: { only: string | undefined; after: string | undefined; limit: number; isPrepared: boolean },
): Promise<ReceiverRow[]> {
  const isOwnQueued = isOwn("t", environmentId, isPrepared);
  const query = sql<ReceiverRow>`
    select r.id, r.url, r.failing_since, r.disabled_at, waiting.held, oldest.waiting_since, latest.*, due.next_attempt_at, failure.*
      from (select * from webhook_receivers
             where environment_id = ${environmentId}
               and ${after === undefined ? sql`true` : sql`id > ${after}`}
               and ${only === undefined ? sql`true` : sql`id = ${only}`}
             order by id limit ${limit}) r
      cross join lateral (
        select count(*)::int as held
          from (select from delivery_turns t where ${isOwnQueued} and t.receiver_id = r.id limit 1000) t) waiting
      cross join lateral (
        select min(t.created_at) as waiting_since from delivery_turns t
         where ${isOwnQueued} and t.receiver_id = r.id) oldest
      cross join lateral (
        with recent as materialized (
          select id, state, created_at, last_status from webhook_deliveries
           where environment_id = ${environmentId} and receiver_id = r.id
           order by created_at desc, id desc limit 20)
        select count(*)::int as sent, count(*) filter (where d.state = 'delivered')::int as delivered,
               max(d.created_at) as last_at,
               (array_agg(d.last_status order by d.created_at desc, d.id desc))[1] as last_status,
               (select percentile_disc(0.95) within group (order by a.duration_ms)
                  from recent w join webhook_attempts a on a.environment_id = ${environmentId} and a.delivery_id = w.id
                   -- Processes have clocks of their own; the last retry comes a day later.
                   and a.created_at between w.created_at - interval '1 hour' and w.created_at + interval '3 days'
               )::int as duration_p95_ms
          from recent d) latest
      cross join lateral (
        select min(next_attempt_at) as next_attempt_at from delivery_turns t
         where ${isOwnQueued} and t.receiver_id = r.id and t.next_attempt_at > '-infinity'
           and r.disabled_at is null) due
      left join lateral (
        select a.id as failure_id, w.id as failure_delivery, a.status as failure_status, a.error as failure_error,
               a.answer as failure_answer, a.created_at as failed_at
          from (select id, created_at from webhook_deliveries
                 where environment_id = ${environmentId} and receiver_id = r.id and r.failing_since is not null
                 order by created_at desc, id desc limit 20) w
          join webhook_attempts a on a.environment_id = ${environmentId} and a.delivery_id = w.id
           and a.created_at between w.created_at - interval '1 hour' and w.created_at + interval '3 days'
         where a.status is null or a.status not between 200 and 299
         order by a.created_at desc limit 1) failure on true
     order by r.id`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}

export async function isReceiver(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_receivers where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
  return rows.length > 0;
}

/** Of a receiver `r`: no webhook to it is left, sent or not. */
function isUnused(environmentId: EnvironmentId, isPrepared: boolean): RawBuilder<boolean> {
  return sql<boolean>`
    not exists (
      select from delivery_turns t where ${isOwn("t", environmentId, isPrepared)} and t.receiver_id = r.id)
    and not exists (
      select from webhook_deliveries d where d.environment_id = ${environmentId} and d.receiver_id = r.id)`;
}

/** Of the next receivers by id those that are unused, and the last one looked at; undefined at the end. */
export async function listUnusedReceivers(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit, isPrepared }: { after: string | undefined; limit: number; isPrepared: boolean },
): Promise<{ unused: string[]; last: string | undefined }> {
  const from = after === undefined ? sql`true` : sql`id > ${after}::uuid`;
  const { rows } = await sql<{ id: string; isUnused: boolean }>`
    select r.id, ${isUnused(environmentId, isPrepared)} as "isUnused"
      from (select * from webhook_receivers where environment_id = ${environmentId} and ${from}
             order by id limit ${limit}) r
     order by r.id`.execute(db.withoutPlugins());
  const unused = rows.filter((row) => row.isUnused).map(({ id }) => id);
  return { unused, last: rows.length < limit ? undefined : rows.at(-1)?.id };
}

/**
 * Deletes those that are still unused. With the table locked, for who sends a webhook adds its receiver in the same
 * transaction: one that is under way may count on a receiver that is there. Throws when that takes too long.
 */
export async function deleteUnusedReceivers(
  db: Db,
  environmentId: EnvironmentId,
  { ids, isPrepared }: { ids: readonly string[]; isPrepared: boolean },
): Promise<void> {
  await sql`set local lock_timeout = '200ms'`.execute(db);
  await sql`lock table webhook_receivers in share row exclusive mode`.execute(db);
  await sql`
    delete from webhook_receivers r
     where r.environment_id = ${environmentId} and r.id = any(${ids}::uuid[])
       and ${isUnused(environmentId, isPrepared)}`.execute(db);
}
