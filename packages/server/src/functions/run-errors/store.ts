import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId, OperationId } from "#foundation";
import type { Db } from "#foundation/db";

interface Finding {
  readonly environmentId: EnvironmentId;
  readonly functionId: number;
  readonly count: number;
  /** ISO 8601. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** The last that shows it. */
  readonly operationId: OperationId;
}

export interface ErrorCount extends Finding {
  readonly code: string;
  /** File and line; empty where it is not known. */
  readonly place: string;
}

export interface MismatchCount extends Finding {
  readonly what: string;
}

/** So many kinds of errors of one function stand apart; more are counted as one. */
const MOST_ERRORS = 20;
/** After a pause like this it counts from the start. */
const ERROR_PAUSE = sql.lit("2 hours");
const MISMATCH_PAUSE = sql.lit("1 day");

const given = (counts: readonly Finding[]): RawBuilder<unknown> => sql`
  select g.* from json_to_recordset(${JSON.stringify(counts)}::json) as g
    ("environmentId" uuid, "functionId" bigint, code text, place text, what text, count bigint,
     "firstAt" timestamptz, "lastAt" timestamptz, "operationId" uuid)
    join environments e on e.id = g."environmentId"`;

const counted = (pause: RawBuilder<unknown>): RawBuilder<unknown> => {
  const isNew = sql`known.last_at < excluded.last_at - ${pause}::interval`;
  return sql`
       set since = case when ${isNew} then excluded.since else known.since end,
           count = case when ${isNew} then excluded.count else known.count + excluded.count end,
           last_operation_id =
             case when excluded.last_at >= known.last_at then excluded.last_operation_id else known.last_operation_id end,
           last_at = greatest(known.last_at, excluded.last_at)`;
};

export async function addErrors(db: Db, counts: readonly ErrorCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    with given as (${given(counts)}), ranked as (
      select given.*, known.function_id is not null as is_known,
             row_number() over (partition by "functionId" order by known.function_id is null, given.code, given.place) as nth,
             (select count(*) from function_errors other
               where other.environment_id = given."environmentId" and other.function_id = given."functionId") as there
        from given
        left join function_errors known
          on known.environment_id = given."environmentId" and known.function_id = given."functionId"
         and known.code = given.code and known.place = given.place
    ), placed as (
      select "environmentId", "functionId", "firstAt", "lastAt", count, "operationId",
             case when fits then code else 'other' end as code, case when fits then place else '' end as place
        from ranked cross join lateral (select is_known or there + nth <= ${MOST_ERRORS} as fits) room
    )
    insert into function_errors as known
      (environment_id, function_id, code, place, since, last_at, count, last_operation_id)
    select "environmentId", "functionId", code, place, min("firstAt"), max("lastAt"), sum(count),
           (array_agg("operationId" order by "lastAt" desc))[1]
      from placed group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (environment_id, function_id, code, place) do update ${counted(ERROR_PAUSE)}`.execute(
    db,
  );
}

export async function addMismatches(db: Db, counts: readonly MismatchCount[]): Promise<void> {
  await sql`
    insert into schema_mismatches as known
      (environment_id, function_id, what, since, last_at, count, last_operation_id)
    select "environmentId", "functionId", what, "firstAt", "lastAt", count, "operationId"
      from (${given(counts)}) given order by 1, 2, 3
    on conflict (environment_id, function_id, what) do update ${counted(MISMATCH_PAUSE)}`.execute(
    db,
  );
}

export async function deleteFindings(db: Db, before: Date): Promise<void> {
  await sql`delete from function_errors where last_at < ${before}`.execute(db);
  await sql`delete from schema_mismatches where last_at < ${before}`.execute(db);
}
