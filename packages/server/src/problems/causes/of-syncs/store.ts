import { type RawBuilder, sql } from "kysely";
import { addMs, MINUTE } from "#foundation";
import { credentialFailureTypes } from "#functions";
import { causeOf, connectionOf, environmentsWith, latestOf, sampleOf } from "../one/store.ts";

/** A sync that is due waits so long before it counts as late: a busy environment takes turns. */
const LATE_MS = 10 * MINUTE;
/** So often a run was begun because its worker ended. */
const TAKEOVERS = 3;

/** Of an environment, the syncs whose last run failed, and those that are late: of more no more are read. */
const MOST_READ = 10_000;
/** As the index syncs_failing has it. */
const isFailing = "deleted_at is null and not paused and consecutive_failures > 0";

export function causesOfSyncs(now: Date): RawBuilder<unknown>[] {
  const place = {
    ...{ environment: "s.environment_id", integration: "i.unique_key", function: "s.name" },
    count: "count(*)",
  };
  return [
    causeOf(
      {
        ...{ ...place, kind: "'sync_failing'" },
        ...{ since: "min(s.updated_at)", lastAt: "max(s.updated_at)" },
        sample: sampleOf("c.connection_id", "s.updated_at"),
        cause: latestOf("concat_ws(' at ', e.code, nullif(e.place, ''))", "e.last_at"),
        nextAt: "min(t.next_run_at)",
        operationId: latestOf("e.last_operation_id", "e.last_at"),
      },
      sql`
      from (
        with failing as materialized (
          select own.* from ${environmentsWith("syncs", isFailing, "created_at desc, id desc")} en
           cross join lateral (
             select * from syncs where environment_id = en.id and ${sql.raw(isFailing)}
              order by created_at desc, id desc limit ${MOST_READ}) own)
        select * from failing) s
      ${connectionOf("s")}
      join integrations i on i.id = c.integration_id
      left join sync_turns t on t.sync_id = s.id
      left join lateral (
        select code, place, last_at, last_operation_id from function_errors
         where environment_id = s.environment_id and function_id = s.function_id order by last_at desc limit 1) e on true
     where s.consecutive_failures >= 2
       -- What fails for want of credentials is a problem of the connection.
       and (c.needs_reauthorization_at is null and (c.refresh_not_before is null or c.refresh_error is null)
            or (select r.error ->> 'type' from runs r
                 where r.sync_id = s.id and r.state = 'failed'
                 order by r.created_at desc limit 1) <> all(${[...credentialFailureTypes]}::text[]))
     group by s.environment_id, i.unique_key, s.name`,
    ),
    causeOf(
      {
        ...{ ...place, kind: "'sync_late'" },
        ...{ since: "min(t.next_run_at)", lastAt: "max(t.next_run_at)" },
        sample: sampleOf("c.connection_id", "t.next_run_at"),
      },
      sql`
      from environments en
     cross join lateral (
       select sync_id, next_run_at from sync_turns
        where environment_id = en.id and next_run_at < ${addMs(now, -LATE_MS)}
        order by next_run_at limit ${MOST_READ}) t
     cross join lateral (select * from syncs where id = t.sync_id offset 0) s
      join functions f on f.id = s.function_id
      ${connectionOf("s")}
      join integrations i on i.id = c.integration_id
     where s.deleted_at is null and s.running_run_id is null
       and not s.paused and f.enabled and f.deleted_at is null and c.needs_reauthorization_at is null
     group by s.environment_id, i.unique_key, s.name`,
    ),
    causeOf(
      {
        ...{ ...place, kind: "'run_stuck'" },
        ...{ since: "min(r.started_at)", lastAt: "max(r.started_at)" },
        sample: sampleOf("c.connection_id", "r.started_at"),
        cause: "format('Begun %s times.', max(r.attempts))",
        operationId: latestOf("r.operation_id", "r.started_at"),
      },
      sql`
      from environments en
     -- Who holds a turn runs; syncs have no index of their own of those that do.
     cross join lateral (
       select sync_id from sync_turns where environment_id = en.id and next_run_at is null offset 0) held
     cross join lateral (select * from syncs where id = held.sync_id offset 0) s
      join runs r on r.id = s.running_run_id
      ${connectionOf("s")}
      join integrations i on i.id = c.integration_id
     where s.running_run_id is not null and r.state = 'running' and r.attempts >= ${TAKEOVERS}
     group by s.environment_id, i.unique_key, s.name`,
    ),
  ];
}
