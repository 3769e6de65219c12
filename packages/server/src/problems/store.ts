import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { ReadCauses } from "./causes/distributed/store.ts";
import { causesAt } from "./causes/store.ts";
import type { Problem, ProblemChange, ProblemState } from "./problem.ts";

const columns = sql.raw(
  `id, fingerprint, kind, integration, function, receiver, code, place, since, last_at as "lastAt", count, sample,
   cause, next_at as "nextAt", sample_operation_id as "sampleOperationId",
   first_operation_id as "firstOperationId", resolved_at as "resolvedAt",
   mute_until as "muteUntil", note`,
);

/** Where tables are distributed: what was read of them, and what nothing is known of now. */
export interface SweepLimits extends Partial<ReadCauses> {
  /** Environments whose problems stay as they are. */
  readonly passedOver?: readonly EnvironmentId[];
}

/** Resolves to the problems that have opened, changed or been resolved. Call it in a transaction. */
export async function sweepRows(
  db: Db,
  now: Date,
  { sources, unknownKinds = [], read = [], passedOver = [] }: SweepLimits = {},
): Promise<SweptProblem[]> {
  // Of tables without statistics Postgres would sort all rows of an environment, rather than take the first of an index.
  // Before version 18 it takes the sorts that are needed for so expensive that it would compile the statement.
  await sql`select set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`.execute(
    db,
  );
  const { rows } = await sql<SweptProblem>`
    with causes as materialized (${causesAt(now, sources)}), found as materialized (
      select environment_id, kind, integration, function, receiver, code, place, count, sample, cause,
             sample_operation_id, date_trunc('milliseconds', since) as since,
             date_trunc('milliseconds', last_at) as last_at, date_trunc('milliseconds', next_at) as next_at,
             concat_ws('/', kind, integration, function, receiver, code, place) as fingerprint
        from causes cause
        join environments on environments.id = cause.environment_id and environments.deleted_at is null
       where cause.environment_id <> all(${passedOver}::uuid[])
    ), before as materialized (
      select environment_id, fingerprint from problems where resolved_at is null
    ), opened as (
      insert into problems as known
             (environment_id, fingerprint, kind, integration, function, receiver, code, place, since, last_at, count,
              sample, cause, next_at, sample_operation_id, first_operation_id)
      select environment_id, fingerprint, kind, integration, function, receiver, code, place, since, last_at, count,
             sample, cause, next_at, sample_operation_id, sample_operation_id
        from found
      on conflict (environment_id, fingerprint) do update
         set last_at = excluded.last_at, count = excluded.count, sample = excluded.sample, cause = excluded.cause,
             next_at = excluded.next_at, sample_operation_id = excluded.sample_operation_id,
             -- One that was open before there were first operations stays without.
             first_operation_id = case
               when known.resolved_at is not null then excluded.sample_operation_id
               when known.sample_operation_id is null then coalesce(known.first_operation_id, excluded.sample_operation_id)
               else known.first_operation_id end,
             since = case when known.resolved_at is null then least(known.since, excluded.since) else excluded.since end,
             resolved_at = null
       -- What somebody has resolved stays so until it happens again.
       where case when known.resolved_at is null
               then (known.last_at, known.count, known.sample, known.cause, known.next_at) is distinct from
                    (excluded.last_at, excluded.count, excluded.sample, excluded.cause, excluded.next_at)
               else excluded.last_at > known.resolved_at end
      returning *
    ), ended as (
      update problems set resolved_at = ${now}, mute_until = null, next_at = null
       where resolved_at is null and kind <> all(${unknownKinds}::text[])
         and environment_id <> all(${passedOver}::uuid[]) and not exists (
         select from jsonb_to_recordset(${JSON.stringify(read)}::jsonb) as r (kinds text[], "after" uuid, "until" uuid)
          where problems.kind = any(r.kinds)
            and (problems.environment_id <= r."after" or problems.environment_id > r."until"))
         -- Hashed, not joined: Postgres, which expects few causes, would compare each with each.
         and (environment_id, fingerprint) not in (select environment_id, fingerprint from found)
      returning *
    )
    select environment_id as "environmentId", ${columns},
           case when (environment_id, fingerprint) in (select environment_id, fingerprint from before)
                then 'changed' else 'opened' end as change
      from opened
    union all
    select environment_id as "environmentId", ${columns}, 'resolved' as change from ended`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

export interface SweptProblem extends Problem {
  readonly environmentId: EnvironmentId;
  readonly change: "opened" | "changed" | "resolved";
}

export async function deleteOldProblems(db: Db, before: Date): Promise<void> {
  await sql`delete from problems where resolved_at < ${before}`.execute(db);
}

export interface ProblemPage {
  readonly state: ProblemState | undefined;
  readonly kind: string | undefined;
  readonly now: Date;
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listProblemRows(
  db: Db,
  environmentId: EnvironmentId,
  { state, kind, now, after, limit }: ProblemPage,
): Promise<Problem[]> {
  const parts = [
    sql`environment_id = ${environmentId}`,
    state === "resolved" ? sql`resolved_at is not null` : undefined,
    state === "open"
      ? sql`resolved_at is null and (mute_until is null or mute_until <= ${now})`
      : undefined,
    state === "muted" ? sql`resolved_at is null and mute_until > ${now}` : undefined,
    kind === undefined ? undefined : sql`kind = ${kind}`,
    after && sql`(since, id) < (${after.createdAt}, ${after.id}::uuid)`,
  ].filter((part) => part !== undefined);
  const { rows } = await sql<Problem>`
    select ${columns} from problems where ${sql.join(parts, sql` and `)}
     order by since desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function findProblemRow(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Problem | undefined> {
  const { rows } = await sql<Problem>`
    select ${columns} from problems where environment_id = ${environmentId} and id = ${id}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** What is left out of the change stays. */
export async function updateProblemRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, now, change }: { id: string; now: Date; change: ProblemChange },
): Promise<Problem | undefined> {
  const { muteUntil, note, isResolved } = change;
  const parts = [
    sql`kind = kind`,
    muteUntil === undefined ? undefined : sql`mute_until = ${muteUntil}`,
    note === undefined ? undefined : sql`note = ${note}`,
    isResolved === true ? sql`resolved_at = coalesce(resolved_at, ${now})` : undefined,
    isResolved === false ? sql`resolved_at = null` : undefined,
  ].filter((part) => part !== undefined);
  const { rows } = await sql<Problem>`
    update problems set ${sql.join(parts)} where environment_id = ${environmentId} and id = ${id}
    returning ${columns}`.execute(db.withoutPlugins());
  return rows[0];
}
