import { type RawBuilder, sql } from "kysely";
import { addMs, type EnvironmentId, HOUR } from "#foundation";
import type { Db } from "#foundation/db";
import type { DeliveryOutcome } from "../sending/store.ts";
import { type DeliveryKey, type GoneDelivery, queuedAgain } from "../store.ts";

// What triggers do on plain PostgreSQL. Each statement is about one environment, whose rows lie together.

/** Of Postgres' time JavaScript has read the milliseconds. Not by SQL, which Citus refuses in a change. */
function afterOf(time: Date): Date {
  return addMs(time, 1);
}

/** Of the row `d`: one of the deliveries; only the days in which they were made are looked at. */
function isOneOf(environmentId: EnvironmentId, keys: readonly DeliveryKey[]): RawBuilder<unknown> {
  const times = keys.map(({ createdAt }) => createdAt.getTime());
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
  return sql`d.environment_id = ${environmentId} and d.id = any(${keys.map(({ id }) => id)}::uuid[])
    and d.created_at >= ${first} and d.created_at < ${last}`;
}

/** Queues deliveries that wait, or changes when they are due. */
export async function enqueueDeliveries(
  db: Db,
  environmentId: EnvironmentId,
  keys: readonly DeliveryKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into delivery_turns (receiver_id, created_at, delivery_id, environment_id, next_attempt_at)
    select d.receiver_id, d.created_at, d.id, d.environment_id, d.next_attempt_at
      from webhook_deliveries d
     where ${isOneOf(environmentId, keys)} and d.state = 'waiting' and d.next_attempt_at is not null
    on conflict (environment_id, receiver_id, created_at, delivery_id)
      do update set next_attempt_at = excluded.next_attempt_at
      where delivery_turns.next_attempt_at <> excluded.next_attempt_at`.execute(db);
}

/** Keeps in step which of the deliveries wait, and which have failed. */
export async function updateQueued(
  db: Db,
  environmentId: EnvironmentId,
  keys: readonly DeliveryKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const changed = isOneOf(environmentId, keys);
  await sql`
    with ended as (
      delete from delivery_turns t using webhook_deliveries d
       where ${changed} and t.environment_id = ${environmentId} and t.receiver_id = d.receiver_id
         and t.created_at = d.created_at and t.delivery_id = d.id
         and (d.state = 'waiting' and d.next_attempt_at is not null) is not true)
    delete from failed_deliveries f using webhook_deliveries d
     where ${changed} and f.environment_id = ${environmentId} and f.created_at = d.created_at
       and f.delivery_id = d.id and d.state <> 'failed'`.execute(db);
  await enqueueDeliveries(db, environmentId, keys);
  await sql`
    insert into failed_deliveries (environment_id, created_at, delivery_id)
    select d.environment_id, d.created_at, d.id from webhook_deliveries d
     where ${changed} and d.state = 'failed'
    on conflict do nothing`.execute(db);
}

/** Queues deliveries again that are locked. Joined with a list, all of the environment would be held against each of it. */
export async function queueKeysAgain(
  db: Db,
  environmentId: EnvironmentId,
  { keys, now }: { keys: readonly DeliveryKey[]; now: Date },
): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    update webhook_deliveries d set ${queuedAgain} ${now}
     where ${isOneOf(environmentId, keys)}`.execute(db);
}

/** What belonged to deliveries that were deleted. */
export async function deleteOfGone(
  db: Db,
  environmentId: EnvironmentId,
  gone: readonly GoneDelivery[],
): Promise<void> {
  if (gone.length === 0) return;
  const ids = gone.map(({ id }) => id);
  const times = gone.map(({ createdAt }) => createdAt);
  const first = new Date(Math.min(...times.map((time) => time.getTime())));
  const rows = sql`unnest(${ids}::uuid[], ${times}::timestamptz[], ${times.map(afterOf)}::timestamptz[],
    ${gone.map(({ receiverId }) => receiverId)}::uuid[]) as g (id, made, after, receiver_id)`;
  await sql`
    with queued as (
      delete from delivery_turns t using ${rows}
       where t.environment_id = ${environmentId} and t.receiver_id = g.receiver_id
         and t.created_at >= g.made and t.created_at < g.after and t.delivery_id = g.id),
    failed as (
      delete from failed_deliveries f using ${rows}
       where f.environment_id = ${environmentId} and f.created_at >= g.made and f.created_at < g.after
         and f.delivery_id = g.id)
    delete from webhook_attempts a
     where a.environment_id = ${environmentId} and a.delivery_id = any(${ids}::uuid[])
       and a.created_at >= ${addMs(first, -HOUR)}`.execute(db);
}

/** What waited for a receiver is due. */
export async function hastenQueued(
  db: Db,
  environmentId: EnvironmentId,
  { receiverId, now }: { receiverId: string; now: Date },
): Promise<void> {
  await sql`
    update delivery_turns t set next_attempt_at = ${now}
     where t.environment_id = ${environmentId} and t.receiver_id = ${receiverId}
       and t.next_attempt_at > '-infinity' and t.next_attempt_at > ${now}`.execute(db);
}

/** Ends leases of one environment; resolves to the deliveries that no other sender had taken over. */
export async function endLeases(
  db: Db,
  environmentId: EnvironmentId,
  outcomes: readonly DeliveryOutcome[],
): Promise<DeliveryKey[]> {
  const column = columnOf(outcomes);
  const times = outcomes.map(({ createdAt }) => createdAt.getTime());
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
  const { rows } = await sql<DeliveryKey>`
    update webhook_deliveries d
       set state = o.state, attempts = o.attempts, next_attempt_at = o.next_attempt_at,
           last_status = o.status, last_error = o.error, ended_at = o.ended_at, leased_until = null
      from unnest(
        ${column("id")}::uuid[], ${column("createdAt")}::timestamptz[],
        ${column("createdAt").map(afterOf)}::timestamptz[], ${column("fence")}::bigint[],
        ${column("state")}::text[], ${column("attempts")}::int[], ${column("nextAttemptAt")}::timestamptz[],
        ${column("status")}::int[], ${column("error")}::text[], ${column("endedAt")}::timestamptz[]
      ) as o (id, made, after, fence, state, attempts, next_attempt_at, status, error, ended_at)
     where d.environment_id = ${environmentId} and d.id = o.id and d.created_at >= o.made and d.created_at < o.after
       and d.created_at >= ${first} and d.created_at < ${last}
       and d.fence = o.fence and d.state = 'waiting'
    returning d.id, d.created_at`.execute(db);
  return rows;
}

export async function insertAttempts(
  db: Db,
  environmentId: EnvironmentId,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const column = columnOf(outcomes);
  await sql`
    insert into webhook_attempts
      (environment_id, id, delivery_id, status, error, answer, duration_ms, created_at, signed_at, signature)
    select ${environmentId}::uuid, o.* from unnest(
      ${column("attemptId")}::uuid[], ${column("id")}::uuid[], ${column("status")}::int[],
      ${column("error")}::text[], ${column("answer")}::bytea[], ${column("durationMs")}::int[],
      ${column("startedAt")}::timestamptz[], ${column("signedAt")}::bigint[], ${column("signature")}::text[])
      as o (id, delivery_id, status, error, answer, duration_ms, created_at, signed_at, signature)`.execute(
    db,
  );
}

function columnOf(outcomes: readonly DeliveryOutcome[]) {
  return <Key extends keyof DeliveryOutcome>(key: Key): DeliveryOutcome[Key][] =>
    outcomes.map((outcome) => outcome[key]);
}

/** Whether a receiver that has received is no longer failing, and open again if it was disabled. */
export async function recoverReceivers(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  const result = await sql`
    update webhook_receivers set failing_since = null, disabled_at = null
     where environment_id = ${environmentId} and id = any(${ids}::uuid[]) and failing_since is not null`.execute(
    db,
  );
  return result.numAffectedRows !== 0n;
}

/** Of an environment that goes: at most `limit` deliveries, the oldest first. */
export async function deleteDeliveriesOfEnvironment(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<GoneDelivery[]> {
  const { rows } = await sql<GoneDelivery>`
    delete from webhook_deliveries d using (
      select o.id, o.created_at from webhook_deliveries o
       where o.environment_id = ${environmentId} order by o.created_at limit ${limit}) old
     where d.environment_id = ${environmentId} and d.id = old.id and d.created_at = old.created_at
    returning d.id, d.created_at, d.receiver_id`.execute(db);
  return rows;
}

/**
 * Of an environment that goes, what is left when its deliveries are gone, a part of each table; whether there may be more. Attempts
 * of deliveries whose day was dropped before go with a day of their own.
 */
export async function deleteLeftOfEnvironment(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<boolean> {
  const own = sql`environment_id = ${environmentId}`;
  const deletions = [
    sql`delete from delivery_turns t using (
          select receiver_id, created_at, delivery_id from delivery_turns
           where ${own} order by created_at limit ${limit}) old
         where t.${own} and t.receiver_id = old.receiver_id and t.created_at = old.created_at
           and t.delivery_id = old.delivery_id`,
    sql`delete from failed_deliveries f using (
          select created_at, delivery_id from failed_deliveries
           where ${own} order by created_at limit ${limit}) old
         where f.${own} and f.created_at = old.created_at and f.delivery_id = old.delivery_id`,
    sql`delete from webhook_payloads where ${own} and id = any(array(
          select id from webhook_payloads where ${own} order by created_at limit ${limit}))`,
    // Last: they are by what the environment is known to be readable.
    sql`delete from webhook_receivers where ${own} and id = any(array(
          select id from webhook_receivers where ${own} order by id limit ${limit}))`,
  ];
  let isMore = false;
  for (const deletion of deletions) {
    const { numAffectedRows = 0n } = await deletion.execute(db);
    isMore ||= Number(numAffectedRows) === limit;
  }
  return isMore;
}
