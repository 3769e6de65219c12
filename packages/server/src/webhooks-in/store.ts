import { type ColumnType, type RawBuilder, type SqlBool, sql } from "kysely";
import { type EnvironmentId, MINUTE, type OperationId, SECOND } from "#foundation";
import { type Db, hotStatement, literal, readLargeBytes, runHot, smallBytes } from "#foundation/db";
import type { InboundWebhook, InboxState } from "./inbox/inbox.ts";

export interface NewWebhook {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  readonly request: Buffer;
  readonly bodyBytes: number;
  readonly isVerified: boolean;
  readonly types: readonly string[];
  readonly completes: boolean;
  readonly receivedAt: Date;
}

// One statement, and so one commit and one announcement, for as many as came in meanwhile.
const insert = hotStatement(
  "inbox_insert",
  `with added as (
     insert into inbound_webhooks
       (id, environment_id, integration_id, request, body_bytes, is_verified, types, completes,
        received_at, next_attempt_at)
     select id, environment_id, integration_id, request, body_bytes, is_verified, types, completes,
            received_at, received_at
       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::int[], $6::bool[], $7::jsonb[],
                   $8::bool[], $9::timestamptz[])
            with ordinality as t (id, environment_id, integration_id, request, body_bytes, is_verified,
                                  types, completes, received_at, place)
      order by place)
   select pg_notify($10, $11)`,
);

/** Stores webhooks in their order and wakes who handles them. */
export async function insertWebhooks(
  db: Db,
  rows: readonly NewWebhook[],
  { channel, name }: { channel: string; name: string },
): Promise<void> {
  await runHot(
    db,
    insert([
      rows.map(({ id }) => id),
      rows.map(({ environmentId }) => environmentId),
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ request }) => request),
      rows.map(({ bodyBytes }) => bodyBytes),
      rows.map(({ isVerified }) => isVerified),
      rows.map(({ types }) => JSON.stringify(types)),
      rows.map(({ completes }) => completes),
      rows.map(({ receivedAt }) => receivedAt),
      channel,
      name,
    ]),
  );
}

const insertLarge = hotStatement(
  "inbox_insert_large",
  `with added as (
     insert into inbound_webhooks
       (id, environment_id, integration_id, request, body_bytes, is_verified, types, completes,
        received_at, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9))
   select pg_notify($10, $11)`,
);

/** Stores one webhook whose bytes travel as they are; those of a list are written as text. */
export async function insertLargeWebhook(
  db: Db,
  row: NewWebhook,
  { channel, name }: { channel: string; name: string },
): Promise<void> {
  const { id, environmentId, integrationId, request, bodyBytes, isVerified, completes } = row;
  const types = JSON.stringify(row.types);
  await runHot(
    db,
    insertLarge([
      ...[id, environmentId, integrationId, request, bodyBytes, isVerified, types, completes],
      ...[row.receivedAt, channel, name],
    ]),
  );
}

type Json<T> = ColumnType<T, string, string>;

type InboxTables = {
  inboundWebhooks: Omit<InboundWebhook, "types"> & {
    sequence: number;
    types: Json<readonly string[]>;
    nextAttemptAt: Date | null;
    leasedUntil: Date | null;
  };
  /** Only joined, for its name on the wire. */
  integrations: { id: number; uniqueKey: string };
};

function tables(db: Db) {
  return db.withTables<InboxTables>();
}

const columns = [
  "id",
  "environmentId",
  "integrationId",
  "bodyBytes",
  "isVerified",
  "types",
  "completes",
  "state",
  "attempts",
  "error",
  "operationId",
  "receivedAt",
  "handledAt",
  "isReplay",
] as const;

/** The webhooks of one integration, which are handled in their order. */
export interface InboxQueue {
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  /** Whether the inbox is made ready for distribution; not unless given. */
  readonly isPrepared?: boolean;
}

/** Of rows that are found by their ids. Unless the key has the environment, an index that begins with it may look as short a way. */
export function isOf(
  environmentId: EnvironmentId,
  isPrepared: boolean | undefined,
): RawBuilder<SqlBool> {
  const own = sql<SqlBool>`environment_id = ${environmentId}`;
  return isPrepared ? own : sql<SqlBool>`(${own}) is true`;
}

export interface WaitingQueue extends InboxQueue {
  /** Of the first that waits. */
  readonly nextDueAt: Date;
}

/**
 * Integrations that have something to be handled, the longest due first. Goes from one to the next through the
 * index, so that the queue of one hides no other; what a deleted environment has received waits to be erased.
 */
export async function listQueues(db: Db): Promise<WaitingQueue[]> {
  const first = sql`select integration_id, environment_id, next_attempt_at from inbound_webhooks w`;
  const order = sql`order by integration_id, next_attempt_at limit 1`;
  const { rows } = await sql<WaitingQueue>`
    with recursive queues (integration_id, environment_id, next_attempt_at) as (
      (${first} where state = 'waiting' ${order})
      union all
      select following.* from queues l cross join lateral (
        ${first} where w.state = 'waiting' and w.integration_id > l.integration_id ${order}) following
    )
    select integration_id, environment_id, next_attempt_at as next_due_at from queues
     where environment_id in (select id from environments where deleted_at is null)
     order by next_attempt_at`.execute(db);
  return rows;
}

/** Locks the queue for the caller's transaction; false when another has it. */
export async function lockQueue(db: Db, { integrationId }: InboxQueue): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('inbound_webhooks', ${integrationId}::bigint))
           as taken`.execute(db);
  return rows[0]?.taken ?? false;
}

export interface DueQuery {
  readonly now: Date;
  readonly limit: number;
  /** Past this many bytes of bodies no more webhooks are taken along. */
  readonly maxBytes: number;
}

/** The due webhooks of a queue, oldest first; not those whose installation is being completed. */
export async function listDue(
  db: Db,
  { environmentId, integrationId, isPrepared }: InboxQueue,
  { now, limit, maxBytes }: DueQuery,
): Promise<InboundWebhook[]> {
  const first = sql`
    select id, sum(body_bytes) over (order by sequence) - body_bytes as before from (
      select id, sequence, body_bytes from inbound_webhooks
       where environment_id = ${environmentId} and integration_id = ${integrationId}
         and state = 'waiting' and next_attempt_at <= ${now}
         and (leased_until is null or leased_until < now())
       order by sequence limit ${limit}) as due`;
  return await tables(db)
    .selectFrom("inboundWebhooks")
    .select(columns)
    .select(smallBytes("request").as("request"))
    .where(isOf(environmentId, isPrepared))
    .where("id", "in", sql<string>`(select id from (${first}) as f where before < ${maxBytes})`)
    .orderBy("sequence")
    .execute();
}

// Longer than a provider is waited for.
const COMPLETION_LEASE_MS = 2 * MINUTE;

/**
 * Of what is due of a queue, the first that tells of an installation, for the caller alone; undefined where there is
 * none, or while another process has it.
 */
export async function claimCompleting(
  db: Db,
  { environmentId, integrationId, isPrepared }: InboxQueue,
  now: Date,
): Promise<InboundWebhook | undefined> {
  return await tables(db)
    .updateTable("inboundWebhooks")
    .set({
      leasedUntil: sql<Date>`now() + make_interval(secs => ${COMPLETION_LEASE_MS / SECOND}::float8)`,
    })
    .where(isOf(environmentId, isPrepared))
    .where("id", "=", (query) =>
      query
        .selectFrom("inboundWebhooks")
        .select("id")
        .where("environmentId", "=", environmentId)
        .where("integrationId", "=", integrationId)
        .where("state", "=", "waiting")
        .where("nextAttemptAt", "<=", now)
        .where("completes", "=", true)
        .orderBy("sequence")
        .limit(1),
    )
    .where((row) =>
      row.or([row("leasedUntil", "is", null), row("leasedUntil", "<", sql<Date>`now()`)]),
    )
    .returning(columns)
    .returning(smallBytes("request").as("request"))
    .executeTakeFirst();
}

/** The sealed request of a webhook that is large; undefined where it was deleted. */
export async function readLargeRequest(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Buffer | undefined> {
  const source = `inbound_webhooks
    where environment_id = ${literal(environmentId)} and id = ${literal(id)}`;
  return await readLargeBytes(db, { column: "request", source });
}

/** Nothing was reported yet: the next process completes it. */
export async function giveBackCompleting(
  db: Db,
  { environmentId }: InboxQueue,
  id: string,
): Promise<void> {
  await tables(db)
    .updateTable("inboundWebhooks")
    .set({ leasedUntil: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

const remember = hotStatement(
  "inbox_remember_events",
  `insert into inbound_events (integration_id, hash, environment_id, handled_at)
   select $1, hash, $3, $4 from unnest($2::bytea[]) as t (hash) on conflict do nothing returning hash`,
);

/** The hashes of the events that were not handled before. */
export async function rememberEvents(
  db: Db,
  { environmentId, integrationId }: InboxQueue,
  { hashes, now }: { hashes: readonly Buffer[]; now: Date },
): Promise<Buffer[]> {
  const rows = await runHot<{ hash: Buffer }>(
    db,
    remember([integrationId, hashes, environmentId, now]),
  );
  return rows.map(({ hash }) => hash);
}

export interface WebhookOutcome {
  readonly id: string;
  readonly state: InboxState;
  readonly error: string | null;
  readonly operationId: OperationId | null;
}

/** Writes how webhooks have ended, in one statement. */
export async function storeOutcomes(
  db: Db,
  { environmentId }: InboxQueue,
  outcomes: readonly WebhookOutcome[],
  now: Date,
): Promise<void> {
  await sql`
    update inbound_webhooks w
       set state = o.state, error = o.error, operation_id = o.operation_id, handled_at = ${now},
           attempts = attempts + 1, next_attempt_at = null
      from unnest(${outcomes.map(({ id }) => id)}::uuid[], ${outcomes.map(({ state }) => state)}::text[],
                  ${outcomes.map(({ error }) => error)}::text[],
                  ${outcomes.map(({ operationId }) => operationId)}::uuid[])
           as o (id, state, error, operation_id)
     where w.id = o.id and w.environment_id = ${environmentId} and w.state = 'waiting'`.execute(db);
}

/** Notes a failure of ours; without a next attempt it was the last. */
export async function storeFailure(
  db: Db,
  { environmentId }: InboxQueue,
  failure: { id: string; error: string; nextAttemptAt: Date | undefined },
): Promise<void> {
  const { id, error, nextAttemptAt } = failure;
  await tables(db)
    .updateTable("inboundWebhooks")
    .set((row) => ({
      attempts: row("attempts", "+", 1),
      error,
      nextAttemptAt: nextAttemptAt ?? null,
      leasedUntil: null,
      state: nextAttemptAt === undefined ? ("failed" as const) : ("waiting" as const),
    }))
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .execute();
}

/** The installation that the webhook tells of is taken care of. */
export async function storeCompleted(
  db: Db,
  { environmentId }: InboxQueue,
  id: string,
): Promise<void> {
  await tables(db)
    .updateTable("inboundWebhooks")
    .set({ completes: false, leasedUntil: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .execute();
}
