import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, HOUR, MINUTE } from "#foundation";
import { causeOf } from "../one/store.ts";

const FAILURES = 3;
const WEEK = 7 * DAY;
/** An error whose function succeeds in between is still one for so long: it comes and goes. */
const LINGERS_MS = 15 * MINUTE;

export function causesOfFunctions(now: Date): RawBuilder<unknown>[] {
  const place = {
    ...{ environment: "f.environment_id", integration: "i.unique_key", function: "f.name" },
    ...{
      since: "e.since",
      lastAt: "e.last_at",
      count: "e.count",
      operationId: "e.last_operation_id",
    },
  };
  return [
    causeOf(
      {
        ...{ ...place, kind: "'function_error'", code: "e.code", place: "nullif(e.place, '')" },
        cause: "concat_ws(' at ', e.code, nullif(e.place, ''))",
      },
      sql`
      from function_errors e
      join functions f on f.id = e.function_id and f.environment_id = e.environment_id
      join integrations i on i.id = f.integration_id
      left join lateral (
        select last_at, last_succeeded from function_run_counts n
         where n.environment_id = e.environment_id and n.function_id = e.function_id
         order by hour desc limit 1) latest on true
     where e.last_at >= ${addMs(now, -2 * HOUR)} and e.count >= ${FAILURES}
       and f.type <> 'sync' and f.enabled and f.deleted_at is null and f.deployed_at <= e.last_at
       and (e.last_at >= ${addMs(now, -LINGERS_MS)} or not coalesce(latest.last_succeeded, false))`,
    ),
    causeOf(
      {
        ...{ ...place, kind: "'validation_drift'", code: "e.what" },
        cause:
          "format('The %s of the function did not match the schema %s times.', e.what, e.count)",
      },
      sql`
      from schema_mismatches e
      join functions f on f.id = e.function_id and f.environment_id = e.environment_id
      join integrations i on i.id = f.integration_id
     where e.last_at >= ${addMs(now, -DAY)} and f.enabled and f.deleted_at is null and f.deployed_at <= e.last_at`,
    ),
    causeOf(
      {
        ...{ environment: "c.environment_id", kind: "'canary_rolled_back'", count: "1" },
        ...{ since: "c.ended_at", lastAt: "c.ended_at", cause: "c.reason" },
      },
      sql`
      from (select distinct on (environment_id) environment_id, state, by_itself, ended_at, reason from canaries
             where started_at >= ${addMs(now, -2 * WEEK)} order by environment_id, started_at desc) c
     where c.state = 'rolled_back' and c.by_itself and c.ended_at >= ${addMs(now, -WEEK)}
       and not exists (select from deployments d
                        where d.environment_id = c.environment_id and d.state = 'success' and d.created_at > c.ended_at)`,
    ),
  ];
}
