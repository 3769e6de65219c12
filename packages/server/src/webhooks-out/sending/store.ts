import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId, OperationId } from "#foundation";
import { type Db, literal, readLargeBytes, runNamed, smallBytes } from "#foundation/db";
import { hasIdText } from "#foundation/db/day-partitions";
import { priorityText } from "#foundation/fair-slots";
import { isOpenIn, madeAt, type OpenRange, RECEIVERS_IN_QUEUE, receiversOf } from "../store.ts";

export interface ClaimedDelivery {
  readonly id: string;
  readonly createdAt: Date;
  readonly environmentId: EnvironmentId;
  readonly receiverId: string;
  readonly url: string;
  /** Sealed; null where it is large, and read by itself. */
  readonly body: Buffer | null;
  readonly headers: Buffer | null;
  /** What it has in common with others. */
  readonly payloadId: string | null;
  /** Of all that is read to send it. */
  readonly bytes: number;
  readonly operationId: OperationId | null;
  /** Of the work that queued it. */
  readonly traceparent: string | null;
  readonly attempts: number;
  readonly fence: number;
}

/** How many more deliveries each receiver may be sent at once; `standard` for those not named. */
export interface Rooms {
  readonly standard: number;
  readonly byReceiver: Readonly<Record<string, number>>;
}

/** What environments have under way in this process, and what one may have. */
export interface Shares {
  readonly held: Readonly<
    Record<EnvironmentId, { readonly count: number; readonly bytes: number }>
  >;
  readonly ceiling: { readonly count: number; readonly bytes: number };
}

export interface ClaimQuery {
  /** Where deliveries are distributed: of which environment. */
  readonly environmentId?: EnvironmentId;
  readonly now: Date;
  readonly open: OpenRange;
  readonly limit: number;
  /** Past so many no more is taken along. */
  readonly maxBytes: number;
  readonly leaseMs: number;
  readonly rooms: Rooms;
  readonly shares: Shares;
}

// Of each receiver, what other senders have leased is passed over; with a bound, so that no plan sorts a whole backlog.
const PASSED_OVER_AT_MOST = 1000;

const receiversInQueue = sql.raw(RECEIVERS_IN_QUEUE);

/** What a claim says of an environment where it is about one; of each table, by its name in the query. */
function partsOf(environmentId: EnvironmentId | undefined) {
  const queue = environmentId === undefined ? receiversInQueue : receiversOf(environmentId);
  const own = (table: string): RawBuilder<unknown> =>
    environmentId === undefined
      ? sql`true`
      : sql`${sql.ref(`${table}.environment_id`)} = ${environmentId}`;
  return { queue, own };
}

// What a crash of the database undoes here is sent again, so that neither waits for its disk.
const withoutWaiting = sql`hurry as materialized (
    select set_config('synchronous_commit', 'off', true) as commits
  )`;

const priority = sql.raw(
  priorityText({ held: "held", nth: "nth", since: "next_attempt_at", now: "clock" }),
);

/**
 * Leases what is due, by the priority of the environments and of none more than its share; a lease that ran out belongs to
 * a sender that died.
 */
export async function claimDeliveries(db: Db, query: ClaimQuery): Promise<ClaimedDelivery[]> {
  const { now, limit, maxBytes, leaseMs, rooms, shares } = query;
  const isOpen = isOpenIn(query.open);
  const { queue, own } = partsOf(query.environmentId);
  // Citus takes no setting within a statement.
  const isPlain = query.environmentId === undefined;
  const claim = sql<ClaimedDelivery>`
    with recursive ${isPlain ? sql`${withoutWaiting}, ` : sql``}${queue},
    due as materialized (
      select waiting.id, waiting.created_at, waiting.bytes, waiting.next_attempt_at, r.environment_id
        from queue q
        join webhook_receivers r on ${own("r")} and r.id = q.receiver_id and r.disabled_at is null
        cross join lateral (
          select coalesce((${JSON.stringify(rooms.byReceiver)}::jsonb ->> r.id::text)::int, ${rooms.standard}::int) as room
        ) own
        cross join lateral (
          select d.id, d.created_at, d.next_attempt_at, d.bytes
            from (
              select t.delivery_id, t.created_at from delivery_turns t
               where ${own("t")} and t.receiver_id = r.id
                 and t.next_attempt_at > '-infinity' and t.next_attempt_at <= ${now}
               order by t.next_attempt_at limit own.room + ${PASSED_OVER_AT_MOST}) turn
            cross join lateral (
              select d.id, d.created_at, d.next_attempt_at,
                     octet_length(d.body) + coalesce(
                       (select octet_length(p.body) from webhook_payloads p where ${own("p")} and p.id = d.payload_id), 0
                     ) as bytes
                from webhook_deliveries d
               where ${own("d")} and ${isOpen} and d.id = turn.delivery_id and d.created_at = turn.created_at
                 and (d.state = 'waiting' and d.next_attempt_at <= ${now}
                      and (d.leased_until is null or d.leased_until < now())) is true
                 for update skip locked) d
           limit own.room
        ) waiting
    ), busy as (
      select key::uuid as environment_id, (value ->> 'count')::int as held, (value ->> 'bytes')::int as held_bytes
        from jsonb_each(${JSON.stringify(shares.held)}::jsonb)
    ), ranked as (
      select id, created_at, bytes, next_attempt_at, ${now}::timestamptz as clock, coalesce(held, 0) as held,
             row_number() over own as nth,
             coalesce(held_bytes, 0) + sum(bytes) over own - bytes as bytes_before
        from due left join busy using (environment_id)
      window own as (partition by environment_id order by next_attempt_at, id)
    ), chosen as (
      select id, created_at, bytes, next_attempt_at, ${priority} as turn from ranked
       where held + nth <= ${shares.ceiling.count} and bytes_before < ${shares.ceiling.bytes}
       order by turn, next_attempt_at, id limit ${limit}
    ), taken as (
      select id, created_at, bytes, sum(bytes) over (order by turn, next_attempt_at, id) - bytes as before from chosen
    )
    update webhook_deliveries d
       set fence = d.fence + 1,
           leased_until = now() + make_interval(secs => ${leaseMs / 1000}::float8)
      from taken${isPlain ? sql`, hurry` : sql``}
     where ${own("d")} and ${isOpen} and d.id = taken.id and d.created_at = taken.created_at and taken.before < ${maxBytes}
    returning d.id, d.created_at, d.environment_id, d.receiver_id, d.url, ${smallBytes("d.body")} as body, d.headers, d.payload_id, taken.bytes,
              d.operation_id, d.traceparent, d.attempts, d.fence`;
  return await runNamed(db, isPlain ? "delivery_claim" : "delivery_claim_one", claim);
}

/** The sealed body of a delivery, or of what several send, that is large. */
export async function readLargeBody(
  db: Db,
  environmentId: EnvironmentId,
  { table, id }: { table: "webhook_deliveries" | "webhook_payloads"; id: string },
): Promise<Buffer | undefined> {
  // Only deliveries are kept by day.
  const row =
    table === "webhook_deliveries" ? hasIdText(table, literal(id)) : `id = ${literal(id)}`;
  const source = `${table} where environment_id = ${literal(environmentId)} and ${row}`;
  return await readLargeBytes(db, { column: "body", source });
}

export interface PayloadRow {
  /** Sealed; null where it is large. */
  readonly body: Buffer | null;
  readonly headers: Buffer | null;
}

export async function findPayload(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<PayloadRow | undefined> {
  const result = await sql<PayloadRow>`
    select ${smallBytes("body")} as body, headers from webhook_payloads
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return result.rows[0];
}

// Of each receiver so many of the oldest are looked at; more are not leased at once.
const LEASED_AT_MOST = 65;

/** When to look again, by the clock of `now`: the next attempt that is due, or a lease's end. */
export async function findNextDue(
  db: Db,
  {
    environmentId,
    now,
    open,
    rooms,
    shares,
  }: Pick<ClaimQuery, "environmentId" | "now" | "open" | "rooms" | "shares">,
): Promise<Date | undefined> {
  const { queue, own } = partsOf(environmentId);
  const { held, ceiling } = shares;
  const isOpen = isOpenIn(open);
  const crowded = Object.entries(held).flatMap(([id, { count, bytes }]) =>
    count >= ceiling.count || bytes >= ceiling.bytes ? [id] : [],
  );
  const full = Object.entries(rooms.byReceiver).flatMap(([id, room]) => (room > 0 ? [] : [id]));
  const query = sql<{ nextDueAt: Date | null }>`
    with recursive ${queue}
    select min(greatest(waiting.next_attempt_at, ${now}::timestamptz + (waiting.leased_until - now())))
           as next_due_at
      from queue q
      join webhook_receivers r on ${own("r")} and r.id = q.receiver_id and r.disabled_at is null
      cross join lateral (
        select turn.next_attempt_at, d.leased_until
          from (
            select t.delivery_id, t.created_at, t.next_attempt_at from delivery_turns t
             where ${own("t")} and t.receiver_id = r.id and t.next_attempt_at > '-infinity'
             order by t.next_attempt_at limit ${LEASED_AT_MOST}) turn
          cross join lateral (
            select d.leased_until from webhook_deliveries d
             where ${own("d")} and ${isOpen} and d.id = turn.delivery_id and d.created_at = turn.created_at offset 0) d
      ) waiting
     where r.id <> all(${full}::uuid[]) and r.environment_id <> all(${crowded}::uuid[])`;
  const name = environmentId === undefined ? "delivery_next_due" : "delivery_next_due_one";
  const [row] = await runNamed(db, name, query);
  return row?.nextDueAt ?? undefined;
}

export interface DeliveryOutcome {
  readonly id: string;
  readonly createdAt: Date;
  readonly environmentId: EnvironmentId;
  readonly receiverId: string;
  readonly fence: number;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly endedAt: Date | null;
  readonly attemptId: string;
  /** Sealed. */
  readonly answer: Buffer | null;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Value of `webhook-timestamp`; null where nothing was sent. */
  readonly signedAt: number | null;
  readonly signature: string | null;
}

/**
 * Ends the leases and notes the attempts; resolves to the ids of those that no other sender had taken over. A
 * receiver that has received is no longer failing, and open again if it was disabled. Where replicas are read the commit
 * waits for the disk: a position of the primary covers nothing that is not there.
 */
export async function storeOutcomes(
  db: Db,
  outcomes: readonly DeliveryOutcome[],
  { waitsForDisk = false } = {},
): Promise<Set<string>> {
  const column = <Key extends keyof DeliveryOutcome>(key: Key): DeliveryOutcome[Key][] =>
    outcomes.map((outcome) => outcome[key]);
  const times = outcomes.map(({ createdAt }) => createdAt.getTime());
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const query = sql<{ id: string }>`
    with ${waitsForDisk ? sql`` : sql`${withoutWaiting}, `}outcome as (
      select * from unnest(
        ${column("id")}::uuid[], ${column("environmentId")}::uuid[], ${column("fence")}::bigint[],
        ${column("state")}::text[], ${column("attempts")}::int[], ${column("nextAttemptAt")}::timestamptz[],
        ${column("status")}::int[], ${column("error")}::text[], ${column("endedAt")}::timestamptz[],
        ${column("attemptId")}::uuid[], ${column("answer")}::bytea[], ${column("startedAt")}::timestamptz[],
        ${column("durationMs")}::int[], ${column("receiverId")}::uuid[], ${column("createdAt")}::timestamptz[],
        ${column("signedAt")}::bigint[], ${column("signature")}::text[]
      ) as o (id, environment_id, fence, state, attempts, next_attempt_at, status, error, ended_at,
              attempt_id, answer, started_at, duration_ms, receiver_id, created_at, signed_at, signature)
    ), stored as (
      update webhook_deliveries d
         set state = o.state, attempts = o.attempts, next_attempt_at = o.next_attempt_at,
             last_status = o.status, last_error = o.error, ended_at = o.ended_at, leased_until = null
        from outcome o${waitsForDisk ? sql`` : sql`, hurry`}
       where d.id = o.id and ${madeAt("d", sql`o.created_at`)}
         and d.created_at >= ${first} and d.created_at < ${last}::timestamptz + interval '1 millisecond'
         and d.environment_id = o.environment_id and d.fence = o.fence and d.state = 'waiting'
      returning d.id
    ), tried as (
      insert into webhook_attempts
        (environment_id, id, delivery_id, status, error, answer, duration_ms, created_at, signed_at, signature)
      select o.environment_id, o.attempt_id, o.id, o.status, o.error, o.answer, o.duration_ms, o.started_at,
             o.signed_at, o.signature
        from outcome o join stored using (id)
    ), recovered as (
      update webhook_receivers
         set failing_since = null, disabled_at = null
       where failing_since is not null
         and id in (select o.receiver_id from outcome o where o.state = 'delivered')
    )
    select id from stored`;
  const name = waitsForDisk ? "delivery_outcomes_on_disk" : "delivery_outcomes";
  return new Set((await runNamed(db, name, query)).map(({ id }) => id));
}

export interface DisabledReceiver {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly url: string;
  readonly failingSince: Date;
}

/** Notes since when they fail; disables and returns those that fail for longer than `patienceMs`. */
export async function noteFailing(
  db: Db,
  {
    environmentId,
    receivers,
    now,
    patienceMs,
  }: {
    /** Where receivers are distributed: whose they are. */
    environmentId?: EnvironmentId;
    receivers: readonly string[];
    now: Date;
    patienceMs: number;
  },
): Promise<DisabledReceiver[]> {
  const own = environmentId === undefined ? sql`true` : sql`environment_id = ${environmentId}`;
  const since = new Date(now.getTime() - patienceMs);
  const result = await sql<DisabledReceiver & { isDisabled: boolean }>`
    update webhook_receivers
       set failing_since = coalesce(failing_since, ${now}),
           disabled_at = case when failing_since <= ${since} then ${now}::timestamptz end
     where ${own} and id = any(${receivers}::uuid[]) and disabled_at is null
       and (failing_since is null or failing_since <= ${since})
    returning id, environment_id, url, failing_since, disabled_at is not null as is_disabled
  `.execute(db);
  return result.rows.filter(({ isDisabled }) => isDisabled);
}

/** The delivery is due again at once; the attempt does not count. */
export async function giveBack(
  db: Db,
  environmentId: EnvironmentId,
  { id, createdAt, fence }: Pick<ClaimedDelivery, "id" | "createdAt" | "fence">,
): Promise<void> {
  await sql`
    update webhook_deliveries set leased_until = null
     where environment_id = ${environmentId} and id = ${id} and ${madeAt("webhook_deliveries", sql`${createdAt}::timestamptz`)}
       and fence = ${fence}
  `.execute(db);
}
