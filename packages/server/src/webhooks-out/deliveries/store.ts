import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import type { AttemptRow, DeliveryFilter, DeliveryRow, Position } from "./delivery-row.ts";

const columns = sql`
  d.id, d.type, d.url, d.state, r.disabled_at is not null as is_held, d.connection_id, d.integration_key,
  d.operation_id, d.attempts, d.last_status, d.last_error, d.next_attempt_at, d.created_at, d.ended_at`;

export interface DeliveryPage {
  readonly filter: DeliveryFilter;
  readonly after: Position | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listDeliveryRows(
  db: Db,
  environmentId: EnvironmentId,
  { filter, after, limit }: DeliveryPage,
): Promise<DeliveryRow[]> {
  const wanted = [sql`d.environment_id = ${environmentId}`, ...conditions(filter)];
  if (after !== undefined) {
    wanted.push(sql`(d.created_at, d.id) < (${after.createdAt}, ${after.id}::uuid)`);
  }
  const result = await sql<DeliveryRow>`
    select ${columns} from webhook_deliveries d join webhook_receivers r on r.id = d.receiver_id
     where ${sql.join(wanted, sql` and `)}
     order by d.created_at desc, d.id desc limit ${limit}`.execute(db);
  return result.rows;
}

// A literal, so that the index of failed deliveries is taken.
const states = {
  waiting: sql`d.state = 'waiting' and r.disabled_at is null`,
  held: sql`d.state = 'waiting' and r.disabled_at is not null`,
  delivered: sql`d.state = 'delivered'`,
  failed: sql`d.state = 'failed'`,
} as const;

function conditions(filter: DeliveryFilter): RawBuilder<unknown>[] {
  const { state, type, connectionId, receiver, since, until } = filter;
  return [
    ...(state === undefined ? [] : [states[state]]),
    ...(type === undefined ? [] : [sql`d.type = ${type}`]),
    ...(connectionId === undefined ? [] : [sql`d.connection_id = ${connectionId}`]),
    ...(receiver === undefined ? [] : [sql`d.receiver_id = ${receiver}`]),
    ...(since === undefined ? [] : [sql`d.created_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`d.created_at < ${until}`]),
  ];
}

export async function findDeliveryRow(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<(DeliveryRow & { readonly body: Buffer }) | undefined> {
  const result = await sql<DeliveryRow & { body: Buffer }>`
    select ${columns}, d.body
      from webhook_deliveries d join webhook_receivers r on r.id = d.receiver_id
     where d.environment_id = ${environmentId} and d.id = ${id}`.execute(db);
  return result.rows[0];
}

export async function listAttemptRows(
  db: Db,
  environmentId: EnvironmentId,
  deliveryId: string,
): Promise<AttemptRow[]> {
  const result = await sql<AttemptRow>`
    select a.id, a.status, a.error, a.answer, a.duration_ms, a.created_at
      from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where d.environment_id = ${environmentId} and d.id = ${deliveryId}
     order by a.created_at, a.id`.execute(db);
  return result.rows;
}

const queuedAgain = sql`state = 'waiting', attempts = 0, next_attempt_at = `;

/** Queued again with all its attempts; one that waits comes sooner. False when there is none. */
export async function queueAgain(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const result = await sql`
    update webhook_deliveries set ${queuedAgain} ${now}, ended_at = null
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return result.numAffectedRows === 1n;
}

export interface Range {
  readonly filter: DeliveryFilter & { readonly since: Date; readonly until: Date };
  readonly after: Position | undefined;
  readonly now: Date;
  readonly limit: number;
}

/** Queues ended deliveries again, oldest first; resolves to how many, and the last of them. */
export async function queueRangeAgain(
  db: Db,
  environmentId: EnvironmentId,
  { filter, after, now, limit }: Range,
): Promise<{ count: number; last: Position | undefined }> {
  const wanted = [
    sql`d.environment_id = ${environmentId}`,
    sql`d.state <> 'waiting'`,
    ...conditions(filter),
  ];
  if (after !== undefined) {
    wanted.push(sql`(d.created_at, d.id) > (${after.createdAt}, ${after.id}::uuid)`);
  }
  const result = await sql<Position>`
    with wanted as (
      select d.id from webhook_deliveries d join webhook_receivers r on r.id = d.receiver_id
       where ${sql.join(wanted, sql` and `)}
       order by d.created_at, d.id limit ${limit} for update of d
    ), queued as (
      update webhook_deliveries d set ${queuedAgain} ${now}, ended_at = null
        from wanted where d.id = wanted.id
      returning d.created_at, d.id
    )
    select created_at, id from queued order by created_at, id`.execute(db);
  return { count: result.rows.length, last: result.rows.at(-1) };
}
