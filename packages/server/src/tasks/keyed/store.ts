import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot, runNamed } from "#foundation/db";
import { priorityText } from "#foundation/fair-slots";

export interface KeyedWork {
  readonly task: string;
  readonly queueKey: string;
}

/** Who is to be woken, as `notifyDue` does. */
export interface Notice {
  readonly channel: string;
  readonly name: string;
}

export interface NewKeyedTask extends KeyedWork {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly payload: string;
  readonly runAt: Date;
}

/** An expression that queues work behind all other of its key, and announces what may start at once. */
export function entering(row: NewKeyedTask, { channel, name }: Notice): RawBuilder<unknown> {
  const { id, environmentId, task, queueKey, payload, runAt } = row;
  return sql`case when enter_lane(${id}::uuid, ${environmentId}::uuid, ${task}::text, ${queueKey}::text, ${payload}::jsonb,
    ${runAt}::timestamptz) then pg_notify(${channel}, ${name}) end`;
}

export async function insertKeyedTask(db: Db, row: NewKeyedTask, notice: Notice): Promise<void> {
  await runNamed(db, "lane_enter", sql`select ${entering(row, notice)}`);
}

/** Stores work behind all other of its key, in this order; whose turn it is is decided later (`settleKeyedTasks`). */
export async function insertKeyedTasks(db: Db, rows: readonly NewKeyedTask[]): Promise<void> {
  await sql`
    insert into lane_tasks (id, environment_id, task, lane, payload, run_at, state)
    select id, environment_id, task, lane, payload, run_at, 'entered'
      from unnest(${rows.map(({ id }) => id)}::uuid[],
                  ${rows.map(({ environmentId }) => environmentId)}::uuid[],
                  ${rows.map(({ task }) => task)}::text[], ${rows.map(({ queueKey }) => queueKey)}::text[],
                  ${rows.map(({ payload }) => payload)}::jsonb[],
                  ${rows.map(({ runAt }) => runAt)}::timestamptz[])
           with ordinality as t (id, environment_id, task, lane, payload, run_at, nth)
     order by nth`.execute(db);
}

const nextEntered = hotStatement(
  "lanes_entered",
  `select environment_id as "environmentId" from lane_tasks
    where state = 'entered' and ($1::uuid is null or environment_id > $1)
    order by environment_id limit 1`,
);

/** The next environment after this one, or the first, that has work whose turn is not decided. */
export async function findEntered(
  db: Db,
  after?: EnvironmentId,
): Promise<EnvironmentId | undefined> {
  const [row] = await runHot<{ environmentId: EnvironmentId }>(db, nextEntered([after ?? null]));
  return row?.environmentId;
}

/** Decides whose turn it is, the longest stored first; resolves to for how many. */
export async function settleKeyedTasks(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ isFirst: boolean | null }>`
    with entered as materialized (
      select id, task, lane from lane_tasks
       where state = 'entered' and environment_id = ${environmentId}
       order by position limit ${limit} for update skip locked)
    select settle_lane(id, task, lane) as is_first from entered`.execute(db);
  return rows.filter(({ isFirst }) => isFirst !== null).length;
}

/**
 * An expression that ends work: the next of its key may start, which is announced, as is the room for others;
 * nothing where it is in none.
 */
export function leaving(id: string, { channel, name }: Notice): RawBuilder<unknown> {
  return sql`case when leave_lane(${id}::uuid) then pg_notify(${channel}, ${name}) end`;
}

export async function deleteKeyedTask(db: Db, id: string, notice: Notice): Promise<void> {
  await runNamed(db, "lane_leave", sql`select ${leaving(id, notice)}`);
}

export async function postponeKeyedTaskRow(db: Db, id: string, runAt: Date): Promise<void> {
  await sql`
    update lane_tasks set state = 'ready', run_at = ${runAt} where id = ${id}`.execute(db);
}

const due = hotStatement(
  "lanes_due",
  `select t.task, earliest.run_at as "nextRunAt" from unnest($1::text[]) as t (task)
    cross join lateral (
      select case
        when exists (select from lane_tasks where task = t.task and state = 'ready' and run_at <= $2) then $2
        else (select min(run_at) from lane_tasks where task = t.task and state = 'ready') end as run_at) earliest
    where earliest.run_at is not null
   union all
   select null, $2 where exists (select from lane_tasks where state = 'entered')`,
);

export interface DueTasks {
  /** When the first work of a task may run, now for what may have run before; not those without any. */
  readonly nextRunAt: ReadonlyMap<string, Date>;
  /** Whether there is work whose turn is not decided. */
  readonly hasEntered: boolean;
}

export async function listDueTasks(db: Db, tasks: readonly string[], now: Date): Promise<DueTasks> {
  const rows = await runHot<{ task: string | null; nextRunAt: Date }>(db, due([tasks, now]));
  const named = rows.flatMap(({ task, nextRunAt }) =>
    task === null ? [] : [[task, nextRunAt] as const],
  );
  return { nextRunAt: new Map(named), hasEntered: named.length < rows.length };
}

export interface EnvironmentLoad {
  readonly environmentId: EnvironmentId;
  /** Pieces of work that are in the queue or running. */
  readonly busy: number;
}

export interface QueuedLoad extends EnvironmentLoad {
  /** Null when nothing else may start. */
  readonly nextRunAt: Date | null;
}

/** What the environments have in the queue of a task, and when the first of what else they have may run. */
export async function readLoads(db: Db, task: string): Promise<QueuedLoad[]> {
  // One environment after the other, so that of what waits only the first is read.
  const query = sql<QueuedLoad>`
    select e.id as environment_id, handed.count as busy, ready.run_at as next_run_at
      from environments e
     cross join lateral (
       select count(*)::int as count from lane_tasks
        where task = ${task} and environment_id = e.id and state = 'handed') handed
      left join lateral (
       select run_at from lane_tasks
        where task = ${task} and environment_id = e.id and state = 'ready'
        order by run_at limit 1) ready on true
     where handed.count > 0 or ready.run_at is not null`;
  return await runNamed(db, "lane_loads", query);
}

export interface Share extends EnvironmentLoad {
  /** How many more it may have. */
  readonly more: number;
}

export interface HandedTask {
  readonly id: string;
  readonly payload: string;
}

const priority = sql.raw(
  priorityText({ held: "e.busy", nth: "l.nth", since: "l.run_at", now: "clock.now" }),
);

/** Takes what may run now, least busy environments first, and of each what has waited longest. */
export async function handOut(
  db: Db,
  task: string,
  { shares, room, now }: { shares: readonly Share[]; room: number; now: Date },
): Promise<HandedTask[]> {
  const query = sql<HandedTask & { position: string }>`
    with chosen as (
      select l.id
        from unnest(${shares.map(({ environmentId }) => environmentId)}::uuid[],
                    ${shares.map(({ busy }) => busy)}::int[],
                    ${shares.map(({ more }) => more)}::int[]) as e (environment_id, busy, more)
       cross join (select ${now}::timestamptz as now) clock
       cross join lateral (
         select id, run_at, row_number() over (order by run_at, position) as nth from (
           select id, run_at, position from lane_tasks
            where task = ${task} and state = 'ready' and environment_id = e.environment_id
              and run_at <= ${now}
            order by run_at, position limit e.more) first) l
       order by ${priority}, l.run_at limit ${room}
    )
    update lane_tasks set state = 'handed'
     where state = 'ready' and id in (select id from chosen)
    returning id, payload::text, position`;
  const rows = await runNamed(db, "lane_hand_out", query);
  return rows.toSorted((a, b) => Number(a.position) - Number(b.position));
}

/** Makes work ready again whose job has gone from the queue without an end; returns its ids. */
export async function returnLost(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update lane_tasks l set state = 'ready'
     where state = 'handed' and not exists (
       select 1 from graphile_worker.jobs j
        where j.key = l.id::text and (j.attempts < j.max_attempts or j.locked_at is not null))
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}
