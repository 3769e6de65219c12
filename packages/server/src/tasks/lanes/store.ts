import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

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
           case when exists (select 1 from lane_tasks where task = ${row.task} and lane = ${row.lane})
                then 'blocked' else 'ready' end`.execute(db);
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

/** What the environments have in the queue of a task, and which have more that could run now. */
export async function readLoads(
  db: Db,
  task: string,
  now: Date,
): Promise<{ total: number; waiting: EnvironmentLoad[] }> {
  const { rows } = await sql<EnvironmentLoad & { total: number }>`
    with busy as (
      select environment_id, count(*)::int as busy from lane_tasks
       where task = ${task} and state = 'handed' group by environment_id
    ), waiting as (
      select distinct environment_id from lane_tasks
       where task = ${task} and state = 'ready' and run_at <= ${now}
    )
    select w.environment_id, coalesce(b.busy, 0) as busy,
           coalesce((select sum(busy) from busy), 0)::int as total
      from waiting w left join busy b using (environment_id)`.execute(db);
  return { total: rows[0]?.total ?? 0, waiting: rows };
}

export interface Share extends EnvironmentLoad {
  /** How many more it may have. */
  readonly more: number;
}

export interface HandedTask {
  readonly id: string;
  readonly payload: string;
}

/** Takes what may run now, least busy environments first. */
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
       cross join lateral (
         select id, position, row_number() over (order by position) as nth from (
           select id, position from lane_tasks
            where task = ${task} and state = 'ready' and environment_id = e.environment_id
              and run_at <= ${now}
            order by position limit e.more) first) l
       order by e.busy + l.nth, l.position limit ${room}
    )
    update lane_tasks set state = 'handed'
     where state = 'ready' and id in (select id from chosen)
    returning id, payload::text, position`.execute(db);
  return rows.toSorted((a, b) => Number(a.position) - Number(b.position));
}

/** When something that waits for its time may run. */
export async function findNextTurn(db: Db, now: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ runAt: Date | null }>`
    select min(run_at) as run_at from lane_tasks where state = 'ready' and run_at > ${now}`.execute(
    db,
  );
  return rows[0]?.runAt ?? undefined;
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
