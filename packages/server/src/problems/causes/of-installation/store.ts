import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, MINUTE } from "#foundation";
import { causeOf } from "../one/store.ts";

const LATE_MS = 2 * MINUTE;
/** More late work than that is not counted. */
const MOST_COUNTED = 10_000;
const LEAST_FREE_BYTES = 2 * 1024 ** 3;
const LEAST_FREE_SHARE = 0.05;

/** Of queues, disks and tables; what is of no environment shows in those of the installation's first account. */
export function causesOfInstallation(now: Date): RawBuilder<unknown>[] {
  const tomorrow = addMs(now, DAY).toISOString().slice(0, 10).replaceAll("-", "");
  const ofAll = { environment: "e.id", count: "count(*)" };
  const firstEnvironments = sql`
    join environments e on e.account_id = (select id from accounts order by created_at, id limit 1)`;
  return [
    causeOf(
      {
        ...{ environment: "late.environment_id", kind: "'queue_late'", count: "count(*)" },
        ...{ since: "min(late.run_at)", lastAt: "max(late.run_at)" },
        cause: "format('Waiting: %s.', string_agg(distinct late.task, ', '))",
      },
      sql`
      from (
        select (j.payload ->> 'environmentId')::uuid as environment_id, t.identifier as task, j.run_at
          from (
            select task_id, payload, run_at from graphile_worker._private_jobs
             where is_available and run_at < now() - make_interval(secs => ${LATE_MS / 1000}::float8)
               and payload ->> 'environmentId' is not null
             limit ${MOST_COUNTED}) j
          join graphile_worker._private_tasks t on t.id = j.task_id
        union all
        select * from (
          select environment_id, task, run_at from lane_tasks
           where state = 'ready' and run_at < ${addMs(now, -LATE_MS)} limit ${MOST_COUNTED}) k) late
     group by late.environment_id`,
    ),
    causeOf(
      {
        ...{ ...ofAll, kind: "'disk_low'" },
        // Every hour it is worth a look again.
        ...{ since: "min(h.seen_at)", lastAt: "date_trunc('hour', max(h.seen_at))" },
        cause: `format('%s has %s of %s free.', (array_agg(h.process order by h.free_bytes))[1],
                       pg_size_pretty(min(h.free_bytes)), pg_size_pretty(max(h.total_bytes)))`,
      },
      sql`
      from (
        select distinct on (process) process, seen_at, free_bytes, total_bytes from worker_heartbeats
         where seen_at > now() - interval '1 minute' order by process, seen_at desc) h
      ${firstEnvironments}
     where h.free_bytes < ${LEAST_FREE_BYTES}::bigint or h.free_bytes < h.total_bytes * ${LEAST_FREE_SHARE}::float8
     group by e.id`,
    ),
    causeOf(
      {
        ...{
          ...ofAll,
          kind: "'partition_missing'",
          cause: "string_agg(day.name, ', ' order by day.name)",
        },
        ...{ since: "day.today", lastAt: "day.today" },
      },
      sql`
      from (
        select p.relname as name, date_trunc('day', ${now}::timestamptz, 'UTC') as today
          from pg_partitioned_table t
          join pg_class p on p.oid = t.partrelid and p.relnamespace = current_schema()::regnamespace
          join pg_inherits h on h.inhparent = p.oid
          join pg_class c on c.oid = h.inhrelid
         group by p.relname
        having bool_or(c.relname = p.relname || '_default')
           -- Those that were never parted into days have no tomorrow either.
           and bool_or(c.relname ~ '_\\d{8}$' and c.relname !~ '_until_\\d{8}$')
           and not bool_or(c.relname = p.relname || '_' || ${tomorrow}
                           or c.relname ~ '_until_\\d{8}$' and right(c.relname, 8) > ${tomorrow})) day
      ${firstEnvironments}
     group by e.id, day.today`,
    ),
  ];
}
