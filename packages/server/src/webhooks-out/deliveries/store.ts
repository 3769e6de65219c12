import { type RawBuilder, sql } from "kysely";
import { addMs, type EnvironmentId, HOUR } from "#foundation";
import { type Db, inIndexOrder, MOST_SCANNED, smallBytes } from "#foundation/db";
import { hasId } from "#foundation/db/day-partitions";
import { queueKeysAgain } from "../distributed/store.ts";
import { isOwn, queuedAgain } from "../store.ts";
import type { AttemptRow, DeliveryFilter, DeliveryRow, Position } from "./delivery-row.ts";
import type { AskedReplay, Replay } from "./replay.ts";

const columns = sql`
  d.id, d.type, d.url, d.state, r.disabled_at is not null as is_held, d.connection_id, d.integration_key,
  d.operation_id, d.attempts, d.last_status, d.last_error, d.next_attempt_at, d.created_at, d.ended_at`;

export interface DeliveryPage {
  readonly filter: DeliveryFilter;
  readonly after: Position | undefined;
  readonly limit: number;
  /** Whether deliveries are made ready for distribution. */
  readonly isPrepared: boolean;
}

/** Newest first. */
export async function listDeliveryRows(
  db: Db,
  environmentId: EnvironmentId,
  { filter, after, limit, isPrepared }: DeliveryPage,
): Promise<DeliveryRow[]> {
  const { since: _since, until: _until, ...parts } = filter;
  const rest = conditions(parts);
  const source = sourceOf(filter, isOwn("d", environmentId, isPrepared));
  const query = sql<DeliveryRow>`
    select ${columns}
      from (select d.* ${scan(environmentId, { filter, after })} limit ${MOST_SCANNED}) ${source.rows}
      join webhook_receivers r on r.environment_id = ${environmentId} and r.id = d.receiver_id
     where ${rest.length === 0 ? sql`true` : sql.join(rest, sql` and `)}
     order by ${source.order} limit ${limit}`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}

/** The last of the deliveries that one page looks at; undefined when it has looked at all. */
export async function findDeliveryBound(
  db: Db,
  environmentId: EnvironmentId,
  page: Pick<DeliveryPage, "filter" | "after">,
): Promise<Position | undefined> {
  const { id } = sourceOf(page.filter);
  const query = sql<Position>`
    select d.created_at, ${id} as id ${scan(environmentId, page)}
    offset ${MOST_SCANNED - 1} limit 1`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows[0]);
}

/** Deliveries, or what is queued of them, that an index has in the order of the list: of the filter, the part that passes over most. */
function scan(
  environmentId: EnvironmentId,
  { filter, after }: Pick<DeliveryPage, "filter" | "after">,
): RawBuilder<unknown> {
  const { since, until } = filter;
  const { table, id, indexed } = sourceOf(filter);
  const wanted = [
    sql`d.environment_id = ${environmentId}`,
    ...conditions({ since, until, ...indexed }),
    ...(after === undefined
      ? []
      : [
          sql`(d.created_at, ${id}) < (${after.createdAt}, ${after.id}::uuid)`,
          // By the row comparison alone no day is passed over.
          sql`d.created_at <= ${after.createdAt}`,
        ]),
  ];
  return sql`from ${table} d where ${sql.join(wanted, sql` and `)}
             order by d.created_at desc, ${id} desc`;
}

/** Where a page is read: in the deliveries, or in the small tables of those that wait or have failed. */
interface Source {
  readonly table: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  /** Names what was read, and joins the deliveries as `d`. */
  readonly rows: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  /** What of the filter the index has. */
  readonly indexed: DeliveryFilter;
}

const deliveries = {
  table: sql`webhook_deliveries`,
  id: sql`d.id`,
  rows: sql`d`,
  order: sql`d.created_at desc, d.id desc`,
};

function keysIn(table: RawBuilder<unknown>, isOwn: RawBuilder<unknown>): Source {
  return {
    table,
    id: sql`d.delivery_id`,
    rows: sql`k cross join lateral (
      select * from webhook_deliveries d
       where ${isOwn} and d.id = k.delivery_id and d.created_at = k.created_at offset 0) d`,
    order: sql`k.created_at desc, k.delivery_id desc`,
    indexed: {},
  };
}

/** `isOwn` is said of each delivery that is looked up. */
function sourceOf(filter: DeliveryFilter, isOwn: RawBuilder<unknown> = sql`true`): Source {
  const { id, state, type, connectionId, receiver } = filter;
  if (id !== undefined) return { ...deliveries, indexed: { id } };
  if (connectionId !== undefined) return { ...deliveries, indexed: { connectionId } };
  if (state === "failed") return keysIn(sql`failed_deliveries`, isOwn);
  if (state === "waiting" || state === "held") return keysIn(sql`delivery_turns`, isOwn);
  if (receiver !== undefined) return { ...deliveries, indexed: { receiver } };
  return { ...deliveries, indexed: { type } };
}

const states = {
  waiting: sql`d.state = 'waiting' and r.disabled_at is null`,
  held: sql`d.state = 'waiting' and r.disabled_at is not null`,
  delivered: sql`d.state = 'delivered'`,
  failed: sql`d.state = 'failed'`,
} as const;

const statuses = {
  "2xx": sql`d.last_status between 200 and 299`,
  "3xx": sql`d.last_status between 300 and 399`,
  "4xx": sql`d.last_status between 400 and 499`,
  "5xx": sql`d.last_status between 500 and 599`,
  none: sql`d.last_status is null`,
} as const;

function conditions(filter: DeliveryFilter): RawBuilder<unknown>[] {
  const { id, text, state, type, connectionId, receiver, integrationKey, status } = filter;
  const { since, until } = filter;
  return [
    ...(id === undefined ? [] : [isDelivery(id)]),
    ...(text === undefined ? [] : [holdsText(text)]),
    ...(state === undefined ? [] : [states[state]]),
    ...(type === undefined ? [] : [sql`d.type = ${type}`]),
    ...(connectionId === undefined ? [] : [sql`d.connection_id = ${connectionId}`]),
    ...(receiver === undefined ? [] : [sql`d.receiver_id = ${receiver}`]),
    ...(integrationKey === undefined ? [] : [sql`d.integration_key = ${integrationKey}`]),
    ...(status === undefined ? [] : [statuses[status]]),
    ...(since === undefined ? [] : [sql`d.created_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`d.created_at < ${until}`]),
  ];
}

function holdsText(text: string): RawBuilder<unknown> {
  const wanted = text.toLowerCase();
  const parts = [sql`d.url`, sql`d.connection_id`, sql`d.integration_key`, sql`d.last_error`];
  const found = parts.map((part) => sql`strpos(lower(${part}), ${wanted}) > 0`);
  return sql`(${sql.join(found, sql` or `)})`;
}

/** With a payload, the body is what the delivery has of its own. Each is null where it is large. */
interface SealedBody {
  readonly body: Buffer | null;
  readonly payloadId: string | null;
  readonly payload: Buffer | null;
}

export async function findDeliveryRow(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<(DeliveryRow & SealedBody) | undefined> {
  const result = await sql<DeliveryRow & SealedBody>`
    select ${columns}, ${smallBytes("d.body")} as body, d.payload_id,
           ${smallBytes("p.body")} as payload
      from webhook_deliveries d
      join webhook_receivers r on r.environment_id = ${environmentId} and r.id = d.receiver_id
      left join webhook_payloads p on p.environment_id = ${environmentId} and p.id = d.payload_id
     where d.environment_id = ${environmentId} and ${isDelivery(id)}`.execute(db);
  return result.rows[0];
}

function isDelivery(id: string): RawBuilder<unknown> {
  return hasId("d", id);
}

export async function listAttemptRows(
  db: Db,
  environmentId: EnvironmentId,
  { id, createdAt, endedAt }: Pick<DeliveryRow, "id" | "createdAt" | "endedAt">,
): Promise<AttemptRow[]> {
  // Some time more, since processes have clocks of their own.
  const until = endedAt === null ? undefined : addMs(endedAt, HOUR);
  const result = await sql<AttemptRow>`
    select a.id, a.status, a.error, a.answer, a.duration_ms, a.created_at, a.signed_at::text, a.signature
      from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where a.environment_id = ${environmentId} and d.environment_id = ${environmentId} and ${isDelivery(id)}
       and a.created_at >= ${addMs(createdAt, -HOUR)}
       and ${until === undefined ? sql`true` : sql`a.created_at < ${until}`}
     order by a.created_at, a.id`.execute(db);
  return result.rows;
}

/**
 * Queued again with all its attempts; one that waits comes sooner, and of one that is being sent the outcome no
 * longer counts. Undefined when there is none.
 */
export async function queueAgain(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<Position | undefined> {
  const result = await sql<Position>`
    update webhook_deliveries d
       set ${queuedAgain} ${now}, fence = fence + 1, leased_until = null
     where d.environment_id = ${environmentId} and ${isDelivery(id)}
    returning d.id, d.created_at`.execute(db);
  return result.rows[0];
}

export interface Range {
  readonly filter: DeliveryFilter & { readonly since: Date; readonly until: Date };
  readonly after: Position | undefined;
}

/** The last of the deliveries that one batch of a replay looks at; undefined when it looks at all that are left. */
export async function findRangeBound(
  db: Db,
  environmentId: EnvironmentId,
  range: Range,
): Promise<Position | undefined> {
  const { table, id } = sourceOf(range.filter);
  const query = sql<Position>`
    select d.created_at, ${id} as id from ${table} d where ${sql.join(keysOf(environmentId, range), sql` and `)}
     order by d.created_at, ${id} offset ${MOST_SCANNED - 1} limit 1`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows[0]);
}

/** Of the filter, what the index has in which the range is read. */
function keysOf(environmentId: EnvironmentId, { filter, after }: Range): RawBuilder<unknown>[] {
  const { id, indexed } = sourceOf(filter);
  const { since, until } = filter;
  return [
    sql`d.environment_id = ${environmentId}`,
    ...conditions({ since, until, ...indexed }),
    ...(after === undefined
      ? []
      : [sql`(d.created_at, ${id}) > (${after.createdAt}, ${after.id}::uuid)`]),
  ];
}

interface Batch extends Range {
  readonly bound: Position | undefined;
  readonly now: Date;
  /** What has ended later was sent again already. */
  readonly endedUntil: Date;
  readonly limit: number;
  /** Whether deliveries are made ready for distribution. */
  readonly isPrepared: boolean;
}

/** Queues ended deliveries up to the bound again, oldest first; resolves to them in this order. */
export async function queueRangeAgain(
  db: Db,
  environmentId: EnvironmentId,
  { filter, after, bound, now, endedUntil, limit, isPrepared }: Batch,
): Promise<readonly Position[]> {
  const { since, until } = filter;
  const { table, id } = sourceOf(filter);
  const own = isOwn("d", environmentId, isPrepared);
  const keys = [
    ...keysOf(environmentId, { filter, after }),
    ...(bound === undefined
      ? []
      : [sql`(d.created_at, ${id}) <= (${bound.createdAt}, ${bound.id}::uuid)`]),
  ];
  const wanted = [sql`d.state <> 'waiting' and d.ended_at <= ${endedUntil}`, ...conditions(filter)];
  const locked = sql<Position>`
    select d.id, d.created_at
      from (select d.created_at, ${id} as id from ${table} d where ${sql.join(keys, sql` and `)}
             order by d.created_at, ${id} offset 0) k
      cross join lateral (
        select d.id, d.created_at from webhook_deliveries d
          join webhook_receivers r on r.environment_id = ${environmentId} and r.id = d.receiver_id
         where ${own} and d.id = k.id and d.created_at = k.created_at and (${sql.join(wanted, sql` and `)}) is true
           for update of d) d
     limit ${limit}`;
  if (isPrepared) {
    const ordered = sql<Position>`select * from (${locked}) d order by created_at, id`;
    const { rows } = await ordered.execute(db);
    await queueKeysAgain(db, environmentId, { keys: rows, now });
    return rows;
  }
  const result = await sql<Position>`
    with wanted as materialized (${locked}), queued as (
      update webhook_deliveries d set ${queuedAgain} ${now}
        from wanted
       where ${own} and d.id = wanted.id and d.created_at = wanted.created_at
         and ${sql.join(conditions({ since, until }), sql` and `)}
      returning d.created_at, d.id
    )
    select created_at, id from queued order by created_at, id`.execute(db);
  return result.rows;
}

/** What it asks for, its times as text. */
type StoredFilter = Omit<AskedReplay, "since" | "until"> & { since: string; until: string };

const replayColumns = sql`id, replayed, started_at, ended_at`;

/** False where the same is running. */
export async function insertReplay(
  db: Db,
  environmentId: EnvironmentId,
  replay: { id: string; hash: Buffer; filter: AskedReplay; startedAt: Date },
): Promise<boolean> {
  const { id, hash, filter, startedAt } = replay;
  const result = await sql`
    insert into webhook_replays (id, environment_id, hash, filter, started_at)
    values (${id}, ${environmentId}, ${hash}, ${JSON.stringify(filter)}, ${startedAt})
    on conflict (environment_id, hash) where ended_at is null do nothing`.execute(db);
  return result.numAffectedRows === 1n;
}

export async function findRunningReplay(
  db: Db,
  environmentId: EnvironmentId,
  hash: Buffer,
): Promise<Replay | undefined> {
  const result = await sql<Replay>`
    select ${replayColumns} from webhook_replays
     where environment_id = ${environmentId} and hash = ${hash} and ended_at is null`.execute(db);
  return result.rows[0];
}

export async function findReplay(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Replay | undefined> {
  const result = await sql<Replay>`
    select ${replayColumns} from webhook_replays
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return result.rows[0];
}

export interface LockedReplay extends Replay {
  readonly filter: AskedReplay & { readonly until: Date };
  /** The last delivery that was queued again. */
  readonly after: Position | undefined;
}

type LockedRow = Replay & {
  filter: StoredFilter;
  afterCreatedAt: Date | null;
  afterId: string | null;
};

/** For the caller's transaction alone; undefined where it has ended, or its environment is gone. */
export async function lockReplay(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<LockedReplay | undefined> {
  const result = await sql<LockedRow>`
    select ${replayColumns}, filter, after_created_at, after_id from webhook_replays
     where environment_id = ${environmentId} and id = ${id} and ended_at is null
       and environment_id in (select id from environments where deleted_at is null)
       for update of webhook_replays`.execute(db);
  const [row] = result.rows;
  if (row === undefined) return undefined;
  const { filter, afterCreatedAt, afterId, ...replay } = row;
  return {
    ...replay,
    filter: { ...filter, since: new Date(filter.since), until: new Date(filter.until) },
    after:
      afterCreatedAt === null || afterId === null
        ? undefined
        : { createdAt: afterCreatedAt, id: afterId },
  };
}

export async function storeProgress(
  db: Db,
  environmentId: EnvironmentId,
  progress: { id: string; replayed: number; after: Position | undefined; endedAt: Date | null },
): Promise<void> {
  const { id, replayed, after, endedAt } = progress;
  await sql`
    update webhook_replays
       set replayed = ${replayed}, ended_at = ${endedAt},
           after_created_at = coalesce(${after?.createdAt ?? null}::timestamptz, after_created_at),
           after_id = coalesce(${after?.id ?? null}::uuid, after_id)
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

export async function deleteReplaysBefore(
  db: Db,
  environmentId: EnvironmentId,
  before: Date,
): Promise<void> {
  await sql`
    delete from webhook_replays
     where environment_id = ${environmentId} and started_at < ${before}`.execute(db);
}
