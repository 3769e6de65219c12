import { sql } from "kysely";
import type { EnvironmentId, RunId } from "#platform";
import type { Db } from "#platform/db";

/** Runs that hold a sync and have not ended; of all environments. */
export async function listOpenRuns(
  db: Db,
): Promise<{ readonly id: RunId; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: RunId; environmentId: EnvironmentId }>`
    select r.id, r.environment_id from syncs s join runs r on r.id = s.running_run_id
     where s.running_run_id is not null and r.state in ('waiting', 'running')`.execute(db);
  return rows;
}

/** Gives leases back whose run has ended or is gone; answers how many. Of all environments. */
export async function freeEnded(db: Db, now: Date): Promise<number> {
  const { rows } = await sql`
    update syncs s set running_run_id = null, updated_at = ${now}
     where s.running_run_id is not null and not exists (
       select 1 from runs r where r.id = s.running_run_id and r.state in ('waiting', 'running'))
    returning 1`.execute(db);
  return rows.length;
}

/**
 * Of a page of runs, in the order in which they were made, removes those that ended before a time; the latest of each
 * sync stays, for its status. Answers the last run of the page. Of all environments.
 */
export async function deleteOldRuns(
  db: Db,
  { after, before, limit }: { after: RunId | undefined; before: Date; limit: number },
): Promise<{ readonly id: RunId; readonly createdAt: Date } | undefined> {
  const { rows } = await sql<{ id: RunId; createdAt: Date }>`
    with page as (
      select id, sync_id, created_at, ended_at from runs
       where ${after ?? null}::uuid is null or id > ${after ?? null}
       order by id limit ${limit}),
    gone as (
      delete from runs r using page p
       where r.id = p.id and p.ended_at < ${before} and (
         not exists (select 1 from syncs s where s.id = p.sync_id and s.deleted_at is null)
         or exists (select 1 from runs later
                     where later.sync_id = p.sync_id and later.created_at > p.created_at)))
    select id, created_at from page order by id desc limit 1`.execute(db);
  return rows[0];
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
