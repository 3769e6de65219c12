import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId, RunId, SyncId } from "#foundation";
import type { Db } from "#foundation/db";
import { hasIdText } from "#foundation/db/day-partitions";

const isHeld = sql.raw(hasIdText("runs", "held.run_id"));

// From environment to environment, and to each row by its id: see claim/store.ts.
const leases = sql`
  select held.* from environments e
   cross join lateral (
     select t.sync_id, s.running_run_id as run_id from sync_turns t
      cross join lateral (select running_run_id from syncs where id = t.sync_id offset 0) s
      where t.environment_id = e.id and t.next_run_at is null and s.running_run_id is not null offset 0) held`;

/** Runs that hold a sync and have not ended; of all environments. */
export async function listOpenRuns(
  db: Db,
): Promise<{ readonly id: RunId; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: RunId; environmentId: EnvironmentId }>`
    select r.id, r.environment_id from (${leases}) held
     cross join lateral (select * from runs where ${isHeld} offset 0) r
     where r.state in ('waiting', 'running')`.execute(db);
  return rows;
}

/** Gives leases back whose run has ended or is gone; answers how many. Of all environments. */
export async function freeEnded(db: Db, now: Date): Promise<number> {
  const { rows } = await sql`
    with ended as materialized (
      select held.* from (${leases}) held
       where not exists (
         select from runs where ${isHeld} and state in ('waiting', 'running') offset 0))
    update syncs s set running_run_id = null, updated_at = ${now}
      from ended
     where s.id = any(array(select sync_id from ended))
       and s.id = ended.sync_id and s.running_run_id = ended.run_id
    returning 1`.execute(db);
  return rows.length;
}

/**
 * Of a page of syncs that have not succeeded since a time, the latest run of those that have not run since then: it stays,
 * for their status. What succeeded later has a run that ended later. Of all environments; `last` is the page's last sync.
 */
export async function listLatestBefore(
  db: Db,
  { after, before, limit }: { after: SyncId | undefined; before: Date; limit: number },
): Promise<{ readonly runs: readonly RunId[]; readonly last: SyncId | undefined }> {
  const { rows } = await sql<{ runs: RunId[]; last: SyncId | null }>`
    with page as materialized (
      select id from syncs
       where deleted_at is null and (last_sync_date is null or last_sync_date < ${before})
         and (${after ?? null}::uuid is null or id > ${after ?? null})
       order by id limit ${limit})
    select array(
             select latest.id from page cross join lateral (
               select id, created_at from runs where sync_id = page.id order by created_at desc limit 1) latest
              where latest.created_at < ${before}) as runs,
           (select id from page order by id desc limit 1) as last`.execute(db);
  const [page] = rows;
  return { runs: page?.runs ?? [], last: page?.last ?? undefined };
}

/** Of a run `t` whose day is dropped: it has not ended, or late, or is one of these. */
export function isRunKept(
  before: Date,
  { latest }: { latest: readonly RunId[] },
): RawBuilder<boolean> {
  return sql<boolean>`(t.ended_at is null or t.ended_at >= ${before} or t.id = any(${latest}::uuid[]))`;
}

/**
 * Of a page of runs made before a time, in the order in which they were made, removes those that ended before a time; the latest of each
 * sync stays, for its status. Answers the last run of the page. Of all environments.
 */
export async function deleteOldRuns(
  db: Db,
  { after, before, limit }: { after: RunId | undefined; before: Date; limit: number },
): Promise<RunId | undefined> {
  const { rows } = await sql<{ id: RunId }>`
    with page as materialized (
      select id, sync_id, created_at, ended_at from runs
       where created_at < ${before} and (${after ?? null}::uuid is null or id > ${after ?? null})
       order by id limit ${limit}),
    gone as (
      delete from runs where created_at < ${before} and id = any(array(
        select p.id from page p
         where p.ended_at < ${before} and (
           not exists (
             select from syncs where id = p.sync_id and deleted_at is null offset 0)
           or exists (
             select from runs later
              where later.sync_id = p.sync_id and later.created_at > p.created_at offset 0)))))
    select id from page order by id desc limit 1`.execute(db);
  return rows[0]?.id;
}

/** Removes schedules that were deleted before a time; answers how many. Of all environments. */
export async function removeDeletedSyncs(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from syncs where id in (
      select id from syncs where deleted_at < ${before} and running_run_id is null limit ${limit})
    returning 1`.execute(db);
  return rows.length;
}
