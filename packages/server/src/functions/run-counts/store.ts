import { sql } from "kysely";
import type { EnvironmentId, OperationId } from "#foundation";
import type { Db } from "#foundation/db";

export interface RunCount {
  readonly environmentId: EnvironmentId;
  readonly functionId: number;
  /** Begin of the hour, ISO 8601. */
  readonly hour: string;
  readonly runs: number;
  readonly failures: number;
  readonly lastAt: string;
  readonly lastSucceeded: boolean;
  readonly lastOperationId: OperationId;
}

/** Adds to what the hours have; those of environments that are gone are dropped. */
export async function addRunCounts(db: Db, counts: readonly RunCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into function_run_counts as f
      (environment_id, function_id, hour, runs, failures, last_at, last_succeeded, last_operation_id)
    select c.* from json_to_recordset(${JSON.stringify(counts)}::json) as c
      ("environmentId" uuid, "functionId" bigint, hour timestamptz, runs bigint, failures bigint,
       "lastAt" timestamptz, "lastSucceeded" boolean, "lastOperationId" uuid)
      join environments e on e.id = c."environmentId"
     order by c."environmentId", c."functionId", c.hour
    on conflict (environment_id, function_id, hour) do update
       set runs = f.runs + excluded.runs, failures = f.failures + excluded.failures,
           last_at = greatest(f.last_at, excluded.last_at),
           last_succeeded = case when excluded.last_at >= f.last_at then excluded.last_succeeded else f.last_succeeded end,
           last_operation_id =
             case when excluded.last_at >= f.last_at then excluded.last_operation_id else f.last_operation_id end`.execute(
    db,
  );
}

export interface RunSums {
  readonly functionId: number;
  readonly runs: number;
  readonly failures: number;
  readonly lastAt: Date;
  readonly lastSucceeded: boolean;
  readonly lastOperationId: OperationId;
}

/** Sums of the hours since a time, and the run that ended last, of functions that have run. */
export async function listRunSums(
  db: Db,
  environmentId: EnvironmentId,
  { functionIds, since }: { functionIds: readonly number[]; since: Date },
): Promise<RunSums[]> {
  const { rows } = await sql<RunSums>`
    select wanted.id::int as function_id, sums.runs, sums.failures, latest.*
      from unnest(${functionIds}::bigint[]) as wanted (id)
     cross join lateral (
       select last_at, last_succeeded, last_operation_id from function_run_counts
        where environment_id = ${environmentId} and function_id = wanted.id order by hour desc limit 1) latest
     cross join lateral (
       select coalesce(sum(runs), 0)::int as runs, coalesce(sum(failures), 0)::int as failures
         from function_run_counts
        where environment_id = ${environmentId} and function_id = wanted.id and hour >= ${since}) sums`.execute(
    db,
  );
  return rows;
}

/** All hours before a time but the last of each function. */
export async function deleteRunCounts(db: Db, before: Date): Promise<void> {
  await sql`
    delete from function_run_counts old
     where hour < ${before}
       and exists (
         select from function_run_counts later
          where later.environment_id = old.environment_id and later.function_id = old.function_id
            and later.hour > old.hour)`.execute(db);
}
