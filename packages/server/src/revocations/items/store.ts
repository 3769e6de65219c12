import { type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { addMs } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import type { Item, ItemState, Outcome } from "../revocation.ts";

const columns = sql.raw(
  `i.revocation_id as "revocationId", i.environment_id as "environmentId", i.position::int as position,
   i.connection_uuid as "connectionUuid", i.connection_id as "connectionId", i.integration_id::int as "integrationId",
   i.integration_key as "integrationKey", i.provider, i.state, i.attempts, i.due_at as "dueAt",
   i.frozen_at as "frozenAt", i.next_refresh_at as "nextRefreshAt", i.kept, i.outcome, i.report,
   i.settled_at as "settledAt"`,
);

export interface NewItem {
  readonly id: number;
  readonly uuid: ConnectionUuid;
  readonly connectionId: string;
  readonly integrationId: number;
  readonly integrationKey: string;
  readonly provider: string;
  readonly nextRefreshAt: Date | null;
}

/** Resolves to how many were new. */
export async function insertItems(
  db: Db,
  environmentId: EnvironmentId,
  given: {
    readonly revocationId: string;
    readonly items: readonly NewItem[];
    readonly frozenAt: Date | null;
    readonly now: Date;
  },
): Promise<number> {
  const { revocationId, items, frozenAt, now } = given;
  const result = await sql`
    insert into revocation_items
      (revocation_id, position, environment_id, connection_uuid, connection_id, integration_id, integration_key,
       provider, due_at, frozen_at, next_refresh_at)
    select ${revocationId}, t.position, ${environmentId}, t.uuid, t.connection_id, t.integration_id,
           t.integration_key, t.provider, ${now}, ${frozenAt}, t.next_refresh_at
      from unnest(${items.map(({ id }) => id)}::bigint[], ${items.map(({ uuid }) => uuid)}::uuid[],
                  ${items.map(({ connectionId }) => connectionId)}::text[],
                  ${items.map(({ integrationId }) => integrationId)}::bigint[],
                  ${items.map(({ integrationKey }) => integrationKey)}::text[],
                  ${items.map(({ provider }) => provider)}::text[],
                  ${items.map(({ nextRefreshAt }) => nextRefreshAt)}::timestamptz[])
        as t (position, uuid, connection_id, integration_id, integration_key, provider, next_refresh_at)
    on conflict (revocation_id, position) do nothing`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

/**
 * Connections whose time has come, oldest first; nobody else gets them before `heldMs` have passed, by which the one
 * who claimed them knows that they are still theirs. A sweeper: it looks at every environment.
 */
export async function claimItems(
  db: Db,
  options: Full & { readonly now: Date; readonly limit: number; readonly heldMs: number },
): Promise<Item[]> {
  const { now, limit, heldMs, busy, crowded } = options;
  const query = sql<Item>`
    with recursive ${freeIntegrations({ busy, crowded })},
    chosen as (
      select d.* from free cross join lateral (
        select revocation_id, position, due_at from revocation_items
         where ${isOf(sql`free.integration_id`, { until: sql`${now}::timestamptz` })}
         order by integration_id, due_at limit ${limit}) d
       order by d.due_at limit ${limit}),
    due as (
      select i.revocation_id, i.position from revocation_items i
        join chosen c on c.revocation_id = i.revocation_id and c.position = i.position
       where i.due_at <= ${now}
         for update of i skip locked)
    update revocation_items i set due_at = ${addMs(now, heldMs)}, attempts = i.attempts + 1
      from due where i.revocation_id = due.revocation_id and i.position = due.position
    returning ${columns}`;
  const { rows } = await byIndex(db, async (db) => await query.execute(db.withoutPlugins()));
  return rows;
}

interface Full {
  readonly busy: readonly number[];
  readonly crowded: readonly EnvironmentId[];
}

/** Integrations that something waits for, each looked up once however much that is, but for those that are full. */
function freeIntegrations({ busy, crowded }: Full) {
  return sql`
    waiting as (
      (select integration_id, environment_id from revocation_items
        where due_at is not null order by integration_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select integration_id, environment_id from revocation_items
         where due_at is not null and integration_id > w.integration_id
         order by integration_id limit 1) next),
    free as (
      select integration_id from waiting
       where integration_id <> all(${busy}::bigint[]) and environment_id <> all(${crowded}::uuid[]))`;
}

export async function findNextDue(db: Db, full: Full): Promise<Date | undefined> {
  const query = sql<{ dueAt: Date }>`
    with recursive ${freeIntegrations(full)}
    select d.due_at from free cross join lateral (
      select due_at from revocation_items
       where ${isOf(sql`free.integration_id`, { until: sql`'infinity'` })}
       order by integration_id, due_at limit 1) d
     order by d.due_at limit 1`;
  const { rows } = await byIndex(db, async (db) => await query.execute(db));
  return rows[0]?.dueAt;
}

/** By pairs, whose order only the index of both columns has: by another one all that is due would be read. */
function isOf(integration: RawBuilder<unknown>, { until }: { until: RawBuilder<unknown> }) {
  return sql`due_at is not null and (integration_id, due_at) >= (${integration}, '-infinity')
    and (integration_id, due_at) <= (${integration}, ${until})`;
}

/** Until it is analyzed after a large revocation, Postgres takes the table for so small that it would read and sort it. */
async function byIndex<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  return await withTransaction({ db }, async ({ db }) => {
    await sql`set local enable_bitmapscan = off`.execute(db);
    return await work(db);
  });
}

type Claimed = Pick<Item, "revocationId" | "position" | "dueAt">;

/** A later time for one that is claimed. */
export async function postponeItem(
  db: Db,
  item: Claimed,
  { dueAt, attempts, outcome }: { dueAt: Date; attempts: number; outcome: Outcome | null },
): Promise<void> {
  await sql`
    update revocation_items
       set due_at = ${dueAt}, attempts = ${attempts},
           outcome = ${outcome === null ? null : JSON.stringify(outcome)}
     where revocation_id = ${item.revocationId} and position = ${item.position} and due_at = ${item.dueAt}`.execute(
    db,
  );
}

export interface Settled {
  readonly state: Exclude<ItemState, "waiting">;
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly report: string;
  readonly settledAt: Date;
}

/** The end of one that is claimed; false when it was released, or its credentials changed, meanwhile. */
export async function settleItem(db: Db, item: Claimed, settled: Settled): Promise<boolean> {
  const result = await sql`
    update revocation_items
       set state = ${settled.state}, outcome = ${JSON.stringify(settled.outcome)}, report = ${settled.report},
           attempts = ${settled.attempts}, settled_at = ${settled.settledAt}, due_at = null, kept = null
     where revocation_id = ${item.revocationId} and position = ${item.position} and due_at = ${item.dueAt}`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0) > 0;
}

export async function listItems(
  db: Db,
  revocationId: string,
  { after, limit, state }: { after: number; limit: number; state?: ItemState | undefined },
): Promise<Item[]> {
  const wanted = state === undefined ? sql`true` : sql`i.state = ${state}`;
  const { rows } = await sql<Item>`
    select ${columns} from revocation_items i
     where i.revocation_id = ${revocationId} and i.position > ${after} and ${wanted}
     order by i.position limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

const releasable = sql`i.state in ('waiting', 'not_withdrawable', 'failed', 'partly_withdrawn')`;

/** Locked until the transaction ends. */
export async function lockReleasable(
  db: Db,
  revocationId: string,
  {
    after,
    limit,
    positions,
  }: { after: number; limit: number; positions: readonly number[] | undefined },
): Promise<Item[]> {
  const named = positions === undefined ? sql`true` : sql`i.position = any(${positions}::bigint[])`;
  const { rows } = await sql<Item>`
    select ${columns} from revocation_items i
     where i.revocation_id = ${revocationId} and i.position > ${after} and ${named} and ${releasable}
     order by i.position limit ${limit} for update`.execute(db.withoutPlugins());
  return rows;
}

export async function storeReports(
  db: Db,
  revocationId: string,
  changes: readonly {
    readonly position: number;
    readonly state: ItemState;
    readonly report: string;
    readonly settledAt: Date | null;
    readonly connectionId: string;
  }[],
): Promise<void> {
  await sql`
    update revocation_items i
       set state = t.state, report = t.report, settled_at = t.settled_at, connection_id = t.connection_id,
           due_at = null, kept = null
      from unnest(${changes.map(({ position }) => position)}::bigint[],
                  ${changes.map(({ state }) => state)}::text[],
                  ${changes.map(({ report }) => report)}::text[],
                  ${changes.map(({ settledAt }) => settledAt)}::timestamptz[],
                  ${changes.map(({ connectionId }) => connectionId)}::text[])
        as t (position, state, report, settled_at, connection_id)
     where i.revocation_id = ${revocationId} and i.position = t.position`.execute(db);
}

type WaitingItem = Pick<Item, "revocationId" | "position" | "connectionUuid">;

/** Where the credentials of connections wait to be withdrawn; in one order, in which they are stored. */
export async function listWaitingOf(
  db: Db,
  environmentId: EnvironmentId,
  uuids: readonly ConnectionUuid[],
): Promise<WaitingItem[]> {
  const { rows } = await sql<WaitingItem>`
    select i.revocation_id as "revocationId", i.position::int as position, i.connection_uuid as "connectionUuid"
      from revocation_items i join revocations r on r.id = i.revocation_id
     where i.connection_uuid = any(${uuids}::uuid[]) and i.environment_id = ${environmentId}
       and i.state = 'waiting' and i.kept is null and not r.is_rehearsal
     order by i.revocation_id, i.position`.execute(db.withoutPlugins());
  return rows;
}

/**
 * Locks what waits for a withdrawal of these connections and no other transaction holds, until this one ends; answers the
 * connections of which another holds some.
 */
export async function lockFreeItemsOf(
  db: Db,
  environmentId: EnvironmentId,
  uuids: readonly ConnectionUuid[],
): Promise<ConnectionUuid[]> {
  const waiting = sql`connection_uuid = any(${uuids}::uuid[]) and environment_id = ${environmentId}
    and state = 'waiting'`;
  const { rows } = await sql<{ connection: ConnectionUuid }>`
    with free as materialized (
      select revocation_id, position from revocation_items where ${waiting} for update skip locked)
    select i.connection_uuid as connection
      from (select revocation_id, position, connection_uuid from revocation_items where ${waiting}) i
      left join free using (revocation_id, position)
     group by i.connection_uuid having count(free.position) < count(*)`.execute(
    db.withoutPlugins(),
  );
  return rows.map(({ connection }) => connection);
}

export interface KeptItem extends Pick<Item, "revocationId" | "position"> {
  /** Sealed. */
  readonly kept: Buffer;
}

export async function storeKept(db: Db, items: readonly KeptItem[]): Promise<void> {
  await sql`
    update revocation_items i set kept = t.kept
      from unnest(${items.map(({ revocationId }) => revocationId)}::uuid[],
                  ${items.map(({ position }) => position)}::bigint[],
                  ${items.map(({ kept }) => kept)}::bytea[]) as t (revocation_id, position, kept)
     where i.revocation_id = t.revocation_id and i.position = t.position`.execute(db);
}

/** Its connection has other credentials now; false where it was released, or is another revocation's by now. */
export async function withdrawAgain(
  db: Db,
  environmentId: EnvironmentId,
  { uuid, revocationId, now }: { uuid: ConnectionUuid; revocationId: string; now: Date },
): Promise<boolean> {
  const result = await sql`
    update revocation_items
       set state = 'waiting', due_at = ${now}, attempts = 0, settled_at = null
     where connection_uuid = ${uuid} and revocation_id = ${revocationId} and environment_id = ${environmentId}
       and state <> 'released'`.execute(db);
  return Number(result.numAffectedRows ?? 0) > 0;
}

/** Of connections whose end user is erased. */
export async function listItemsOf(
  db: Db,
  environmentId: EnvironmentId,
  uuids: readonly ConnectionUuid[],
): Promise<Item[]> {
  const { rows } = await sql<Item>`
    select ${columns} from revocation_items i
     where i.connection_uuid = any(${uuids}::uuid[]) and i.environment_id = ${environmentId}`.execute(
    db.withoutPlugins(),
  );
  return rows;
}
