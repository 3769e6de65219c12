import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import type { Problem, ProblemChange, ProblemState } from "./problem.ts";

/** Names of connections that a problem shows. */
const SAMPLE = 5;

const sampleOf = (name: string, time: string) =>
  sql.raw(`to_jsonb((array_agg(${name} order by ${time} desc))[1:${SAMPLE}])`);

// Each part reads an index of those few rows that something is wrong with.
const causes = sql`
  select c.environment_id, 'needs_reauthorization' as kind, i.unique_key as integration,
         null::text as function, null::text as receiver, min(c.needs_reauthorization_at) as since,
         max(c.needs_reauthorization_at) as last_at, count(*)::int as count,
         ${sampleOf("c.connection_id", "c.needs_reauthorization_at")} as sample
    from connections c join integrations i on i.id = c.integration_id
   where c.deleted_at is null and c.needs_reauthorization_at is not null
   group by c.environment_id, i.unique_key
  union all
  select s.environment_id, 'sync_failing', i.unique_key, s.name, null, min(s.updated_at),
         max(s.updated_at), count(*)::int, ${sampleOf("c.connection_id", "s.updated_at")}
    from syncs s
    join connections c on c.uuid = s.connection_uuid
    join integrations i on i.id = c.integration_id
   where s.deleted_at is null and not s.paused and s.consecutive_failures > 0
     and s.consecutive_failures >= 2
   group by s.environment_id, i.unique_key, s.name
  union all
  select m.environment_id, 'delete_guard', i.unique_key, m.model, null, min(m.last_modified_at),
         max(m.last_modified_at), count(*)::int, ${sampleOf("c.connection_id", "m.last_modified_at")}
    from record_models m
    join connections c on c.uuid = m.connection_uuid
    join integrations i on i.id = c.integration_id
   where m.refused_deletes is not null and c.deleted_at is null
   group by m.environment_id, i.unique_key, m.model
  union all
  select environment_id, case when disabled_at is null then 'receiver_failing' else 'receiver_disabled' end,
         null, null, url, failing_since, coalesce(disabled_at, failing_since), 1, '[]'::jsonb
    from webhook_receivers where failing_since is not null`;

/** Resolves to the environments in which a problem has opened, changed or been resolved. */
export async function sweepRows(db: Db, now: Date): Promise<EnvironmentId[]> {
  const { rows } = await sql<{ environmentId: EnvironmentId }>`
    with found as materialized (
      select environment_id, kind, integration, function, receiver, count, sample,
             date_trunc('milliseconds', since) as since, date_trunc('milliseconds', last_at) as last_at,
             concat_ws('/', kind, integration, function, receiver) as fingerprint
        from (${causes}) cause
        join environments on environments.id = cause.environment_id and environments.deleted_at is null
    ), opened as (
      insert into problems as known
             (environment_id, fingerprint, kind, integration, function, receiver, since, last_at, count, sample)
      select environment_id, fingerprint, kind, integration, function, receiver, since, last_at, count, sample
        from found
      on conflict (environment_id, fingerprint) do update
         set last_at = excluded.last_at, count = excluded.count, sample = excluded.sample,
             since = case when known.resolved_at is null then least(known.since, excluded.since) else excluded.since end,
             resolved_at = null
       -- What somebody has resolved stays so until it happens again.
       where case when known.resolved_at is null
               then (known.last_at, known.count, known.sample) is distinct from
                    (excluded.last_at, excluded.count, excluded.sample)
               else excluded.last_at > known.resolved_at end
      returning environment_id
    ), ended as (
      update problems set resolved_at = ${now}, mute_until = null
       where resolved_at is null and not exists (
         select from found
          where found.environment_id = problems.environment_id and found.fingerprint = problems.fingerprint)
      returning environment_id
    )
    select environment_id as "environmentId" from opened
    union select environment_id from ended`.execute(db.withoutPlugins());
  return rows.map(({ environmentId }) => environmentId);
}

export async function deleteOldProblems(db: Db, before: Date): Promise<void> {
  await sql`delete from problems where resolved_at < ${before}`.execute(db);
}

const columns = sql.raw(
  `id, fingerprint, kind, integration, function, receiver, since, last_at as "lastAt", count, sample,
   resolved_at as "resolvedAt", mute_until as "muteUntil", note`,
);

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
