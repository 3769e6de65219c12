import { sql } from "kysely";
import type { Db } from "#foundation/db";
import { type Backlog, COUNTED_AT_MOST } from "#foundation/telemetry";

/** Jobs that are due and that no worker has taken, by task; those whose chain is busy count, too. */
export async function readJobBacklog(db: Db): Promise<readonly Backlog[]> {
  const { rows } = await sql<Backlog>`
    select 'job ' || t.identifier as kind, waiting.depth, waiting.oldest_seconds
      from graphile_worker._private_tasks t cross join lateral (
        select count(*)::int as depth,
               coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as oldest_seconds
          from (select run_at from graphile_worker._private_jobs
                 where task_id = t.id and is_available and run_at <= now()
                 limit ${COUNTED_AT_MOST}) due) waiting`.execute(db);
  return rows;
}

/** Keyed tasks that are next in their key and wait for a slot, by task. */
export async function readKeyedBacklog(
  db: Db,
  tasks: readonly string[],
  now: Date,
): Promise<readonly Backlog[]> {
  const { rows } = await sql<Backlog>`
    select 'keyed ' || task.name as kind, waiting.depth, waiting.oldest_seconds
      from unnest(${tasks}::text[]) as task (name) cross join lateral (
        select count(*)::int as depth,
               coalesce(extract(epoch from ${now}::timestamptz - min(run_at)), 0)::float8 as oldest_seconds
          from (select run_at from lane_tasks
                 where lane_tasks.task = task.name and state = 'ready' and run_at <= ${now}
                 limit ${COUNTED_AT_MOST}) due) waiting`.execute(db);
  return rows;
}
