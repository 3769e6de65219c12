import { type RawBuilder, sql } from "kysely";
import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentId,
  HOUR,
  type OperationId,
} from "#foundation";
import { type Db, hotStatement, runHot, runNamed } from "#foundation/db";

export interface NewDelivery {
  readonly id: string;
  readonly receiverId: string;
  readonly type: string;
  readonly url: string;
  readonly body: Buffer;
  /** Sealed. */
  readonly headers: Buffer | null;
  readonly payloadId: string | null;
  readonly connectionUuid: ConnectionUuid | null;
  readonly connectionId: string | null;
  readonly integrationKey: string | null;
  readonly operationId: OperationId | null;
  /** Of the work that queued it. */
  readonly traceparent: string | null;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
}

/** Whether a row was made at a time that JavaScript has read, in milliseconds: of Postgres' time the rest is cut off. */
export function madeAt(table: string, time: RawBuilder<unknown>): RawBuilder<unknown> {
  const column = sql.ref(`${table}.created_at`);
  return sql`${column} >= ${time} and ${column} < ${time} + interval '1 millisecond'`;
}

/**
 * That a row which is found by its key is one of the environment, where the key has the environment. Elsewhere an index
 * that begins with it may look as short a way as the key.
 */
export function isOwn(
  table: string,
  environmentId: EnvironmentId,
  isPrepared: boolean,
): RawBuilder<unknown> {
  return isPrepared ? sql`${sql.ref(`${table}.environment_id`)} = ${environmentId}` : sql`true`;
}

export interface DeliveryKey {
  readonly id: string;
  readonly createdAt: Date;
}

/** One that was deleted. */
export interface GoneDelivery extends DeliveryKey {
  readonly receiverId: string;
}

export interface NewPayload {
  readonly id: string;
  /** Sealed. */
  readonly body: Buffer;
  readonly headers: Buffer | null;
  readonly createdAt: Date;
}

type InsertTables = {
  webhookReceivers: { id: string; environmentId: EnvironmentId; url: string };
  webhookPayloads: NewPayload & { environmentId: EnvironmentId };
  webhookDeliveries: NewDelivery & { environmentId: EnvironmentId };
};

export async function insertPayload(
  db: Db,
  environmentId: EnvironmentId,
  payload: NewPayload,
): Promise<void> {
  const tables = db.withTables<InsertTables>();
  await tables
    .insertInto("webhookPayloads")
    .values({ ...payload, environmentId })
    .execute();
}

export async function insertDeliveries(
  db: Db,
  environmentId: EnvironmentId,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const tables = db.withTables<InsertTables>();
  const receivers = new Map(deliveries.map(({ receiverId, url }) => [receiverId, url]));
  const addReceivers = tables
    .insertInto("webhookReceivers")
    .values([...receivers].map(([id, url]) => ({ id, environmentId, url })))
    .onConflict((conflict) => conflict.doNothing());
  const addDeliveries = tables
    .insertInto("webhookDeliveries")
    .values(deliveries.map((delivery) => ({ ...delivery, environmentId })));
  if (deliveries.length > 1) {
    await addReceivers.execute();
    await addDeliveries.execute();
    return;
  }
  await runNamed(db, "webhook_receiver_add", addReceivers);
  await runNamed(db, "webhook_delivery_add", addDeliveries);
}

/** The connection's next number; its row stays locked until the caller's transaction ends. */
export async function takeSequence(
  db: Db,
  environmentId: EnvironmentId,
  connection: ConnectionUuid,
): Promise<number> {
  const query = sql<{ last: number }>`
    insert into webhook_sequences (connection_uuid, environment_id, last)
    values (${connection}, ${environmentId}, 1)
    on conflict (connection_uuid) do update set last = webhook_sequences.last + 1
    returning last`;
  const [row] = await runNamed(db, "webhook_sequence", query);
  if (row === undefined) throw new Error("the sequence gave no number");
  return row.last;
}

/** When the deliveries were made that may be waiting: only the days of these are looked at. */
export interface OpenRange {
  readonly since: Date;
  readonly until: Date;
}

/** Of the row `d`. */
export function isOpenIn({ since, until }: OpenRange): RawBuilder<unknown> {
  return sql`d.created_at >= ${since} and d.created_at < ${until}`;
}

/**
 * Receivers for whom deliveries wait, as `queue`. Goes from one to the next through the index, so that the backlog of
 * one costs the others nothing.
 */
export const RECEIVERS_IN_QUEUE = `
  queue (receiver_id) as (
    (select t.receiver_id from delivery_turns t order by t.receiver_id limit 1)
    union all
    select (select t.receiver_id from delivery_turns t
             where t.receiver_id > q.receiver_id
             order by t.receiver_id limit 1)
      from queue q where q.receiver_id is not null
  )`;

/** The same of one environment. */
export function receiversOf(environmentId: EnvironmentId): RawBuilder<unknown> {
  const next = sql`
    select t.receiver_id from delivery_turns t where t.environment_id = ${environmentId}`;
  return sql`
    queue (receiver_id) as (
      (${next} order by t.receiver_id limit 1)
      union all
      select (${next} and t.receiver_id > q.receiver_id order by t.receiver_id limit 1)
        from queue q where q.receiver_id is not null
    )`;
}

const firstOpen = hotStatement(
  "deliveries_first_open",
  `with recursive ${RECEIVERS_IN_QUEUE}
   select min(first.created_at) as since
     from queue q
     join webhook_receivers r on r.id = q.receiver_id and r.disabled_at is null
     cross join lateral (
       select t.created_at from delivery_turns t where t.receiver_id = r.id
        order by t.created_at limit 1) first`,
);

/** Of a delivery that is sent again with all its attempts: what an update sets, until the time of the next. */
export const queuedAgain: RawBuilder<unknown> = sql`state = 'waiting', attempts = 0, ended_at = null, next_attempt_at = `;

/** From the day of the first delivery that is to be sent, or from today, to tomorrow. */
export async function findOpenRange(db: Db, now: Date): Promise<OpenRange> {
  const [row] = await runHot<{ since: Date | null }>(db, firstOpen([]));
  return rangeFrom(row, now);
}

/** The same of one environment. */
export async function findOpenRangeOf(
  db: Db,
  environmentId: EnvironmentId,
  now: Date,
): Promise<OpenRange> {
  const { rows } = await sql<{ since: Date | null }>`
    with recursive ${receiversOf(environmentId)}
    select min(first.created_at) as since
      from queue q
      join webhook_receivers r on r.environment_id = ${environmentId} and r.id = q.receiver_id and r.disabled_at is null
      cross join lateral (
        select t.created_at from delivery_turns t
         where t.environment_id = ${environmentId} and t.receiver_id = r.id
         order by t.created_at limit 1) first`.execute(db);
  return rangeFrom(rows[0], now);
}

function rangeFrom(row: { readonly since: Date | null } | undefined, now: Date): OpenRange {
  // Another process' clock may be behind ours.
  const latest = addMs(now, -HOUR);
  const first = Math.min(latest.getTime(), row?.since?.getTime() ?? Number.POSITIVE_INFINITY);
  return { since: startOfDay(new Date(first)), until: addMs(startOfDay(now), 2 * DAY) };
}

function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY) * DAY);
}

/** Of a delivery `t`: still to be sent. What is held for a receiver that is given up is not. */
function isToBeSent(
  owner: RawBuilder<unknown> | EnvironmentId = sql`t.environment_id`,
): RawBuilder<boolean> {
  return sql<boolean>`(t.state = 'waiting' and exists (
    select from webhook_receivers r
     where r.environment_id = ${owner} and r.id = t.receiver_id and r.disabled_at is null))`;
}

/** Of a delivery `t` whose day is dropped: what is still to be sent, and all of environments that keep it longer. */
export function neededDeliveries(environments: readonly EnvironmentId[]): RawBuilder<boolean> {
  return sql<boolean>`(t.environment_id = any(${environments}::uuid[]) or ${isToBeSent()})`;
}

/** Of an attempt `t` whose day is dropped: the delivery is there, made before a time. */
export function neededAttempts(before: Date): RawBuilder<boolean> {
  return sql<boolean>`(t.environment_id, t.delivery_id) in (
    select d.environment_id, d.id from webhook_deliveries d where d.created_at < ${before})`;
}

interface OldPage {
  readonly before: Date;
  readonly limit: number;
  readonly isPrepared: boolean;
}

/** At most `limit` deliveries made before a time, but for those still to be sent; resolves to those that went. */
export async function deleteDeliveriesBefore(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit, isPrepared }: OldPage,
): Promise<GoneDelivery[]> {
  const { rows } = await sql<GoneDelivery>`
    delete from webhook_deliveries d using (
      select t.id, t.created_at from webhook_deliveries t
       where t.environment_id = ${environmentId} and t.created_at < ${before} and not ${isToBeSent(environmentId)}
       order by t.created_at limit ${limit}) old
     where ${isOwn("d", environmentId, isPrepared)} and d.created_at < ${before}
       and d.id = old.id and d.created_at = old.created_at
    returning d.id, d.created_at, d.receiver_id`.execute(db);
  return rows;
}

/** Of a payload `p`: a delivery has it. */
export function isUsed(environmentId: EnvironmentId, isPrepared: boolean): RawBuilder<boolean> {
  // The sum of a time and an interval depends on the session, and Citus refuses it in a change.
  const dayAfter = sql`(p.created_at at time zone 'UTC' + interval '1 day') at time zone 'UTC'`;
  return sql<boolean>`exists (
    select from webhook_deliveries d
     where ${isOwn("d", environmentId, isPrepared)} and d.payload_id = p.id and d.created_at >= p.created_at and d.created_at < ${dayAfter})`;
}

/** At most `limit` payloads made before a time that no delivery has any more; resolves to how many went. */
export async function deletePayloadsBefore(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit, isPrepared }: OldPage,
): Promise<number> {
  const result = await sql`
    delete from webhook_payloads w where ${isOwn("w", environmentId, isPrepared)} and id = any(array(
      select id from webhook_payloads p
       where environment_id = ${environmentId} and created_at < ${before} and not ${isUsed(environmentId, isPrepared)}
       order by created_at limit ${limit}))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/**
 * Forgets what waited or had failed and was made before a time, at most `limit` of each; resolves to how many went.
 * With a day that is dropped its deliveries go, but not what is queued of them.
 */
export async function deleteQueuedBefore(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit, isPrepared }: OldPage,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with queued as (
      delete from delivery_turns t using (
        select o.receiver_id, o.created_at, o.delivery_id from delivery_turns o
         where o.environment_id = ${environmentId} and o.created_at < ${before}
           and not exists (
             select from webhook_deliveries d
              where ${isOwn("d", environmentId, isPrepared)} and d.created_at < ${before}
                and d.id = o.delivery_id and d.created_at = o.created_at)
         order by o.created_at limit ${limit}) old
       where ${isOwn("t", environmentId, isPrepared)} and t.receiver_id = old.receiver_id
         and t.created_at = old.created_at and t.delivery_id = old.delivery_id
      returning 1),
    failed as (
      delete from failed_deliveries f using (
        select o.created_at, o.delivery_id from failed_deliveries o
         where o.environment_id = ${environmentId} and o.created_at < ${before}
         order by o.created_at limit ${limit}) old
       where f.environment_id = ${environmentId} and f.created_at = old.created_at and f.delivery_id = old.delivery_id
      returning 1)
    select greatest((select count(*) from queued), (select count(*) from failed))::int as count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
