import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import { turnText } from "#platform/fair-places";

export interface Lane {
  readonly task: string;
  readonly lane: string;
}

/** Until the transaction ends nobody else enters the lane or leaves it. */
export async function lockLane(db: Db, { task, lane }: Lane): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`lane ${task} ${lane}`}, 0))`.execute(
    db,
  );
}

export async function insertLaneTask(
  db: Db,
  row: Lane & {
    readonly id: string;
    readonly environmentId: EnvironmentId;
    readonly payload: string;
    readonly runAt: Date;
  },
): Promise<void> {
  await sql`
    insert into lane_tasks (id, environment_id, task, lane, payload, run_at, state)
    select ${row.id}, ${row.environmentId}, ${row.task}, ${row.lane}, ${row.payload}::jsonb, ${row.runAt},
           case when (select position from lane_tasks where task = ${row.task} and lane = ${row.lane}
                       order by position limit 1) is null
                then 'ready' else 'blocked' end`.execute(db);
}

/** Answers which lane it was in; undefined when it was in none any more. */
export async function deleteLaneTask(db: Db, id: string): Promise<Lane | undefined> {
  const { rows } = await sql<Lane>`
    delete from lane_tasks where id = ${id} returning task, lane`.execute(db);
  return rows[0];
}

export async function unblockNext(db: Db, { task, lane }: Lane): Promise<void> {
  await sql`
    update lane_tasks set state = 'ready'
     where state = 'blocked' and id = (
       select id from lane_tasks where task = ${task} and lane = ${lane} order by position limit 1)
  `.execute(db);
}

export async function postponeLaneTask(db: Db, id: string, runAt: Date): Promise<void> {
  await sql`
    update lane_tasks set state = 'ready', run_at = ${runAt} where id = ${id}`.execute(db);
}

export interface EnvironmentLoad {
  readonly environmentId: EnvironmentId;
  /** Pieces of work that are in the queue or running. */
  readonly busy: number;
}

export interface QueuedLoad extends EnvironmentLoad {
  /** Null when nothing else has its turn. */
  readonly nextRunAt: Date | null;
}

/** What the environments have in the queue of a task, and when the first of what else they have may run. */
export async function readLoads(db: Db, task: string): Promise<QueuedLoad[]> {
  // One environment after the other, so that of what waits only the first is read.
  const { rows } = await sql<QueuedLoad>`
    select e.id as environment_id, handed.count as busy, ready.run_at as next_run_at
      from environments e
     cross join lateral (
       select count(*)::int as count from lane_tasks
        where task = ${task} and environment_id = e.id and state = 'handed') handed
      left join lateral (
       select run_at from lane_tasks
        where task = ${task} and environment_id = e.id and state = 'ready'
        order by run_at limit 1) ready on true
     where handed.count > 0 or ready.run_at is not null`.execute(db);
  return rows;
}

export interface Share extends EnvironmentLoad {
  /** How many more it may have. */
  readonly more: number;
}

export interface HandedTask {
  readonly id: string;
  readonly payload: string;
}

const turn = sql.raw(
  turnText({ held: "e.busy", nth: "l.nth", since: "l.run_at", now: "clock.now" }),
);

/** Takes what may run now, least busy environments first, and of each what has waited longest. */
export async function handOut(
  db: Db,
  task: string,
  { shares, room, now }: { shares: readonly Share[]; room: number; now: Date },
): Promise<HandedTask[]> {
  const { rows } = await sql<HandedTask & { position: string }>`
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
       order by ${turn}, l.run_at limit ${room}
    )
    update lane_tasks set state = 'handed'
     where state = 'ready' and id in (select id from chosen)
    returning id, payload::text, position`.execute(db);
  return rows.toSorted((a, b) => Number(a.position) - Number(b.position));
}

/** Gives turns back whose job has gone from the queue without an end; answers their ids. */
export async function returnLost(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update lane_tasks l set state = 'ready'
     where state = 'handed' and not exists (
       select 1 from graphile_worker.jobs j
        where j.key = l.id::text and (j.attempts < j.max_attempts or j.locked_at is not null))
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}
